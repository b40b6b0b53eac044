/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The overview: what was analysed, how the run went, and what deserves a look. */

function runTiles(run) {
  const tiles =
      [['Duration', 'duration', 's'], ['Processes', 'processes'], ['Locations', 'locations'], ['Events', 'events']];
  return element('dl', {class: 'tiles'}, ...tiles.filter(t => run.has(t[1])).map(([title, name, unit]) => {
    const {values, help} = run.column(name);
    return element(
        'div', {class: 'tile', 'data-tip': help}, element('dt', null, title),
        element('dd', null, formatNumber(values[0], unit)));
  }));
}

function runFacts(run) {
  const facts = [
    ['Trace', 'input'], ['Written by', 'creator'], ['Machine', 'machine'], ['Trace id', 'trace_id'],
    ['Survey', 'survey'], ['Chain', 'chain'], ['Settings', 'settings'], ['Date', 'date'], ['tcflow', 'tcflow_version']
  ];
  facts.push(['Clock', 'ticks_per_second', 'Hz'], ['Analysed in', 'run_time', 's'], ['Memory', 'peak_memory', 'bytes']);
  const known = facts.filter(f => run.has(f[1]) && run.column(f[1]).values[0]);
  return element('dl', {class: 'facts'}, ...known.flatMap(([title, name, unit]) => {
    const {values, help} = run.column(name);
    return [
      element('dt', {'data-tip': help}, title), element('dd', null, unit ? formatNumber(values[0], unit) : values[0])
    ];
  }));
}

/* -------------------------------------------------------------------------------------------------------- health -- */

/* Findings are [level, text, section that shows it]. */
function healthOfRun(run) {
  const status = run.column('status').values[0];
  const known = {
    complete: ['good', 'the run is complete'],
    salvaged: ['warn', 'a part of the trace was lost: see the losses below'],
    failed: ['bad', 'not all filters ended: results are missing']
  };
  const [level, meaning] = known[status] || ['warn', ''];
  return [level, `${status}: ${meaning}`];
}

/* say(instance's name, sums of these columns) for each table of violations. */
function healthOfViolations(filter, columns, say) {
  return results.instances(filter)
      .map(i => [i.name, i.table('violations')])
      .filter(([, t]) => t && t.has(...columns))
      .map(([name, t]) => say(name, ...columns.map(c => sum(t.values(c)))));
}

function healthOfClocks() {
  const checked = healthOfViolations('check', ['violated', 'targets'], (name, bad, all) => {
    const which = `${bad ? grouped.format(bad) : 'none'} of ${plural(all, 'event')} that must follow others`;
    return [
      bad ? 'warn' : 'good', `${name}: ${which} ${bad > 1 ? 'violate' : 'violates'} the clock condition`, 'clocks'
    ];
  });
  const corrected = healthOfViolations('clock_report', ['violated_before', 'violated_after'], (name, before, after) => {
    const text = `${name}: ${plural(before, 'violation')} of the clock condition before the correction, ${
        grouped.format(after)} after it`;
    return [after ? 'bad' : 'good', text, 'clocks'];
  });
  return [...checked, ...corrected];
}

/* Findings, notes and limits: rows of name, count and meaning. */
function healthOfCounts() {
  const found = [];
  for (const t of results.tables) {
    const isVerdict = t.filter === 'check' && t.name === 'verdict';
    if (!(isVerdict || t.name === 'notes' || t.name === 'limits') || !t.has('count', 'meaning')) continue;
    t.values('count').forEach((n, k) => {
      if (!(Number(n) > 0) || (isVerdict && t.values('finding')[k] === 'clock_violations')) return;
      found.push(['warn', `${t.instance ? `${t.instance}: ` : ''}${formatNumber(n)} × ${t.values('meaning')[k]}`]);
    });
  }
  const losses = results.own('losses');
  if (losses && losses.total)
    found.push(['bad', `${plural(losses.total, 'location')} of a damaged trace could not be read to the end`]);
  for (const t of results.tables.filter(v => v.n < v.total))
    found.push(['warn', `${t.id}: ${grouped.format(t.n)} of ${plural(t.total, 'row')} are in this page`]);
  return found;
}

function healthList(findings) {
  const marks = {good: ['✓', 'good'], warn: ['!', 'worth a look'], bad: ['✗', 'bad']};
  return element('ul', {class: 'health'}, ...findings.map(([level, text, link]) => {
    const [mark, name] = marks[level];
    return element(
        'li', {class: level}, element('span', {class: 'mark', role: 'img', 'aria-label': name}, mark), ' ',
        link && document.getElementById(link) ? element('a', {href: `#${link}`}, text) : text);
  }));
}

/* ------------------------------------------------------------------------------------------------------- glances -- */

/* The row with the largest value of a column, among those that `take` allows. */
function largestRow(table, name, take) {
  let best = -1;
  const values = table.values(name);
  for (let i = 0; values && i < table.n; i++)
    if (values[i] !== null && (!take || take(i)) && (best < 0 || values[i] > values[best])) best = i;
  return best < 0 ? null : table.row(best);
}

/* A glance is [section, title, value, text]. */
function glanceAtProfile() {
  const t = results.first('profile', 'flat_profile'), top = t && largestRow(t, 'exclusive');
  return top && [
    'profile', 'Most time', formatNumber(top.share, '%'),
    `in ${top.region} itself (${formatNumber(top.exclusive, 's')})`
  ];
}

function glanceAtWaits() {
  const t = results.first('wait_states', 'patterns'), cp = results.first('wait_states', 'callpaths');
  if (!t || !cp || !t.has('pattern', 'parent', 'time', 'title', 'unit', 'longest')) return null;
  const waits = new Set(cp.values('pattern'));
  const top = largestRow(t, 'time', i => t.values('unit')[i] === 's' && waits.has(t.values('pattern')[i]));
  return top && top.time > 0 && [
    'waits', 'Most waiting', formatNumber(top.time, 's'),
    `${top.title.trim()}: sum of ${plural(top.count, 'wait')} on all locations, ${
        formatNumber(top.longest, 's')} at most`
  ];
}

function glanceAtCriticalPath() {
  const t = results.first('critical_path', 'callpaths'), top = t && largestRow(t, 'time');
  return top && [
    'waits', 'On the critical path', formatNumber(top.share, '%'),
    `is ${top.call_path ? endOfPath(top.call_path) : NO_CALL}`
  ];
}

function glanceAtImbalance() {
  const t = results.first('load_imbalance', 'load_imbalance');
  if (!t || !t.has('max', 'mean', 'region', 'imbalance')) return null;
  const rows = t.rows(), excess = rows.map(r => r.max - r.mean), most = extremes(excess)[1];
  if (!(most > 0)) return null;
  const worst = rows[excess.indexOf(most)];
  return [
    'imbalance', 'Least balanced', `× ${digits(worst.imbalance)}`,
    `${worst.region}: ${formatNumber(worst.max - worst.mean, 's')} more in one process than on average`
  ];
}

function glanceAtMessages() {
  const t = results.first('comm_matrix', 'processes');
  if (!t || !t.has('sent')) return null;
  const n = sum(t.values('sent')),
        size = t.has('bytes_sent') ? formatNumber(sum(t.values('bytes_sent')), 'bytes') : 'sizes unknown';
  return n > 0 && ['matrix', 'Messages', size, `in ${plural(n, 'message')}`];
}

function glances() {
  const found = [
    glanceAtProfile(), glanceAtWaits(), glanceAtCriticalPath(), glanceAtImbalance(), glanceAtMessages()
  ].filter(g => g && document.getElementById(g[0]));
  if (!found.length) return null;
  return element('ul', {class: 'glances'}, ...found.map(([link, title, value, text]) => {
    const parts = [['title', title], ['value', value], ['text', text]];
    return element(
        'li', null,
        element('a', {href: `#${link}`}, ...parts.map(([name, shown]) => element('span', {class: name}, shown))));
  }));
}

/* ----------------------------------------------------------------------------------------------------- diagnosis -- */

/* A table by the name that a diagnosis has for it. */
function tableNamed(name) {
  return results.tables.find(t => [t.id, t.name, `${t.instance}_${t.name}`].includes(name)) || null;
}

/* The first row for which a condition like "pattern = 'a' AND rank = 3" holds; -1: there is none. */
function rowWhere(table, condition) {
  const wanted = [...(condition || '').matchAll(/(\w+) = (?:'((?:[^']|\'\')*)'|(-?[\d.e+]+))/g)]
                     .map(([, name, text,
                            number]) => [table.values(name), text === undefined ? number : text.replace(/''/g, '\'')])
                     .filter(([values]) => values);
  return wanted.length ? range(table.n).findIndex(i => wanted.every(([values, v]) => String(values[i]) === v)) : -1;
}

/* Goes to a table, and to the row that the condition names. */
function showEvidence(table, condition) {
  const e = [...document.querySelectorAll('details.table, .gridbox')].find(
      b => b.dataset.table === table.id && b.dataset.place === table.place);
  if (!e) return;
  if (e.matches('details')) {
    e.open = true;
    e.fill();
  }
  const box = e.matches('details') ? e.querySelector('.gridbox') : e, grid = [...grids].find(g => g.element === box);
  if (!grid) return;
  const at = grid.rows.indexOf(rowWhere(table, condition));
  grid.element.scrollIntoView({block: 'center'});
  grid.scroller.focus({preventScroll: true});
  if (at >= 0) grid.moveTo(at);
}

/* A text whose numbers stay with their units where lines break. */
function withAmounts(text) {
  return text.split(/(\d[\d.]* (?:%|[mun]?s|[KMGT]?i?B)(?![A-Za-z]))/)
      .map((part, i) => i % 2 ? element('span', {class: 'amount'}, part) : part);
}

/* A sentence in which names stand between backticks. */
function withCode(sentence) {
  return (sentence || '').split('`').flatMap((part, i) => i % 2 ? [element('code', null, part)] : withAmounts(part));
}

/* A table `diagnosis`: the verdict, which has rank 0, and the findings, the largest first; isShown: the page
 * has what they lead to. */
function diagnosisList(t, isShown = true) {
  const get = (name, i) => t.has(name) ? t.values(name)[i] : null, hasRank = t.has('rank');
  const order = range(t.n).sort((a, b) => Number(get('rank', a)) - Number(get('rank', b)) || a - b);
  const verdicts = order.filter(i => hasRank && Number(get('rank', i)) === 0),
        found = order.filter(i => !verdicts.includes(i));
  const isPercent = t.has('share') && t.column('share').unit === '%';
  const button = (text, onclick) => element('button', {type: 'button', onclick}, text);
  const actions = i => {
    if (!isShown) return [];
    const begin = get('begin_s', i), end = get('end_s', i), evidence = tableNamed(get('evidence_table', i));
    const timeline = document.querySelector('.run') || document.getElementById('time');
    return [
      begin !== null && end > begin && timeline ?
          button(
              'When',
              () => {
                setView({range: [begin, end]});
                (document.querySelector('.run') || timeline).scrollIntoView({block: 'nearest'});
              }) :
          null,
      evidence ? button('Evidence', () => showEvidence(evidence, get('evidence_key', i))) : null
    ];
  };
  const facts = i => {
    const cost = get('cost_s', i), share = get('share', i), who = get('processes', i);
    return [
      cost === null ? '' : formatNumber(cost, 's'),
      share === null ? '' : formatNumber(isPercent ? share : 100 * share, '%'), who ? `caused by ${who}` : '',
      get('uncertainty', i) || ''
    ].filter(f => f)
        .join(' · ');
  };
  return [
    ...verdicts.map(
        i => element(
            'p', {class: 'verdict'}, element('span', {class: 'sentence'}, ...withCode(get('sentence', i))), ' ',
            ...actions(i).filter(a => a))),
    element(
        'ol', {class: 'diagnosis'},
        ...found.map(
            i => element(
                'li', {dataset: {rule: get('rule', i) || ''}},
                element('span', {class: 'sentence'}, ...withCode(get('sentence', i))), ' ',
                ...actions(i).filter(a => a), element('div', {class: 'facts-line'}, ...withAmounts(facts(i))))))
  ];
}

/* The columns of efficiencies that say something: without accelerators the share of the time with them is 0 everywhere.
 */
function efficiencyColumns(...tables) {
  const says = c => c.name !== 'accelerator' || tables.some(t => t.has(c.name) && t.values(c.name).some(v => v > 0));
  return tables[0].columns.filter(c => c.unit === '%' && says(c));
}

/* Efficiencies: a row for each, a column for each scope. */
function efficiencyTable(t) {
  const columns = efficiencyColumns(t), scopes = t.values('scope') || range(t.n).map(String);
  return element(
      'table', {class: 'efficiencies', dataset: {table: t.id}, 'aria-label': t.title},
      element(
          'thead', null,
          element('tr', null, element('td'), ...scopes.map(name => element('th', {scope: 'col'}, name)))),
      element(
          'tbody', null,
          ...columns.map(
              c => element(
                  'tr', null, element('th', {scope: 'row', 'data-tip': c.help}, words(c.name)),
                  ...c.values.map(
                      (v, i) => element(
                          'td', {
                            class: v === null ? null : 'bar',
                            style: v === null ? null : `--bar-length:${clamped(v, 0, 100).toFixed(1)}`,
                            dataset: {column: c.name, row: i, ...(v === null ? {} : {value: v})}
                          },
                          formatNumber(v, '%')))))));
}

/* What is to be read first: the diagnosis or, without one, the largest numbers; efficiencies; the timeline. */
function overviewSection(panel) {
  const run = results.own('run'), named = name => results.tables.find(t => t.name === name && t.n > 0 && t.filter);
  const diagnosis = named('diagnosis'), efficiency = named('efficiency'), first = element('div');
  const findings = healthFindings(run).filter(([level]) => level !== 'good');
  const know = findings.length ?
      element(
          'p', {class: 'warn'}, element('span', {class: 'mark', role: 'img', 'aria-label': 'worth a look'}, '!'), ' ',
          element('a', {href: '#run'}, `${plural(findings.length, 'thing')} to know about this trace and run`)) :
      null;
  panel.append(element('div', {class: 'runline'}, run && run.n ? runTiles(run) : null, know));
  if (runs.length > 1) return; /* the comparison has the rest */
  const beside = efficiency ?
      element('div', null, subheading('Efficiencies', efficiency.title), efficiencyTable(efficiency)) :
      null;
  panel.append(element('div', {class: beside ? 'first beside' : 'first'}, first, beside));
  const g = glances();
  if (g && !diagnosis) first.append(subheading('At a glance'), g);
  const data = dataOfRun(runs[shownRun]);
  if (data)
    panel.append(
        subheading('Timeline of the run', 'What each location did; the marks above it are windows with single calls'),
        runTimeline(data));
  if (diagnosis) { /* last, since it leads to what is on the page */
    first.append(subheading('Diagnosis', diagnosis.title), ...diagnosisList(diagnosis));
  }
}

function healthFindings(run) {
  return [...(run && run.n ? [healthOfRun(run)] : []), ...healthOfClocks(), ...healthOfCounts()];
}

/* The last section: what was analysed, and how that went. */
function runSection(panel) {
  const run = results.own('run');
  panel.append(
      subheading('Health', 'Whether the trace is complete, its clocks agree, and which limits were reached'),
      healthList(healthFindings(run)));
  if (run && run.n) panel.append(subheading('The run'), runFacts(run));
  const list = tableList([...results.tables.filter(t => t.place === 'framework'), ...tablesOf('check')]);
  if (list) panel.append(list);
  const empty = results.tables.filter(t => t.n === 0 && t.total === 0 && t.columns.length && t.place !== 'framework');
  if (empty.length)
    panel.append(element('p', {class: 'hint'}, `Tables without rows: ${empty.map(t => t.id).join(', ')}.`));
}
