/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the reader looks at: a range of time, which all charts over time share, a region, and how the timeline is drawn.
 * It stands in the address behind the section, as in #time&from=0.5&to=0.75&region=main, so that a link leads there. */

const view = {
  range: null,
  region: null,
  colors: null,
  rows: null
};
const watchers = new Set();

/* Calls f(changes) after each change. */
function watch(f) {
  watchers.add(f);
}

function setView(changes) {
  Object.assign(view, changes);
  for (const f of watchers) f(changes);
  writeAddress();
}

let currentId = '', writing = 0;
function writeAddress() {
  clearTimeout(writing);
  writing = setTimeout(() => history.replaceState(null, '', `#${addressOf(currentId)}`), 150);
}

/* The part of the address behind #, with what differs from the whole run. */
function addressOf(section) {
  const parts = [section];
  if (view.range) parts.push(`from=${view.range[0]}`, `to=${view.range[1]}`);
  for (const key of ['region', 'colors', 'rows'])
    if (view[key]) parts.push(`${key}=${encodeURIComponent(view[key])}`);
  return parts.join('&');
}

/* The section that the address names; sets the view to what else it says. */
function readAddress() {
  const [section, ...parts] = location.hash.slice(1).split('&'), said = new Map();
  for (const p of parts) {
    const at = p.indexOf('=');
    try {
      if (at > 0) said.set(p.slice(0, at), decodeURIComponent(p.slice(at + 1)));
    } catch (error) { /* a damaged address says nothing */
    }
  }
  const from = parseFloat(said.get('from')), to = parseFloat(said.get('to'));
  const changes = {range: from < to ? [from, to] : null};
  for (const key of ['region', 'colors', 'rows']) changes[key] = said.get(key) || null;
  Object.assign(view, changes);
  currentId = section;
  for (const f of watchers) f(changes);
  return section;
}
