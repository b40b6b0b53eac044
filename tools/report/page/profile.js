/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The flat profile and the call tree. */

/* Swatches in the colours of the regions. */
function regionSwatches(table, name) {
  const names = table.values(name);
  return names ? row => names[row] ? regions.color(names[row].trim()) : null : null;
}

/* A choice between all locations together (table `total`) and single ones (table `each`); make(table, rows) makes the
 * grid. */
function byLocation(box, total, each, make) {
  const place = element('div');
  const show = location => {
    const rows = location && range(each.n).filter(i => String(each.values('location')[i]) === location);
    clear(place).append((location ? make(each, rows) : make(total, null)).element);
  };
  if (each && each.n) {
    const names = new Map();
    each.values('location').forEach((v, i) => {
      entry(names, String(v), () => `${v}: ${each.has('thread') ? each.values('thread')[i] : ''}`);
    });
    const of =
        choice('Profile of', [['', 'all locations']], show); /* thousands of names are made when they are looked at */
    const fill = () => of.select.append(...[...names].map(([value, text]) => element('option', {value}, text)));
    ['pointerdown', 'focus'].forEach(on => of.select.addEventListener(on, () => of.select.length < 2 && fill()));
    box.append(toolbar(of));
  }
  box.append(place);
  show('');
}

function flatProfile(i, box) {
  box.append(
      subheading('Regions', 'Exclusive time is that of the region itself, inclusive time also that of what it called'));
  byLocation(
      box, i.table('flat_profile'), i.table('flat_profile_by_location'),
      (table, rows) => new Grid(table, {
        label: 'Flat profile',
        rows,
        columns: ['region', 'share', 'exclusive', 'inclusive', 'visits', 'min', 'max'],
        bars: ['share'],
        colors: regionSwatches(table, 'region')
      }));
}

function callTree(i, box) {
  if (!i.table('calltree_profile') || !i.table('calltree_profile').n) return;
  box.append(subheading('Call tree', 'What called what: a row is a call path, named by its last region'));
  byLocation(
      box, i.table('calltree_profile'), i.table('calltree_by_location'),
      (table, rows) => new Grid(table, {
        label: 'Call tree',
        rows,
        parents: parentsByDepth(table.values('depth')),
        height: 18,
        columns: ['call_path', 'share', 'inclusive', 'exclusive', 'visits', 'min', 'max'],
        bars: ['share'],
        colors: regionSwatches(table, 'call_path')
      }));
}

function profile(i, box) {
  flatProfile(i, box);
  callTree(i, box);
}
