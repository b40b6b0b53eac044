/* What works for any table, of filters that this page knows nothing of too: a table that opens when it is asked for, and
 * a chart where a column is a time or a step. */

const X_NAMES = ['from', 'from_s', 'begin', 'begin_s', 'start', 'start_s', 'time', 'time_s', 'step', 'from_step', 'logical_step', 'iteration'];
const NOT_DRAWN = /^(to|to_s|end|end_s|width|length|.*_ticks|depth|rows?)$/;
const MOST_LINES = 256;

/* Seconds of a column, whatever it counts in; null: it is not there. */
function seconds(table, ...names) {
  for (const name of names) {
    const c = table.column(name);
    if (!c) continue;
    const perTick = c.unit === 'ticks' ? 1 / ticksPerSecond() : 1;
    return c.values.map(v => v === null ? null : Number(v) * perTick);
  }
  return null;
}

/* The column along which a table can be drawn: numbers that rise again and again, or once; null: there is none. */
function axisOf(table) {
  if (table.n < 3) return null;
  for (const name of X_NAMES) {
    const c = table.column(name);
    if (!c || !c.numeric || c.detail) continue;
    if (!['s', 'ticks'].includes(c.unit) && !/step|iteration/.test(name)) continue;
    const key = groupOf(table, c), last = new Map();
    let rising = 0, distinct = new Set();
    for (let i = 0; i < table.n; i++) {
      const group = key ? key.values[i] : null, value = c.values[i];
      if (value === null) return null;
      if (last.has(group) && Number(value) < last.get(group)) return null;
      if (last.has(group) && Number(value) > last.get(group)) rising++;
      last.set(group, Number(value));
      distinct.add(value);
    }
    if (rising >= 2 && distinct.size >= 3) return c;
  }
  return null;
}

/* What tells the lines of a chart apart: the first column of names that come again; null: it is one line. */
function groupOf(table, axis) {
  const names = table.columns.filter(c => c !== axis && !c.detail && (c.type === 'text' || isIdentifier(c)) && !X_NAMES.includes(c.name));
  return names.find(c => {
    const distinct = new Set(c.values).size;
    return distinct > 1 && distinct < table.n;
  }) || null;
}

/* Lines of the numeric columns of a table over its axis. */
function genericChart(table) {
  const axis = axisOf(table);
  if (!axis) return null;
  const values = table.columns.filter(c => c.numeric && c !== axis && !c.detail && !isIdentifier(c) && !NOT_DRAWN.test(c.name));
  if (!values.length) return null;
  const group = groupOf(table, axis), box = element('div');
  const isTime = axis.unit === 's' || axis.unit === 'ticks';
  const x = isTime ? seconds(table, axis.name) : axis.values.map(Number);
  const origin = axis.unit === 'ticks' ? d3.min(x) : 0;
  const draw = column => {
    const groups = new Map();
    for (let i = 0; i < table.n; i++) {
      const key = group ? group.values[i] : column.name;
      if (!groups.has(key)) groups.set(key, {x: [], y: []});
      groups.get(key).x.push(x[i] - origin);
      groups.get(key).y.push(column.values[i] === null ? null : Number(column.values[i]));
    }
    const all = [...groups.entries()];
    const series = all.slice(0, MOST_LINES).map(([key, data], i) =>
      ({name: group ? `${words(group.name)} ${key}` : words(column.name), color: () => themeColor(`--c${i % OWN_COLORS}`), ...data}));
    const plot = linePlot(series, {label: `${words(column.name)} over ${words(axis.name)}`, xTitle: words(axis.name), yTitle: words(column.name),
                                   xUnit: isTime ? 's' : null, yUnit: column.unit, zero: true});
    clear(box).append(plot.element);
    if (all.length > MOST_LINES) box.append(notice(`The chart has the first ${MOST_LINES} of ${grouped.format(all.length)} lines.`));
  };
  const select = choice('Chart of', values.map((c, i) => [String(i), words(c.name)]), i => draw(values[Number(i)]));
  draw(values[0]);
  return element('div', null, element('div', {class: 'tools'}, select), box);
}

/* A table behind its title; it and its chart are made when it is opened. */
function tableDetails(table, open) {
  table.shown = true;
  const e = element('details', {class: 'table', dataset: {table: table.id, place: table.place}},
                    element('summary', null, element('span', {class: 'title'}, table.title),
                            element('span', {class: 'origin'}, `${table.id} · ${plural(table.total, 'row')}`)));
  let made = false;
  e.addEventListener('toggle', () => {
    if (!e.open || made) return;
    made = true;
    const chart = genericChart(table);
    if (chart) e.append(chart);
    e.append(new Grid(table).element);
  });
  e.open = Boolean(open);
  return e;
}

/* All tables of some instances, for reading on. */
function tableList(tables) {
  const found = tables.filter(t => t && t.columns.length > 0);
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
