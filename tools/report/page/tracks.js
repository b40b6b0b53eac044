/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Counters below the lanes of the timeline of the run: a track for each metric of `metrics`, over the same time. */

const TRACK = 46;  /* height in pixels */
const TRACKS = 12; /* at most */

/* A metric of a location, or of all: bins of time, {name, unit, from, to, value}. */
class Track {
  /* rows: of the table over_time, in order of time; rate: the value is what the metric grows by in a second */
  constructor(table, rows, mode, locations) {
    const get = name => rows.map(i => table.values(name)[i]), width = get('width');
    const unit = (table.values('unit')[rows[0]] || '').replace(/^Bytes?$/i, 'bytes');
    const ids = table.values('location_id'), isRate = /^(ACCUMULATED|RELATIVE)/.test(mode || '');
    this.metric = get('metric')[0];
    this.unit = isRate ? (unit === 's' ? '' : unit === 'bytes' ? 'bytes/s' : '1/s') : unit;
    this.name = `${this.metric}${isRate ? (unit === 's' ? ' per second' : ', rate') : ''}`;
    this.where = get('location')[0] === '-' ? '' : ids ? locationName(ids[rows[0]], locations) : get('location')[0];
    this.from = get('from');
    this.to = this.from.map((v, i) => v + width[i]);
    this.value = isRate ? get('increase').map((v, i) => v / width[i]) : get('mean');
  }

  /* The bin at a time; -1: there are no samples. */
  at(time) {
    const i = countBelow(this.from, time, true) - 1;
    return i >= 0 && time < this.to[i] ? i : -1;
  }

  text(i) {
    return i < 0 ? 'no sample' :
                   formatNumber(this.value[i], SHOWN_UNITS.has(this.unit) ? this.unit : null) +
            (SHOWN_UNITS.has(this.unit) || !this.unit ? '' : ` ${this.unit}`);
  }

  draw(context, timeline, top) {
    const {x, range: [from, to]} = timeline, [left, right] = x.range;
    const seen = range(this.from.length).filter(i => this.to[i] > from && this.from[i] < to);
    const [low, high] = extremes([0, ...seen.map(i => this.value[i])]),
                y = linearScale([low, high], [top + TRACK - 8, top + 4]);
    context.fillStyle = themeColor('--sunken');
    context.fillRect(left, top, right - left, TRACK - 4);
    context.fillStyle = themeColor('--c0');
    for (const i of seen) {
      const a = Math.max(left, x(this.from[i])), b = Math.min(right, x(this.to[i])), v = y(this.value[i]), zero = y(0);
      context.fillRect(a, Math.min(v, zero), Math.max(1, b - a), Math.max(1, Math.abs(zero - v)));
    }
    context.textAlign = 'left';
    const most = seen.length ? `up to ${this.text(seen.reduce((m, i) => this.value[i] > this.value[m] ? i : m))}` :
                               'no samples here';
    [this.name, this.where, most].filter(text => text).forEach((text, i, all) => {
      context.fillStyle = themeColor(i === 0 ? '--text' : '--muted');
      context.fillText(
          clipped(context, text, timeline.left - 14), 4, top + (all.length > 2 ? 8 + 13 * i : 13 + 17 * i));
    });
  }
}

/* Those of all locations together or, where processes are selected and known, of these. */
function tracksOfRun({results, locations}) {
  const table = results.first('metrics', 'over_time'), modes = results.first('metrics', 'metrics');
  if (!table || !table.has('metric', 'location', 'from', 'width', 'mean', 'increase')) return [];
  const mode = new Map(
      modes && modes.has('metric', 'mode') ? modes.values('metric').map((m, i) => [m, modes.values('mode')[i]]) : []);
  const groups = new Map(), ids = table.values('location_id');
  range(table.n).forEach(i => entry(groups, `${ids ? ids[i] : ''} ${table.values('metric')[i]}`, () => []).push(i));
  const isSelected = rows => ids && view.processes.includes((locations.get(String(ids[rows[0]])) || {}).process);
  const all = [...groups.values()], chosen = all.filter(isSelected),
        whole = all.filter(rows => table.values('location')[rows[0]] === '-');
  return (chosen.length    ? chosen :
              whole.length ? whole :
                             all)
      .slice(0, TRACKS)
      .map(rows => new Track(table, rows, mode.get(table.values('metric')[rows[0]]), locations));
}
