/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Views of any table, also of filters that this page doesn't know: a table that opens on demand, with a chart where a
 * column is a time or a step. */

const X_NAMES = [
  'from', 'from_s', 'begin', 'begin_s', 'start', 'start_s', 'time', 'time_s', 'step', 'from_step', 'logical_step',
  'iteration'
];
const NOT_DRAWN = /^(to|to_s|end|end_s|width|length|steps|depth)$/;
const MOST_LINES = 256;

/* The values of the first of these columns, in seconds; null: there is none. */
function seconds(table, ...names) {
  for (const name of names) {
    const c = table.column(name);
    if (!c) continue;
    const perTick = c.unit === 'ticks' ? 1 / ticksPerSecond() : 1;
    return c.values.map(v => v === null ? null : Number(v) * perTick);
  }
  return null;
}

function distinct(c) {
  return new Set(c.values).size;
}

/* Columns with repeated names, but for the axis: together they identify the lines of a chart. */
function keysOf(table, axis) {
  return table.columns
      .filter(c => c !== axis && !c.detail && (c.type === 'text' || isIdentifier(c)) && !X_NAMES.includes(c.name))
      .filter(c => distinct(c) > 1 && distinct(c) < table.n);
}

function keyOfRow(keys, i) {
  return keys.map(c => c.values[i]).join(', ');
}

/* Do the values rise within each line? */
function rises(table, axis) {
  const keys = keysOf(table, axis), last = new Map();
  for (let i = 0; i < table.n; i++) {
    const key = keyOfRow(keys, i), value = axis.values[i];
    if (value === null || (last.has(key) && Number(value) <= last.get(key))) return false;
    last.set(key, Number(value));
  }
  return table.n >= last.size * 2;
}

/* The column that can be a chart's axis, a time or a step; null: there is none. */
function axisOf(table) {
  if (table.n < 3) return null;
  return X_NAMES.map(name => table.column(name))
             .find(
                 c => c && c.numeric && !c.detail && distinct(c) >= 3 &&
                     (c.unit === 's' || c.unit === 'ticks' || /step|iteration/.test(c.name)) && rises(table, c)) ||
      null;
}

/* The columns worth a line: times first, then other fractions. */
function valuesOf(table, axis) {
  const found =
      table.columns.filter(c => c.numeric && c !== axis && !c.detail && !isIdentifier(c) && !NOT_DRAWN.test(c.name));
  const rank = c => c.unit === 's' ? 0 : c.type === 'double' ? 1 : 2;
  return found.sort((a, b) => rank(a) - rank(b));
}

/* Lines of one column over the axis, from the rows where column `only` has its value; null: from all rows. */
function linesOf(table, axis, column, only) {
  const keys = keysOf(table, axis).filter(c => !only || c !== only.column), lines = new Map();
  const isTime = axis.unit === 's' || axis.unit === 'ticks',
        x = isTime ? seconds(table, axis.name) : axis.values.map(Number);
  const origin = axis.unit === 'ticks' ? extremes(x)[0] : 0;
  for (let i = 0; i < table.n; i++) {
    if (only && only.column.values[i] !== only.value) continue;
    const key = keyOfRow(keys, i);
    const line = entry(lines, key, () => ({name: key || words(column.name), x: [], y: []}));
    line.x.push(x[i] - origin);
    line.y.push(column.values[i] === null ? null : Number(column.values[i]));
  }
  return [...lines.values()].map((l, k) => ({...l, color: () => themeColor(`--c${k % OWN_COLORS}`)}));
}

/* A chart of a table's numeric columns over its axis; null: it has none. With a column `metric` the chart shows one
 * metric at a time. */
function genericChart(table) {
  const axis = axisOf(table), values = axis ? valuesOf(table, axis) : [];
  if (!values.length) return null;
  const metric = keysOf(table, axis).find(c => c.name === 'metric'), box = element('div'),
        chosen = {column: values[0], only: null};
  const draw = () => {
    const {column, only} = chosen, lines = linesOf(table, axis, column, only);
    const unit = only ? unitOf(table, column, only.column.values.indexOf(only.value)) : column.unit;
    const plot = linePlot(lines.slice(0, MOST_LINES), {
      label: `${words(column.name)} over ${words(axis.name)}`,
      xTitle: words(axis.name),
      yTitle: words(column.name),
      xUnit: axis.unit === 'ticks' ? 's' : axis.unit,
      yUnit: unit,
      time: axis.unit === 's' && X_NAMES.indexOf(axis.name) < X_NAMES.indexOf('step'),
      zero: true
    });
    clear(box);
    if (lines.length > 1 && lines.length <= 12) box.append(legend(lines));
    box.append(plot.element);
    if (lines.length > MOST_LINES)
      box.append(notice(`The chart has the first ${MOST_LINES} of ${grouped.format(lines.length)} lines.`));
  };
  const tools = toolbar(choice('Chart of', values.map((c, i) => [String(i), words(c.name)]), i => {
    chosen.column = values[Number(i)];
    draw();
  }));
  if (metric) {
    const all = [...new Set(metric.values)];
    chosen.only = {column: metric, value: all[0]};
    tools.append(choice('of', all.map((name, i) => [String(i), name === null ? NONE : name]), i => {
      chosen.only = {column: metric, value: all[Number(i)]};
      draw();
    }));
  }
  draw();
  return element('div', null, tools, box);
}

/* A table behind its title; opening it makes it and its chart. */
function tableDetails(table, open) {
  table.shown = true;
  const e = element(
      'details', {class: 'table', dataset: {table: table.id, place: table.place}},
      element(
          'summary', null, element('span', {class: 'title'}, table.title),
          element('span', {class: 'origin'}, `${table.id} · ${plural(table.total, 'row')}`)));
  let made = false;
  /* Makes what it holds, when it opens; a toggle is told of only later. */
  e.fill = () => {
    if (made) return;
    made = true;
    const chart = genericChart(table);
    if (chart) e.append(chart);
    e.append(new Grid(table).element);
  };
  e.addEventListener('toggle', () => {
    if (e.open) e.fill();
  });
  e.open = Boolean(open);
  return e;
}

/* A list of tables to open. */
function tableList(tables) {
  const found = tables.filter(t => t && t.columns.length > 0 && (t.n > 0 || t.total > 0) && !t.main);
  return found.length ? element('div', {class: 'tables'}, ...found.map(t => tableDetails(t))) : null;
}

/* Calls make(instance, box) for each instance that has the table; with a heading where there are several. */
function eachInstance(panel, filter, name, make) {
  const instances = results.instances(filter).filter(i => !name || (i.table(name) && i.table(name).n > 0));
  for (const i of instances) {
    const box = element('div', {class: 'instance'});
    if (instances.length > 1) box.append(subheading(i.name));
    panel.append(box);
    make(i, box);
  }
}

function tablesOf(...filters) {
  return filters.flatMap(f => results.instances(f)).flatMap(i => i.tables);
}
