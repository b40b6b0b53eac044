/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Errors of the clocks, and the corrections of events. */

const CLOCK_FILTERS =
    ['clock_report', 'clock_estimate', 'mu_estimate', 'presync', 'clc_forward', 'clc_backward', 'skew'];

/* Lines of the mean correction of each location. */
function correctionSeries(t) {
  const from = seconds(t, 'from'), length = seconds(t, 'length'), origin = extremes(from)[0], of = new Map();
  const [location, mean, low, high] = ['location', 'mean', 'min', 'max'].map(name => t.values(name));
  for (let i = 0; i < t.n; i++) {
    const s = entry(of, location[i], () => ({name: locationName(location[i]), x: [], y: [], low: [], high: []}));
    s.x.push(from[i] - origin + length[i] / 2);
    s.y.push(mean[i]);
    s.low.push(low[i]);
    s.high.push(high[i]);
  }
  return [...of.values()].map((s, k) => ({...s, color: () => themeColor(`--c${k % OWN_COLORS}`)}));
}

/* The changes of a line since its first bin. */
function relative(s) {
  const by = values => values.map(v => v - s.y[0]);
  return {...s, y: by(s.y), low: by(s.low), high: by(s.high)};
}

function corrections(t, box) {
  const series = correctionSeries(t), place = element('div');
  const draw = change => {
    const shown = change ? series.map(relative) : series;
    const plot = linePlot(shown, {
      label: 'Corrections of the clocks over time',
      height: 300,
      xTitle: 'time since the first event',
      xUnit: 's',
      yTitle: change ? 'change of the correction' : 'correction',
      yUnit: 's'
    });
    clear(place).append(plot.element);
  };
  box.append(
      subheading(
          'Corrections over time',
          'By how much the events of a location were moved, on average in a bin of time; the band goes from ' +
              'the least to the most'),
      toolbar(
          checkbox(
              'Changes only', true, draw,
              'Relative to the first bin of each location, without the constant part, which hides all else'),
          series.length <= 12 ? legend(series) : null),
      place);
  draw(true);
}

/* What the correction has changed, and how far times may still be off. */
function clockVerdict(verdict, uncertainty) {
  const rows = new Map(verdict.rows().map(r => [r.finding, r]));
  const of = (finding, column) => formatNumber(rows.has(finding) ? rows.get(finding)[column] : null);
  const left = uncertainty ? uncertainty.rows().map(r => `${formatNumber(r.amount, 's')} of ${r.of}`).join(', ') : '';
  return `Violations of the clock condition: ${of('clock_violations', 'before')} before, ${
      of('clock_violations', 'after')} after; ${of('moved', 'after')} of ${of('events', 'after')} events moved; ${
      left ? `residual uncertainty: ±${left}` : 'residual uncertainty of the clocks: not known'}`;
}

function clocksOf(i, box) {
  const verdict = i.table('verdict'), violations = i.table('violations'), over = i.table('corrections');
  if (verdict && verdict.has('finding', 'before', 'after'))
    box.append(element('p', {class: 'verdict'}, clockVerdict(verdict, i.table('uncertainty'))));
  if (violations && violations.n)
    box.append(
        subheading(
            'Violations of the clock condition',
            'Events that come before something that they depend on, as a receive before its send'),
        new Grid(violations, {
          label: 'Violations by class',
          height: 12,
          bars: ['violated_before', 'violated_after'],
          columns: ['class', 'targets', 'violated_before', 'largest_before', 'violated_after', 'largest_after']
        }).element);
  if (over && over.n && over.has('location', 'from', 'length', 'mean', 'min', 'max')) corrections(over, box);
}

function estimatedClocks(i, box) {
  box.append(
      subheading('Estimated clocks', 'What messages and collectives show about the clock of each location'),
      new Grid(
          i.table('clocks'), {label: 'Clocks of the locations', height: 10, bars: ['error', 'likely_error', 'rms']})
          .element);
}
