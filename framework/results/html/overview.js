/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The overview: what was analysed, how the run went, and what deserves a look. */

function tile(name, value, help) {
  return element('div', {class: 'tile', 'data-tip': help}, element('dt', null, name), element('dd', null, value));
}

function runTiles(run) {
  const get = name => run.has(name) ? run.column(name).values[0] : null;
  const shown = (name, unit) => formatNumber(get(name), unit);
  const help = name => run.has(name) ? run.column(name).help : null;
  const tiles = [
    ['Duration', 'duration', 's'], ['Processes', 'processes'], ['Locations', 'locations'], ['Events', 'events'],
    ['Clock', 'ticks_per_second', 'Hz'], ['Analysed in', 'run_time', 's'], ['Memory', 'peak_memory', 'bytes']
  ];
  return element(
      'dl', {class: 'tiles'},
      ...tiles.filter(t => run.has(t[1])).map(([title, name, unit]) => tile(title, shown(name, unit), help(name))));
}

function runFacts(run) {
  const facts = [
    ['Trace', 'input'], ['Written by', 'creator'], ['Machine', 'machine'], ['Trace id', 'trace_id'],
    ['Survey', 'survey'], ['Chain', 'chain'], ['Settings', 'settings'], ['Date', 'date'], ['tcflow', 'tcflow_version']
  ];
  return element(
      'dl', {class: 'facts'},
      ...facts.filter(f => run.has(f[1]) && run.column(f[1]).values[0])
          .flatMap(
              ([title, name]) =>
                  [element('dt', {'data-tip': run.column(name).help}, title),
                   element('dd', null, run.column(name).values[0])]));
}

/* -------------------------------------------------------------------------------------------------------- health -- */

function healthOfRun(run) {
  const status = run.column('status').values[0];
  const meaning = {
    complete: 'the run is complete',
    salvaged: 'a part of the trace was lost: see the losses below',
    failed: 'not all filters ended: results are missing'
  };
  return {
    level: status === 'complete' ? 'good' :
        status === 'failed'      ? 'bad' :
                                   'warn',
    text: `${status}: ${meaning[status] || ''}`
  };
}

function healthOfClocks() {
  const found = [];
  for (const i of results.instances('check')) {
    const t = i.table('violations');
    if (!t || !t.has('violated', 'targets')) continue;
    const bad = d3.sum(t.values('violated')), all = d3.sum(t.values('targets'));
    found.push({
      level: bad ? 'warn' : 'good',
      link: 'clocks',
      text: `${i.name}: ${bad ? grouped.format(bad) : 'none'} of ${plural(all, 'event')} that must follow others ${
          bad > 1 ? 'violate' : 'violates'} the clock condition`
    });
  }
  for (const i of results.instances('clock_report')) {
    const t = i.table('violations');
    if (!t || !t.has('violated_before', 'violated_after')) continue;
    const before = d3.sum(t.values('violated_before')), after = d3.sum(t.values('violated_after'));
    found.push({
      level: after ? 'bad' : 'good',
      link: 'clocks',
      text: `${i.name}: ${plural(before, 'violation')} of the clock condition before the correction, ${
          grouped.format(after)} after it`
    });
  }
  return found;
}

/* Findings, notes and limits: rows of name, count and meaning. */
function healthOfCounts() {
  const found = [];
  for (const t of results.tables) {
    const isVerdict = t.filter === 'check' && t.name === 'verdict';
    if (!isVerdict && !['notes', 'limits'].includes(t.name)) continue;
    if (!t.has('count', 'meaning')) continue;
    t.values('count').forEach((n, k) => {
      if (!(Number(n) > 0) || (isVerdict && t.values('finding')[k] === 'clock_violations')) return;
      found.push({
        level: 'warn',
        text: `${t.instance ? `${t.instance}: ` : ''}${formatNumber(n)} × ${t.values('meaning')[k]}`
      });
    });
  }
  const losses = results.own('losses');
  if (losses && losses.total)
    found.push(
        {level: 'bad', text: `${plural(losses.total, 'location')} of a damaged trace could not be read to the end`});
  for (const t of results.tables)
    if (t.n < t.total)
      found.push(
          {level: 'warn', text: `${t.id}: ${grouped.format(t.n)} of ${plural(t.total, 'row')} are in this page`});
  return found;
}

function healthList(items) {
  const marks = {good: '✓', warn: '!', bad: '✗'}, names = {good: 'good', warn: 'worth a look', bad: 'bad'};
  return element(
      'ul', {class: 'health'},
      ...items.map(
          i => element(
              'li', {class: i.level},
              element('span', {class: 'mark', role: 'img', 'aria-label': names[i.level]}, marks[i.level]), ' ',
              i.link && document.getElementById(i.link) ? element('a', {href: `#${i.link}`}, i.text) : i.text)));
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

function glanceAtProfile() {
  const t = results.first('profile', 'flat_profile');
  const top = t && largestRow(t, 'exclusive');
  return top && {
    link: 'profile',
    title: 'Most time',
    value: `${formatNumber(top.share, '%')}`,
    text: `in ${top.region} itself (${formatNumber(top.exclusive, 's')})`
  };
}

function glanceAtWaits() {
  const t = results.first('wait_states', 'patterns');
  if (!t || !t.has('pattern', 'parent', 'time', 'title', 'unit')) return null;
  const cp = results.first('wait_states', 'callpaths');
  const waits = cp ? new Set(cp.values('pattern')) : null;
  const top = waits && largestRow(t, 'time', i => t.values('unit')[i] === 's' && waits.has(t.values('pattern')[i]));
  return top && top.time > 0 && {
    link: 'waits',
    title: 'Longest wait state',
    value: formatNumber(top.time, 's'),
    text: `of ${top.title.trim()}, ${plural(top.count, 'time')}`
  };
}

function glanceAtCriticalPath() {
  const t = results.first('critical_path', 'callpaths');
  const top = t && largestRow(t, 'time');
  return top && {
    link: 'waits',
    title: 'On the critical path',
    value: formatNumber(top.share, '%'),
    text: `is ${top.call_path || 'outside of any call'}`
  };
}

function glanceAtImbalance() {
  const t = results.first('load_imbalance', 'load_imbalance');
  if (!t || !t.has('max', 'mean', 'region', 'imbalance')) return null;
  const max = t.values('max'), mean = t.values('mean');
  let best = 0;
  for (let i = 1; i < t.n; i++)
    if (max[i] - mean[i] > max[best] - mean[best]) best = i;
  return {
    link: 'imbalance',
    title: 'Least balanced',
    value: `× ${digits(t.values('imbalance')[best])}`,
    text:
        `${t.values('region')[best]}: ${formatNumber(max[best] - mean[best], 's')} more in one process than on average`
  };
}

function glanceAtMessages() {
  const t = results.first('comm_matrix', 'processes');
  if (!t || !t.has('bytes_sent', 'sent')) return null;
  const n = d3.sum(t.values('sent'));
  return n > 0 && {
    link: 'matrix',
    title: 'Messages',
    value: formatNumber(d3.sum(t.values('bytes_sent')), 'bytes'),
    text: `in ${plural(n, 'message')}`
  };
}

function glances() {
  const found = [
    glanceAtProfile(), glanceAtWaits(), glanceAtCriticalPath(), glanceAtImbalance(), glanceAtMessages()
  ].filter(g => g && document.getElementById(g.link));
  return found.length ?
      element(
          'ul', {class: 'glances'},
          ...found.map(
              g => element(
                  'li', null,
                  element(
                      'a', {href: `#${g.link}`}, element('span', {class: 'title'}, g.title),
                      element('span', {class: 'value'}, g.value), element('span', {class: 'text'}, g.text))))) :
      null;
}

function overviewSection(panel) {
  const run = results.own('run');
  if (run && run.n) panel.append(runTiles(run));
  const g = glances();
  if (g) panel.append(subheading('At a glance'), g);
  panel.append(
      subheading('Health', 'Whether the trace is complete, its clocks agree, and which limits were reached'),
      healthList([...(run && run.n ? [healthOfRun(run)] : []), ...healthOfClocks(), ...healthOfCounts()]));
  if (run && run.n) panel.append(subheading('The run'), runFacts(run));
  panel.append(tableList([...results.tables.filter(t => t.place === 'framework'), ...tablesOf('check')]));
}
