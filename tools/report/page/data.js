/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The results: tables with columns of values, in the form that tools/report/report.h describes. */

/* The value of a key in a Map, made where there is none. */
function entry(map, key, make) {
  if (!map.has(key)) map.set(key, make());
  return map.get(key);
}

/* The integers of a packed column. */
function unpacked(text) {
  const bytes = atob(text), values = [];
  let value = 0;
  for (let i = 0; i < bytes.length;) {
    let number = 0, factor = 1, byte;
    do {
      byte = bytes.charCodeAt(i++);
      number += (byte & 127) * factor;
      factor *= 128;
    } while (byte & 128);
    value += number % 2 ? -(number + 1) / 2 : number / 2;
    values.push(value);
  }
  return values;
}

/* Makes a member that read() gives when it is looked at first. */
function lazy(object, name, read) {
  Object.defineProperty(object, name, {
    configurable: true,
    get() {
      const value = read();
      Object.defineProperty(object, name, {value});
      return value;
    }
  });
}

function columnReader(c, values, texts) {
  const whole = c.packed !== undefined ? () => unpacked(c.packed) : () => values;
  if (c.type === 'text') return () => whole().map(i => i === null || i < 0 ? null : texts[i]);
  return c.scale ? () => whole().map(v => v / c.scale) : whole;
}

class Table {
  constructor(spec, texts) {
    this.place = spec.place;
    this.instance = spec.instance;
    this.filter = spec.filter;
    this.name = spec.name || '';
    this.title = spec.title || words(this.name);
    this.total = spec.n_rows; /* rows in the report; the page may have fewer */
    this.columns = spec.columns;
    for (const c of this.columns) {
      c.name = c.name || '';
      c.numeric = c.type !== 'text';
      lazy(c, 'values', columnReader(c, c.values, texts));
    }
    this.n = spec.rows;
    this.shown = false; /* a section shows it */
    this.byName = new Map(this.columns.map(c => [c.name, c]));
  }

  get id() {
    return `${this.instance || 'run'}.${this.name}`;
  }

  column(name) {
    return this.byName.get(name) || null;
  }

  /* Are these columns there, with values? A table without rows has them all. */
  has(...names) {
    return names.every(name => this.byName.has(name) && (this.n === 0 || this.values(name).some(v => v !== null)));
  }

  /* The values of the first of these columns that exists; null: none does. */
  values(...names) {
    for (const name of names)
      if (this.byName.has(name)) return this.byName.get(name).values;
    return null;
  }

  /* A row as an object. */
  row(i) {
    return Object.fromEntries(this.columns.map(c => [c.name, c.values[i]]));
  }

  rows() {
    return range(this.n).map(i => this.row(i));
  }
}

class Results {
  constructor(json) {
    this.tables = json.tables.map(t => new Table(t, json.texts));
  }

  /* A table of the framework. */
  own(name) {
    return this.tables.find(t => t.place === 'framework' && t.name === name) || null;
  }

  /* The instances of a filter, in the order of the chain: [{name, place, filter, tables: [...], table(name)}]. */
  instances(filter) {
    const found = new Map();
    for (const t of this.tables) {
      if (t.place === 'framework' || (filter && t.filter !== filter)) continue;
      const key = `${t.place} ${t.instance}`;
      entry(found, key, () => ({name: t.instance, place: t.place, filter: t.filter, tables: []})).tables.push(t);
    }
    for (const i of found.values()) i.table = name => i.tables.find(t => t.name === name) || null;
    return [...found.values()];
  }

  /* A filter's first table of this name with rows. */
  first(filter, name) {
    return this.tables.find(t => t.filter === filter && t.name === name && t.n > 0) || null;
  }
}

/* The results of a database, with names and places of its locations, by their ids, and of its processes. */
class Run {
  constructor(label, json) {
    this.label = label;
    this.results = new Results(json);
    this.locations = new Map();
    this.processes = new Map();
    const t = this.results.own('locations');
    for (let i = 0; t && i < t.n; i++) {
      const thread = t.has('thread') ? t.values('thread')[i] : null,
            process = t.has('process') ? t.values('process')[i] : null;
      const name = thread && process && !thread.startsWith(process) ? `${process}, ${thread}` : thread || process || '';
      if (!this.processes.has(process)) this.processes.set(process, this.processes.size);
      this.locations.set(String(t.values('location')[i]), {name, process, place: i});
    }
  }
}

/* The colour of each region, the same in all charts. Those with the most time have one of their own. */
class Regions {
  constructor(all) {
    const time = new Map();
    for (const results of all) {
      const table = results.first('time_profile', 'time_profile') || results.first('profile', 'flat_profile');
      const names = table && table.values('region'), times = table && table.values('exclusive');
      for (let i = 0; names && times && i < names.length; i++) time.set(names[i], (time.get(names[i]) || 0) + times[i]);
    }
    for (const t of all.flatMap(results => results.tables).filter(v => v.name === 'intervals' && v.has('region')))
      for (const name of t.values('region'))
        if (name !== null && !time.has(name)) time.set(name, 0);
    this.ranked = [...time.entries()].sort((a, b) => b[1] - a[1]).map(e => e[0]);
    this.place = new Map(this.ranked.map((name, i) => [name, i]));
  }

  color(name) {
    const i = this.place.get(name);
    return i === undefined || i >= OWN_COLORS ? themeColor('--other') : themeColor(`--c${i}`);
  }
}
const OWN_COLORS = 9;
