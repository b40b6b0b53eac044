/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Builds the page: the sections whose tables exist, the list of contents, colours, keys. */

/* A page has the results of one database, or of two, with what changed from the first to the second. Sections are those
 * of one of them, by default the first; `run=2` in the address is the other one. */
const labels = (e => e ? JSON.parse(e.textContent) : [''])(document.getElementById('labels'));
const runs = ['results', 'results2']
                 .slice(0, labels.length)
                 .map((id, i) => new Run(labels[i], JSON.parse(document.getElementById(id).textContent)));
const shownRun = /[#&]run=2(&|$)/.test(location.hash) && runs.length > 1 ? 1 : 0;
const {results, locations, processes} = runs[shownRun];
const regions = new Regions(runs.map(r => r.results));

function ticksPerSecond() {
  const run = results.own('run');
  return Number(run && run.has('ticks_per_second') && run.n ? run.column('ticks_per_second').values[0] : 1) || 1;
}

function locationName(id, of = locations) {
  const known = of.get(String(id));
  return known && known.name ? known.name : /^\d+$/.test(id) ? `location ${id}` : String(id);
}

function locationPlace(id, of = locations) {
  return (of.get(String(id)) || {place: of.size}).place;
}

function processPlace(name) {
  return processes.has(name) ? processes.get(name) : processes.size;
}

/* ------------------------------------------------------------------------------------------------------ sections -- */

/* The sections in order. Each has parts, [filter, table, make(instance, box)], for the instances of a filter with rows
 * in that table (null: for all), then a list of all tables of its filters. A section is there when one of these has
 * rows. */
function section(id, title, help, parts, filters = parts.map(p => p[0])) {
  return {id, title, help, parts, filters};
}
const SECTIONS = [
  section(
      'profile', 'Profile', 'Where the time goes: by region, and by call path',
      [
        ['profile', 'flat_profile', profile], ['profile', 'calltree_profile', flameGraph],
        ['profile', 'calltree_by_location', panes]
      ],
      ['profile']),
  section(
      'waits', 'Wait states',
      'Time in which a location could not go on because of another one, by the pattern in which that came about',
      [
        ['wait_states', 'patterns', waitPatterns], ['root_cause', 'patterns', rootCauses],
        ['critical_path', 'callpaths', criticalPath]
      ]),
  section(
      'time', 'Time profile', 'How many locations were in which region, over time',
      [['time_profile', 'time_profile', timeProfile]]),
  section(
      'matrix', 'Communication', 'Who sends how much to whom, in messages between two processes',
      [['comm_matrix', 'comm_matrix', communicationMatrix]]),
  section(
      'messages', 'Messages', 'Sizes of messages between two processes, and when they were sent and received',
      [['message_histogram', null, messages]]),
  section(
      'imbalance', 'Load imbalance', 'How unevenly the time of a region is spread over the processes',
      [['load_imbalance', 'load_imbalance', imbalance]]),
  section(
      'clocks', 'Clocks', 'Clocks that disagree make messages arrive before they are sent; what was done about it',
      [['clock_report', null, clocksOf], ['clock_estimate', 'clocks', estimatedClocks]], CLOCK_FILTERS),
  section(
      'timeline', 'Timeline', 'The windows of time with the worst waits, call by call',
      timelineFilters(results).map(filter => [filter, 'windows', timelineOf]),
      [...new Set([...timelineFilters(results), 'activity', 'activity_waits', 'timeline'])]),
];

function hasRows(filters) {
  return results.tables.some(t => filters.includes(t.filter) && t.place !== 'framework' && t.n > 0);
}

function addSection(id, title, help, make) {
  const heading = element('h2', {id: `${id}-title`}, title, info(help));
  const section = element('section', {id, 'aria-labelledby': `${id}-title`, tabindex: -1}, heading);
  document.getElementById('content').append(section);
  document.querySelector('#contents ol').append(element('li', null, element('a', {href: `#${id}`}, title)));
  waiting.push(() => fill(section, make));
  return section;
}

/* Sections are filled one after another, the first one at once, others when the browser has nothing else to do: the
 * first screen, and whoever uses it, waits for none of them. */
const waiting = [];
function fillNext(whenDone) {
  const next = waiting.shift();
  if (!next) return whenDone();
  next();
  const idle = window.requestIdleCallback || setTimeout, frame = f => requestAnimationFrame(() => setTimeout(f));
  frame(() => frame(() => idle(() => fillNext(whenDone))));
}

/* A failure loses its section only. */
function fill(section, make) {
  try {
    make(section);
  } catch (error) {
    section.append(notice(`This could not be shown: ${error.message}`));
    console.error(error);
  }
}

/* Titles of filters without a section; others have their names. */
const TITLES = {
  comm_comp: 'Communication and computation',
  io: 'I/O'
};

/* Shows the tables that no section has shown, by instance. */
function addOthers() {
  for (const i of results.instances()) {
    const left = i.tables.filter(t => !t.shown && t.n > 0 && t.columns.length);
    if (!left.length) continue;
    addSection(
        `of-${i.place}-${i.name}`, i.name === i.filter && TITLES[i.name] || titled(i.name),
        i.filter !== i.name ? `Of the filter ${i.filter}` : null,
        panel => panel.append(element('div', {class: 'tables'}, ...left.map((t, k) => tableDetails(t, k === 0)))));
  }
}

/* ---------------------------------------------------------------------------------------------- colours and keys -- */

const darkWanted = matchMedia('(prefers-color-scheme: dark)');

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  themeChanged();
}

/* What action(storage) returns; null where the browser keeps nothing for the page, which works without. */
function withStorage(action) {
  try {
    return action(localStorage);
  } catch (error) {
    return null;
  }
}

function switchTheme() {
  const isDark = (document.documentElement.dataset.theme || (darkWanted.matches ? 'dark' : 'light')) === 'dark';
  const theme = isDark ? 'light' : 'dark';
  setTheme(theme);
  withStorage(storage => storage.setItem('tcflow-theme', theme));
}

const KEYS = [
  ['Tab', 'to the next thing that takes keys: tables, charts, buttons'],
  ['↑ ↓ Page Home End', 'from row to row of a table'],
  ['→ ←', 'open and close a branch of a tree; read a chart from left to right; go from call to call of a timeline'],
  ['↑ ↓ → ←', 'from cell to cell of the matrix'],
  ['Enter', 'choose a row, open a branch'],
  ['+ − 0', 'zoom into a chart or the matrix, out, and to all of it; charts over time show one range'],
  ['Shift ← →', 'move along the timeline of the run; < and > choose fewer or more lanes of it'],
  [
    's',
    'select the process, region or pair at hand, in tables and charts; again: no longer; a click on a name does the same'
  ],
  ['/', 'search the table at hand'],
  ['[ ]', 'to the section before, after'],
  ['d', 'light or dark colours'],
  ['?', 'this help'],
  ['Esc', 'closes it'],
];

function makeHelp() {
  const dialog = document.getElementById('helptext');
  dialog.append(
      element('h2', {id: 'helptitle'}, 'How to read this page'),
      element(
          'p', null,
          'Numbers have units and four digits; point at one for its exact value, at a heading for what it means. ' +
              'Headings sort: once, the other way round, and as it was. ' +
              'Every table of the run is here: below each section’s charts, or in a section of its own.'),
      element(
          'dl', {class: 'keys'},
          ...KEYS.flatMap(
              ([key, what]) => [element('dt', null, element('kbd', null, key)), element('dd', null, what)])),
      element('button', {type: 'button', onclick: () => dialog.close()}, 'Close'));
  return dialog;
}

/* Goes where an address leads. */
function followAddress(address) {
  if (/[#&]run=2(&|$)/.test(address) !== (shownRun === 1) && runs.length > 1) return location.reload();
  readAddress(address);
  writeAddress();
  showSection();
}

/* Scrolls to the section that the address names. */
function showSection() {
  const section = document.getElementById(currentId);
  if (section) section.scrollIntoView();
}

/* Links within the page keep what the view says. */
function followLink(e) {
  const link = e.target.closest ? e.target.closest('a[href^="#"]') : null;
  const to = link && document.getElementById(link.getAttribute('href').slice(1));
  if (!to) return;
  e.preventDefault();
  location.hash = addressOf(to.id);
  to.scrollIntoView();
  if (to.tabIndex < 0) to.focus({preventScroll: true});
}

/* The last section that begins in the upper third of the window. */
function currentSection() {
  const sections = [...document.querySelectorAll('main > section')];
  return sections.filter(s => s.getBoundingClientRect().top < innerHeight / 3).pop() || sections[0];
}

function focusSearch() {
  const around = document.activeElement && document.activeElement.closest('.gridbox');
  const isSeen = e => e.offsetParent !== null;
  const inSight = e => {
    const box = e.getBoundingClientRect();
    return box.bottom > 0 && box.top < innerHeight;
  };
  const all = [...document.querySelectorAll('input[type=search]')].filter(isSeen), section = currentSection();
  const field = (around && around.querySelector('input[type=search]')) ||
      all.find(e => section.contains(e) && inSight(e)) || all.find(inSight) || all.find(e => section.contains(e)) ||
      all[0];
  if (field) {
    field.focus();
    field.select();
  }
}

function stepSection(forward) {
  const sections = [...document.querySelectorAll('main > section')];
  const next = sections[sections.indexOf(currentSection()) + (forward ? 1 : -1)];
  if (next) {
    next.scrollIntoView();
    next.focus({preventScroll: true});
  }
}

function listenToKeys(dialog) {
  const actions = {
    '/': focusSearch,
    '?': () => dialog.showModal(),
    d: switchTheme,
    ']': () => stepSection(true),
    '[': () => stepSection(false)
  };
  document.addEventListener('keydown', e => {
    if (e.key === 'Escape') hideTip();
    const writes = e.target.matches('input[type=search], select, textarea');
    if (writes && e.key === 'Escape') e.target.blur();
    if (writes || dialog.open || e.ctrlKey || e.altKey || e.metaKey || !(e.key in actions)) return;
    e.preventDefault();
    actions[e.key]();
  });
}

/* Marks the current section in the list of contents. */
function followScrolling() {
  const links = new Map([...document.querySelectorAll('#contents a')].map(a => [a.getAttribute('href').slice(1), a]));
  const mark = () => {
    const current = currentSection();
    links.forEach(a => a.removeAttribute('aria-current'));
    if (current && links.has(current.id)) links.get(current.id).setAttribute('aria-current', 'true');
  };
  addEventListener('scroll', mark, {passive: true});
  mark();
}

function start() {
  const run = results.own('run'), input = run && run.n && run.has('input') ? run.column('input').values[0] : null;
  const title = runs.length > 1 ? `${labels.join(' and ')}` : input ? shortPath(input) : '';
  document.title = title ? `${title} – tcflow report` : 'tcflow report';
  document.getElementById('subtitle').textContent = runs.length > 1 ? `from ${labels[0]} to ${labels[1]}` : input || '';
  setTheme(withStorage(storage => storage.getItem('tcflow-theme')));
  readAddress(location.hash);
  if (runs.length > 1) addSection('changes', 'What changed', `From ${labels[0]} to ${labels[1]}`, comparisonSection);
  addSection('overview', runs.length > 1 ? `Overview of ${runs[shownRun].label}` : 'Overview', null, overviewSection);
  for (const s of SECTIONS.filter(v => hasRows(v.filters)))
    addSection(s.id, s.title, s.help, panel => {
      for (const [filter, table, make] of s.parts) eachInstance(panel, filter, table, make);
      const list = tableList(tablesOf(...s.filters));
      if (list) panel.append(list);
    });
  for (const t of tablesOf('check')) t.shown = true; /* the last section shows them */
  waiting.push(() => {                               /* what no section has shown is known by then */
                       addOthers();
                       addSection('run', 'The run', 'What was analysed, and how that went', runSection);
  });
  const dialog = makeHelp();
  document.getElementById('help').addEventListener('click', () => dialog.showModal());
  document.getElementById('theme').addEventListener('click', switchTheme);
  darkWanted.addEventListener('change', themeChanged);
  matchMedia('print').addEventListener('change', themeChanged);
  listenToKeys(dialog);
  document.addEventListener('click', followLink);
  addEventListener('hashchange', e => followAddress(new URL(e.newURL).hash));
  let isUsed = false;
  for (const name of ['wheel', 'pointerdown', 'keydown', 'touchstart'])
    addEventListener(name, () => { isUsed = true; }, {once: true, passive: true, capture: true});
  fillNext(() => {
    followScrolling();
    if (!isUsed) showSection(); /* sections above it were empty before */
    document.documentElement.dataset.complete = 'yes';
  });
}
start();
