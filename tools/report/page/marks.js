/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What is drawn over the lanes of the timeline of the run: where the critical path runs, by `critical_path`, and where
 * the longest waits come from, by `root_cause`. Both find the lane of a location by the timeline's laneOf(id). */

/* The critical path: a line at the foot of lanes, the darker the more of the time the path is there. */
class PathMarks {
  constructor(table) {
    this.from = seconds(table, 'from');
    this.width = table.n ? table.values('width')[0] : 0;
    this.location = table.values('location').map(String);
    this.time = table.values('time');
  }

  /* Calls f(location, from, width, seconds on the path) for the bins that have a part in [from, to]. */
  each(from, to, f) {
    for (let i = countBelow(this.from, from - this.width); i < this.from.length && this.from[i] < to; i++)
      f(this.location[i], this.from[i], this.width, this.time[i]);
  }

  /* Seconds on the path by lane within [from, to]; of bins that are cut the share. */
  inLanes(timeline, from, to) {
    const found = new Map();
    this.each(from, to, (location, begin, width, time) => {
      const k = timeline.laneOf(location), part = Math.min(begin + width, to) - Math.max(begin, from);
      if (k !== undefined && part > 0) found.set(k, (found.get(k) || 0) + time * part / width);
    });
    return found;
  }

  draw(context, timeline) {
    const {x, lane} = timeline, [left, right] = x.range, n = Math.max(1, Math.ceil(right - left)),
              height = clamped(lane / 4, 2, 5);
    const columns = new Map(); /* by lane: the share of the path in each column of pixels */
    this.each(...timeline.range, (location, begin, width, time) => {
      const k = timeline.laneOf(location);
      if (k === undefined) return;
      const of = entry(columns, k, () => new Float32Array(n)), a = x(begin) - left, b = x(begin + width) - left;
      for (let p = Math.max(0, Math.floor(a)); p < Math.min(n, b); p++)
        of[p] += time / width * (Math.min(p + 1, b) - Math.max(p, a));
    });
    context.fillStyle = themeColor('--path');
    for (const [k, of] of columns) {
      const y = RUN_TOP + (k + 1) * lane - height;
      for (let p = 0, end; p < n; p = end) {
        const level = this.level(of[p]);
        for (end = p + 1; end < n && this.level(of[end]) === level; end++)
          ;
        if (level === 0) continue;
        context.globalAlpha = level / 4;
        context.fillRect(left + p, y, end - p, height);
      }
    }
    context.globalAlpha = 1;
    this.drawChanges(context, timeline, columns, n);
  }

  /* 0 to 4: none of the path, up to nearly all of it. */
  level(share) {
    return share < 0.02 ? 0 : Math.min(4, Math.ceil(share * 4 - 0.2));
  }

  /* Lines from lane to lane where most of the path changes, unless they would fill the picture. */
  drawChanges(context, timeline, columns, n) {
    const main = range(n).map(p => {
      let best = -1, most = 0.5;
      for (const [k, of] of columns)
        if (of[p] > most) [best, most] = [k, of[p]];
      return best;
    });
    const changes = range(1, n).filter(p => main[p] >= 0 && main[p - 1] >= 0 && main[p] !== main[p - 1]);
    if (changes.length > n / 40) return;
    const foot = k => RUN_TOP + (k + 1) * timeline.lane - 1;
    for (const p of changes) {
      const [a, b] = [foot(main[p - 1]), foot(main[p])].sort(ascending);
      context.fillRect(timeline.x.range[0] + p - 1, a - 1, 2, b - a + 2);
    }
  }
}

/* Chains of waits: a frame around each wait, and from its end a line to the location that was waited for: on to the
 * wait there that it came from, or to a dot where the location did more than the one that waited, which is the cause.
 */
class ChainMarks {
  constructor(table, run) {
    const waits = new Map(), titles = patternTitles(run.results.first('wait_states', 'patterns'));
    this.run = run;
    range(table.n).forEach(i => entry(waits, table.values('wait')[i], () => []).push({
      location: String(table.values('location')[i]),
      begin: table.values('begin')[i],
      time: table.values('time')[i],
      length: table.values('length')[i],
      title: titles.get(table.values('what')[i]) || table.values('what')[i],
      path: table.values('call_path')[i]
    }));
    this.chains = [...waits.values()].filter(hops => hops[0].begin !== null);
  }

  /* Calls f(hop, the one it comes from or null, the time at which the line leaves) of all chains. */
  each(f) {
    for (const hops of this.chains)
      hops.forEach((hop, i) => {
        if (hop.begin !== null) f(hop, hops[i + 1] || null, hop.begin + hop.length);
      });
  }

  draw(context, timeline) {
    const {x, lane, range: [from, to]} = timeline, top = k => RUN_TOP + k * lane;
    context.strokeStyle = context.fillStyle = themeColor('--bad');
    context.lineWidth = 1.5;
    this.each((hop, next, end) => {
      const k = timeline.laneOf(hop.location), at = next ? timeline.laneOf(next.location) : undefined;
      if (k === undefined || end < from || hop.begin > to) return;
      context.strokeRect(x(hop.begin), top(k) + 0.5, Math.max(2, x(end) - x(hop.begin)), Math.max(2, lane - 2));
      if (at === undefined) return;
      const y = top(at) + lane / 2, isCause = next.begin === null;
      context.beginPath();
      context.moveTo(x(end), at > k ? top(k) + lane - 1 : top(k));
      context.lineTo(x(end), y);
      context.stroke();
      if (isCause) context.fillRect(x(end) - 3, y - 3, 6, 6);
    });
  }

  /* The wait at a time in a lane: lines for the tip; null: none. `near`: seconds to either side. */
  describe(timeline, time, k, near) {
    let found = null;
    this.each((hop, next, end) => {
      if (timeline.laneOf(hop.location) !== k || time < hop.begin - near || time > end + near) return;
      if (!found || hop.length > found.hop.length) found = {hop, next};
    });
    if (!found) return null;
    const {hop, next} = found;
    const why = !next ?
        [] :
        next.begin === null ?
        [`its cause: ${formatNumber(next.time, 's')} more in ${endOfPath(next.path || NO_CALL)} of ${
            locationName(next.location, this.run.locations)}`] :
        [`waits for ${locationName(next.location, this.run.locations)}, which itself waits: ${next.title}`];
    return [`${hop.title}, ${formatNumber(hop.length, 's')}, in ${endOfPath(hop.path || NO_CALL)}`, ...why];
  }
}

/* What there is to draw over the lanes: [[key, title, marks]]. */
function marksOfRun(run) {
  const {results} = run;
  const path = results.first('critical_path', 'over_time'), chains = results.first('root_cause', 'chains');
  return [
    ...(path && path.has('time') ? [['path', 'critical path', new PathMarks(path)]] : []),
    ...(chains && chains.has('length') ? [['chains', 'causes of the longest waits', new ChainMarks(chains, run)]] : [])
  ];
}
