/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the view means for the rows of a table, how cells select, and the bar that says what is selected. */

/* ---------------------------------------------------------------------------------------------------------- rows -- */

const BEGINS = /^(from|from_s|begin|begin_s|start|start_s|sent_s)$/;
const ENDS = /^(to|to_s|end|end_s|received_s)$/;
const LENGTHS = /^(width|duration|length|waiting_s)$/;
const OF_PROCESSES = /^(process|sender|receiver|cause_process|which)$/;

/* Columns with names of processes. */
function processColumns(table) {
  return table.columns.filter(c => c.type === 'text' && OF_PROCESSES.test(c.name));
}

/* Columns with ids of locations. */
function locationColumns(table) {
  return table.columns.filter(hasLocations);
}

/* Does a row lie in the range of time? null: its table has no times, or all of them are shown. */
function timeOfRows(table) {
  const inSeconds = pattern => table.columns.find(c => c.unit === 's' && c.numeric && pattern.test(c.name));
  const begin = inSeconds(BEGINS), end = inSeconds(ENDS), length = inSeconds(LENGTHS);
  if (!view.range || !begin || (!end && !length)) return null;
  const [from, to] = view.range;
  return i => {
    const at = begin.values[i], until = end ? end.values[i] : at + length.values[i];
    return at !== null && at < to && (until === null ? at : until) >= from;
  };
}

/* The tests of a row that what is selected makes in this table: a row is selected that passes all. */
function testsOfRows(table) {
  const tests = [], {region, processes: names, message, state} = view;
  const regionColumn = table.column('region'), path = table.column('call_path') || table.column('callpath');
  if (region && regionColumn && regionColumn.type === 'text')
    tests.push(i => (regionColumn.values[i] || '').trim() === region);
  else if (region && path)
    tests.push(i => (path.values[i] || '').split('/').some(name => name.trim() === region));
  const kind = table.column('class');
  if (state && kind && kind.type === 'text') tests.push(i => familyOf(kind.values[i] || '')[0] === state);
  const ends = table.has('sender', 'receiver') ? ['sender', 'receiver'].map(name => table.values(name)) : null;
  if (message && ends) tests.push(i => ends[0][i] === message[0] && ends[1][i] === message[1]);
  const named = processColumns(table), placed = locationColumns(table);
  if (names.length && named.length)
    tests.push(i => named.some(c => names.includes(c.values[i])));
  else if (names.length && placed.length)
    tests.push(i => placed.some(c => names.includes((locations.get(String(c.values[i])) || {}).process)));
  return tests;
}

/* Is a row selected? null: nothing that this table has is. */
function selectionOfRows(table) {
  const tests = testsOfRows(table);
  return tests.length ? i => tests.every(test => test(i)) : null;
}

/* What a cell selects: [what, name]; null: nothing. */
function linkOf(table, column, row) {
  const value = column.values[row];
  if (value === null || value === '') return null;
  if (column.name === 'region' && column.type === 'text') return ['region', value.trim()];
  if (/^call_?path$/.test(column.name)) return ['region', value.split('/').pop().trim()];
  if (column.type === 'text' && OF_PROCESSES.test(column.name) && processes.has(value)) return ['process', value];
  const at = hasLocations(column) ? locations.get(String(value)) : null;
  return at && at.process ? ['process', at.process] : null;
}

function selectLink([what, name]) {
  if (what === 'process')
    setView({processes: toggled(view.processes, name)});
  else
    setView({region: view.region === name ? null : name});
}

/* Selects what the row has: the pair of a message, else a process, else a region. */
function selectRow(table, row) {
  if (table.has('sender', 'receiver')) {
    const pair = ['sender', 'receiver'].map(name => table.values(name)[row]);
    return setView({message: view.message && view.message.join() === pair.join() ? null : pair});
  }
  const links = table.columns.map(c => linkOf(table, c, row)).filter(l => l);
  const link = links.find(l => l[0] === 'process') || links[0];
  if (link) selectLink(link);
}

/* --------------------------------------------------------------------------------------------------------- bar -- */

/* What is selected: [text, changes that undo it]. */
function selectionParts() {
  const parts = [], {range: time} = view;
  if (time)
    parts.push([`${formatTimes(...time).join(' to ')} (${formatNumber(time[1] - time[0], 's')})`, {range: null}]);
  if (view.region)
    parts.push([`region ${view.region}`, {region: null, colors: view.colors === 'one' ? null : view.colors}]);
  if (view.state) parts.push([(FAMILIES.find(f => f[0] === view.state) || OTHER_FAMILY)[2], {state: null}]);
  if (view.message) parts.push([`messages ${view.message.join(' → ')}`, {message: null}]);
  const {processes: names} = view;
  if (names.length > 4)
    parts.push([plural(names.length, 'process', 'processes'), {processes: []}]);
  else
    names.forEach(name => parts.push([name, {processes: toggled(names, name)}]));
  return parts;
}

function showSelection() {
  const bar = document.getElementById('selection'), parts = selectionParts();
  bar.hidden = parts.length === 0;
  fillSelection(bar, parts);
  document.documentElement.style.setProperty('--head', `${document.getElementById('top').offsetHeight}px`);
}

function fillSelection(bar, parts) {
  if (bar.hidden) return void clear(bar);
  const isNamed = view.region || view.state || view.message || view.processes.length;
  refill(
      bar, element('span', {class: 'what'}, 'Selected:'),
      element(
          'ul', null,
          ...parts.map(
              ([text, undo]) => element(
                  'li', null,
                  element(
                      'button',
                      {type: 'button', class: 'chip', 'aria-label': `No longer ${text}`, onclick: () => setView(undo)},
                      text, ' ✕')))),
      isNamed ? checkbox(
                    'only this', view.only === 'yes', on => setView({only: on ? 'yes' : null}),
                    'Tables and the timeline leave out what is not selected; else they mark what is') :
                '',
      element(
          'button', {
            type: 'button',
            onclick: () => setView({range: null, region: null, state: null, message: null, processes: [], only: null})
          },
          'Select nothing'));
}
watch(showSelection);

/* All tables follow. */
watch(changes => {
  if (!['range', 'region', 'state', 'processes', 'message', 'only'].some(key => key in changes)) return;
  grids.forEach(g => {
    if (g.element.isConnected && g.isShown()) g.followView();
  });
});
