/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the reader looks at: a range of time, which all charts over time and all tables with times share; what is
 * selected: a region, a class of regions, processes, the messages of a pair; and how the timeline is drawn. It stands
 * in the address of the page behind the section, as in #time&from=0.5&to=0.75&region=main, so that a link leads there.
 */

const view = {
  range: null,   /* [from, to] in seconds */
  region: null,  /* a name */
  state: null,   /* a class of regions, as FAMILIES in run.js names it */
  processes: [], /* names */
  message: null, /* [sender, receiver], names */
  only: null,    /* 'yes': tables and timeline show what is selected alone */
  colors: null,
  rows: null,
  lanes: null, /* [first, behind the last] of the timeline's */
  hidden: [],  /* what is not drawn on the timeline */
  run: null    /* '2': sections are of the second run */
};
const watchers = new Set();

/* Calls f(changes) after each change. */
function watch(f) {
  watchers.add(f);
}

let viewVersion = 0; /* what is out of sight follows when it comes into sight */
function setView(changes) {
  viewVersion++;
  Object.assign(view, changes);
  for (const f of watchers) f(changes);
  writeAddress();
}

/* The list with the value, or without it where it has it. */
function toggled(list, value) {
  return list.includes(value) ? list.filter(v => v !== value) : [...list, value];
}

/* The address follows at once; of changes close to each other, as of a wheel, the last one counts, since browsers
 * refuse too many. */
let currentId = '', changedAt = -Infinity, writing = 0;
function writeAddress() {
  const write = () => history.replaceState(null, '', `#${addressOf(currentId)}`),
        isAlone = performance.now() > changedAt + 150;
  changedAt = performance.now();
  clearTimeout(writing);
  if (isAlone)
    write();
  else
    writing = setTimeout(write, 150);
}

/* How the parts of the view are written. Names may have any characters, so lists are of encoded ones. */
const asText = {
  write: encodeURIComponent,
  read: text => decodeURIComponent(text) || null
};
const asNames = {
  write: names => names.length ? names.map(encodeURIComponent).join(',') : '',
  read: text => text ? text.split(',').map(decodeURIComponent) : []
};
const asPair = {
  write: pair => pair.map(encodeURIComponent).join(','),
  read: text => text.split(',').length === 2 ? text.split(',').map(decodeURIComponent) : null
};
const asNumbers = {
  write: pair => pair.join('-'),
  read: text => /^\d+-\d+$/.test(text) ? text.split('-').map(Number) : null
};
const ADDRESS = {
  region: asText,
  state: asText,
  processes: asNames,
  message: asPair,
  only: asText,
  colors: asText,
  rows: asText,
  lanes: asNumbers,
  hidden: asNames,
  run: asText
};

/* The part of the address behind #, with what differs from the whole run. */
function addressOf(section) {
  const parts = [section];
  if (view.range) parts.push(`from=${view.range[0]}`, `to=${view.range[1]}`);
  for (const [key, as] of Object.entries(ADDRESS)) {
    const text = view[key] ? as.write(view[key]) : '';
    if (text) parts.push(`${key}=${text}`);
  }
  return parts.join('&');
}

/* The section that an address names; sets the view to what else it says. */
function readAddress(address) {
  const [section, ...parts] = address.slice(1).split('&'),
                  said = new Map(parts.map(p => [p.split('=')[0], p.slice(p.indexOf('=') + 1)]));
  const from = parseFloat(said.get('from')), to = parseFloat(said.get('to'));
  const changes = {range: from < to ? [from, to] : null};
  for (const [key, as] of Object.entries(ADDRESS)) {
    try {
      changes[key] = as.read(said.get(key) || '');
    } catch (error) { /* a damaged address says nothing */
      changes[key] = as.read('');
    }
  }
  clearTimeout(writing); /* what was to be written is older */
  viewVersion++;
  Object.assign(view, changes);
  currentId = section;
  for (const f of watchers) f(changes);
  return section;
}
