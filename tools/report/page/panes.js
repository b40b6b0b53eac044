/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Three panes, as in Cube: metrics, the call tree with the values of the one that is chosen, and the processes with the
 * values of the call path that is chosen. */

/* A table that is made here: columns are [name, type, unit, help, values, title], without title the name. */
function madeTable(name, title, columns) {
  const texts = [], made = columns.map(([column, type, unit, help, values, heading]) => ({
                                         name: column,
                                         title: heading,
                                         type,
                                         unit,
                                         help,
                                         detail: 0,
                                         values: type === 'text' ? values.map(v => texts.push(v) - 1) : values
                                       }));
  const n = made[0].values.length;
  return new Table(
      {place: 'view', instance: 'view', filter: null, name, title, n_rows: n, rows: n, columns: made}, texts);
}

/* The call paths of all locations as one tree: {names, parents, of: path -> row}, depth first. */
class CallPaths {
  constructor() {
    this.names = [];
    this.parents = [];
    this.of = new Map();
  }

  row(path, name, parent) {
    return entry(this.of, path, () => {
      this.parents.push(parent);
      return this.names.push(name) - 1;
    });
  }

  /* Of a path as other filters write it. */
  find(path) {
    if (this.of.has(path)) return this.of.get(path);
    let parent = -1, whole = '';
    for (const name of path.split('/')) {
      whole = whole ? `${whole}/${name}` : name;
      parent = this.row(whole, name, parent);
    }
    return parent;
  }
}

/* Values of a metric by call path and location: [{title, unit, help, values: [[row of the path, location, value]]}]. */
function metricsOfPanes(profileTable, paths) {
  const t = profileTable, [location, depth, name] = ['location', 'depth', 'call_path'].map(c => t.values(c));
  const parents = [], whole = [];
  let first = 0;
  for (let i = 1; i <= t.n; i++) {
    if (i < t.n && location[i] === location[first]) continue;
    parentsByDepth(depth.slice(first, i)).forEach(p => parents.push(p < 0 ? -1 : p + first));
    first = i;
  }
  const rows = range(t.n).map(i => {
    const own = (name[i] || '').trim(), parent = parents[i];
    whole.push(parent < 0 ? own : `${whole[parent]}/${own}`);
    return paths.row(whole[i], own, parent < 0 ? -1 : paths.of.get(whole[parent]));
  });
  const metric = (title, column) => ({
    title,
    unit: t.column(column).unit,
    help: t.column(column).help,
    values: range(t.n).map(i => [rows[i], String(location[i]), Number(t.values(column)[i])])
  });
  const found = [metric('Time', 'exclusive'), metric('Visits', 'visits')];
  for (const i of results.instances('wait_states')) {
    const by = i.table('locations'), patterns = i.table('patterns');
    if (!by || !by.n || !patterns || !by.has('pattern', 'location', 'call_path', 'time')) continue;
    const titles = patternTitles(patterns), groups = new Map();
    range(by.n).forEach(k => entry(groups, by.values('pattern')[k], () => []).push([
      paths.find(by.values('call_path')[k] || NO_CALL), String(by.values('location')[k]), by.values('time')[k]
    ]));
    for (const [pattern, values] of groups) {
      const at = patterns.values('pattern').indexOf(pattern);
      found.push({
        title: titles.get(pattern) || pattern,
        unit: 's',
        values,
        help: at >= 0 && patterns.has('help') ? patterns.values('help')[at] : ''
      });
    }
  }
  return found;
}

/* Sums of the values below each row of a tree whose parents stand in front. */
function withBelow(values, parents) {
  const sums = [...values];
  for (let i = sums.length - 1; i >= 0; i--)
    if (parents[i] >= 0) sums[parents[i]] += sums[i];
  return sums;
}

/* The tree of nodes, processes and locations: {names, parents, of: location -> row}. */
function systemTree(locationIds) {
  const names = [], parents = [], of = new Map(), groups = new Map(), nodes = nodesOfProcesses();
  const row = (key, name, parent) => entry(groups, key, () => {
    parents.push(parent);
    return names.push(name) - 1;
  });
  const sorted = [...locationIds].sort((a, b) => locationPlace(a) - locationPlace(b));
  for (const id of sorted) {
    const known = locations.get(id) || {}, process = known.process || '';
    const node = nodes.size ? row(`node ${nodes.get(process)}`, nodes.get(process) || 'unknown node', -1) : -1;
    const group = process ? row(`process ${process}`, process, node) : node;
    of.set(id, row(`location ${id}`, locationName(id), group));
  }
  return {names, parents, of};
}

/* The node of each process, where `activity` knows it. */
function nodesOfProcesses() {
  const t = results.first('activity', 'rows'), found = new Map();
  if (t && t.has('process', 'node') && new Set(t.values('node')).size > 1)
    t.values('process').forEach((p, i) => found.set(p, t.values('node')[i]));
  return found;
}

function panes(i, box) {
  const t = i.table('calltree_by_location');
  if (!t.has('location', 'depth', 'call_path', 'exclusive', 'visits')) return;
  const paths = new CallPaths(), metrics = metricsOfPanes(t, paths);
  const system = systemTree(new Set(metrics.flatMap(m => m.values.map(v => v[1]))));
  const second = element('div'), third = element('div'), isBelow = (row, top) => {
    while (row > top) row = paths.parents[row];
    return row === top;
  };
  const showSystem = (metric, path) => {
    const own = new Array(system.names.length).fill(0);
    for (const [row, location, value] of metric.values)
      if (isBelow(row, path)) own[system.of.get(location)] += value;
    const table = madeTable('system', 'Processes', [
      ['place', 'text', null, 'Node, process or location', system.names],
      ['value', 'double', metric.unit, metric.help, withBelow(own, system.parents)]
    ]);
    clear(third).append(
        element('p', {class: 'hint', role: 'status'}, `${metric.title} in ${paths.names[path]} and what it calls`),
        new Grid(table, {label: 'Values by process', parents: system.parents, bars: ['value'], height: 16}).element);
  };
  const showPaths = metric => {
    const own = new Array(paths.names.length).fill(0);
    for (const [row, , value] of metric.values) own[row] += value;
    const table = madeTable('call_paths', 'Call paths', [
      ['call_path', 'text', null, 'What is called', paths.names],
      ['with_calls', 'double', metric.unit, `${metric.help}; with what is called`, withBelow(own, paths.parents)],
      ['itself', 'double', metric.unit, metric.help, own]
    ]);
    const grid = new Grid(table, {
      label: 'Values by call path',
      parents: paths.parents,
      bars: ['with_calls'],
      height: 16,
      colors: row => regions.color(paths.names[row]),
      onselect: row => showSystem(metric, row)
    });
    clear(second).append(element('p', {class: 'hint', role: 'status'}, metric.title), grid.element);
    grid.select(0);
  };
  const table = madeTable('metrics', 'Metrics', [
    ['metric', 'text', null, 'What is summed', metrics.map(m => m.title)],
    ['total', 'double', null, 'Of all locations', metrics.map(m => sum(m.values, v => v[2]))],
    ['unit', 'text', null, 'Of the total', metrics.map(m => m.unit || '')]
  ]);
  const first = new Grid(
      table, {label: 'Metrics', height: 16, columns: ['metric', 'total'], onselect: row => showPaths(metrics[row])});
  const note = cutNotice(t);
  box.append(
      subheading(
          'Metrics, call paths, processes',
          'A chosen metric is shown by call path, a chosen call path by process; rows contain what stands below them'),
      note || '',
      element(
          'div', {class: 'panes'}, element('div', null, element('p', {class: 'hint'}, 'Metric'), first.element), second,
          third));
  first.select(0);
}
