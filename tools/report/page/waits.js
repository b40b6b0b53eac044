/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Wait states, their root causes, and the critical path. */

/* The title of each pattern. */
function patternTitles(t) {
  return t && t.has('pattern', 'title') ?
      new Map(t.values('pattern').map((name, i) => [name, t.values('title')[i].trim()])) :
      new Map();
}

/* Rows of a table that belong to these patterns. */
function rowsOf(table, patterns) {
  return range(table.n).filter(i => patterns.has(table.values('pattern')[i]));
}

/* The names of a pattern and all its descendants. */
function withDescendants(names, parents, row) {
  const isBelow = i => i === row || (i >= 0 && isBelow(parents[i]));
  return new Set(names.filter((_, i) => isBelow(i)));
}

function waitPatterns(i, box) {
  const t = i.table('patterns'), units = t.values('unit');
  const rows = range(t.n).filter(k => !units || units[k] === 's');
  const parents = parentsByName(t.values('pattern'), t.values('parent') || t.values('pattern'));
  const callpaths = i.table('callpaths');
  const below = gridOf(callpaths, {
    label: 'Wait states by call path',
    bars: ['time'],
    sort: 'time',
    titles: {pattern: patternTitles(t)},
    columns: ['call_path', 'pattern', 'time', 'count', 'longest']
  });
  const heading = element('p', {class: 'hint', role: 'status'}, 'Choose a pattern to see its call paths.');
  box.append(
      subheading(
          'Times and wait states',
          'Each row is a part of the row that it stands below; times are summed over all locations'),
      new Grid(t, {
        label: 'Times and wait states',
        parents,
        rows,
        height: 20,
        bars: ['share'],
        columns: ['title', 'time', 'share', 'count', 'longest', 'help'],
        onselect: row => {
          if (!below) return;
          below.setRows(rowsOf(callpaths, withDescendants(t.values('pattern'), parents, row)));
          heading.textContent = `Call paths of: ${t.values('title')[row].trim()}`;
        }
      }).element);
  if (below) box.append(subheading('Wait states by call path'), heading, below.element);
}

function rootCauses(i, box) {
  const t = i.table('patterns'), causes = i.table('causes');
  const below = gridOf(causes, {
    label: 'Causes by call path',
    bars: ['short_term', 'long_term'],
    sort: 'short_term',
    titles: {pattern: patternTitles(t)},
    columns: ['call_path', 'pattern', 'short_term', 'long_term']
  });
  box.append(
      subheading(
          'Root causes',
          'The cost of delays, charged to the call paths that came late: short term for waits for them, long term for the ' +
              'waits that followed from these'),
      new Grid(t, {
        label: 'Costs of delays',
        bars: ['time'],
        sort: 'time',
        columns: ['title', 'time', 'waits', 'short_term', 'long_term', 'indirect', 'propagating', 'unknown'],
        onselect: row => {
          if (below) below.setRows(rowsOf(causes, new Set([t.values('pattern')[row]])));
        }
      }).element);
  if (below)
    box.append(
        element('p', {class: 'hint'}, 'The call paths that caused waits; choose a pattern above for those of one.'),
        below.element);
}

function criticalPath(i, box) {
  const path = i.table('path'), length = path && path.n ? path.row(0) : null;
  box.append(subheading(
      'Critical path',
      'The chain of computation and communication that decides how long the run takes: what is not on it can be ' +
          'made faster without any gain'));
  if (length && length.length === null) {
    box.append(element('p', null, 'It is unknown: the trace has no messages and collective operations.'));
    return;
  }
  if (length)
    box.append(element(
        'p', null,
        `It goes from ${formatNumber(length.begin, 's')} to ${formatNumber(length.end, 's')}, is ${
            formatNumber(length.length, 's')} long, and changes the location ${plural(length.changes, 'time')}.`));
  box.append(new Grid(i.table('callpaths'), {
               label: 'The critical path by call path',
               bars: ['share', 'imbalance_impact'],
               columns: ['call_path', 'time', 'share', 'imbalance', 'imbalance_impact', 'activity']
             }).element);
}
