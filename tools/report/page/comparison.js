/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What changed from one run to another: the sentences and tables of tcflow-diff, and efficiencies, diagnosis and
 * timelines of both. */

/* A table of tcflow-diff: rows of cells. Columns without a name say what a change is worth. */
function changeTable({name, title, columns, rows}) {
  const types = {text: 'text', whole: 'uint'}, texts = [];
  const named = c => c.name || 'mark', unit = c => c.unit || (c.kind === 'percent' ? '%' : null);
  return new Table(
      {
        place: 'comparison',
        instance: 'comparison',
        filter: null,
        name,
        title,
        n_rows: rows.length,
        rows: rows.length,
        columns: columns.map((c, i) => {
          const type = types[c.kind] || 'double', cells = rows.map(row => row[i]);
          return {
            name: named(c),
            title: labels.includes(c.name) ? c.name : null,
            type,
            unit: unit(c),
            help: c.help,
            detail: 0,
            values: type === 'text' ? cells.map(v => v === null ? null : texts.push(v) - 1) : cells
          };
        })
      },
      texts);
}

function changeTables() {
  return [...document.querySelectorAll('script.table')].map(e => changeTable(JSON.parse(e.textContent)));
}

/* Efficiencies of both runs: those of the program without its start and end, where they are known. */
function efficienciesOfBoth() {
  const rows = runs.map(run => {
    const t = run.results.first('efficiency', 'efficiency'), scopes = t && t.values('scope');
    return t && {table: t, row: scopes ? Math.max(0, scopes.indexOf('program')) : 0};
  });
  if (rows.some(r => !r)) return null;
  const columns = efficiencyColumns(...rows.map(r => r.table)).filter(c => rows[1].table.has(c.name));
  const of = k => columns.map(c => rows[k].table.values(c.name)[rows[k].row]);
  const [before, after] = [of(0), of(1)];
  return madeTable('efficiencies', 'Efficiencies of both runs', [
    [
      'efficiency', 'text', null, 'Shares of the processes\' time, without MPI_Init and MPI_Finalize',
      columns.map(c => words(c.name))
    ],
    ['before', 'double', '%', `Of ${runs[0].label}`, before, runs[0].label],
    ['after', 'double', '%', `Of ${runs[1].label}`, after, runs[1].label],
    [
      'change', 'double', '%', 'In points of percent',
      after.map((v, i) => v === null || before[i] === null ? null : v - before[i])
    ]
  ]);
}

function diagnosisOfBoth() {
  return element('div', {class: 'both'}, ...runs.map((run, i) => {
    const t = run.results.tables.find(v => v.name === 'diagnosis' && v.n > 0);
    return element(
        'div', null, element('h4', null, run.label),
        ...(t ? diagnosisList(t, i === shownRun) :
                [element('p', {class: 'hint'}, 'No diagnosis: the run was made without.')]));
  }));
}

/* Both timelines over one range: that of the longer run. */
function timelinesOfBoth() {
  const both = runs.map(dataOfRun);
  if (both.some(d => !d)) return null;
  const whole = [Math.min(...both.map(d => d.from)), Math.max(...both.map(d => d.to))];
  return both.flatMap(data => [element('h4', null, data.run.label), runTimeline(data, whole)]);
}

function comparisonSection(panel) {
  const tables = changeTables(), sentences = tables.find(t => t.name === 'changes');
  const other = 1 - shownRun, efficiencies = efficienciesOfBoth(), timelines = timelinesOfBoth();
  if (sentences && sentences.n)
    panel.append(element(
        'ul', {class: 'changes'}, ...sentences.values('sentence').map(s => element('li', null, ...withCode(s)))));
  panel.append(element(
      'p', {class: 'hint'}, `The sections below are of ${runs[shownRun].label}. `,
      element(
          'button', {
            type: 'button',
            onclick: () => {
              view.run = other ? '2' : null;
              location.hash = addressOf(currentId);
            }
          },
          `Show those of ${runs[other].label}`)));
  if (efficiencies) panel.append(subheading('Efficiencies'), new Grid(efficiencies, {height: 8}).element);
  panel.append(subheading('Diagnosis'), diagnosisOfBoth());
  if (timelines)
    panel.append(subheading('Timelines', 'Both runs over one range of time, from the start of each'), ...timelines);
  const list = tableList(tables.filter(t => t !== sentences));
  if (list) panel.append(list);
}
