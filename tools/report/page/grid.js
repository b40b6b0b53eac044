/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Tables of any length, flat or as a tree; the document holds the visible rows only. A column's header sorts, a text
 * field searches, keys move.
 *
 * Each cell has the report's value in data-value, and the number of its row in the report's table in data-row. */

const ROW_HEIGHT = 28;
const SPARE_ROWS = 12; /* above and below the visible rows */
const PRINTED_ROWS = 1000;

/* All tables, which show all their rows on paper. */
const grids = new Set();
let printing = false;
function showAllRows(on) {
  printing = on;
  grids.forEach(g => g.element.isConnected ? g.render(true) : grids.delete(g));
}
window.addEventListener('beforeprint', () => showAllRows(true));
window.addEventListener('afterprint', () => showAllRows(false));

function compareValues(a, b) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  const x = BigInt(Math.trunc(Number(a))), y = BigInt(Math.trunc(Number(b))); /* one of them is beyond 2^53 */
  return x < y ? -1 : x > y ? 1 : 0;
}

/* Parents of rows in depth-first order: parent[i] is a row, or -1. */
function parentsByDepth(depths) {
  const open = [];
  return depths.map((depth, i) => {
    while (open.length && open[open.length - 1].depth >= depth) open.pop();
    const parent = open.length ? open[open.length - 1].row : -1;
    open.push({depth, row: i});
    return parent;
  });
}

/* Parents of rows by name. A missing name, or the row's own, is no parent: -1; a cycle is cut. */
function parentsByName(names, parentNames) {
  const at = new Map(names.map((name, i) => [name, i]));
  const parents = parentNames.map((name, i) => at.has(name) && at.get(name) !== i ? at.get(name) : -1);
  parents.forEach((_, i) => {
    let steps = 0;
    for (let p = parents[i]; p >= 0; p = parents[p]) {
      if (++steps <= parents.length) continue;
      parents[i] = -1;
      break;
    }
  });
  return parents;
}

/* Columns by which people find a row stand on the left. */
const KEYS_OF_ROWS =
    /^(sentence|title|name|region|call_path|pattern|class|finding|process|sender|receiver|metric|thread)$/;
function keysFirst(columns) {
  const isKey = c => KEYS_OF_ROWS.test(c.name) && c.type === 'text' && !c.detail;
  return [...columns.filter(isKey), ...columns.filter(c => !isKey(c))];
}

/* Does the column have ids of locations? */
function hasLocations(c) {
  return /(^|_)(location|partner|cause)$/.test(c.name) && !c.unit;
}

/* Width of a digit in a table, in pixels. */
let digitWidth = 0;
function measureDigit() {
  const sample = element('span', {style: 'visibility:hidden;position:absolute;font-weight:600'}, '0'.repeat(100));
  document.body.append(sample);
  digitWidth = sample.getBoundingClientRect().width / 100;
  sample.remove();
  return digitWidth;
}

class Grid {
  /* table: a Table. options:
   *   label      accessible name
   *   columns    names, in this order; default: all but details
   *   parents    makes it a tree; the first column has its rows' names
   *   titles     {column: Map}: what people call the names in a column
   *   bars       names of columns whose cells have a bar, as long as their share in the largest value
   *   colors     row -> colour of a swatch in the first column, or null
   *   sort       name of the column by which it is sorted at first
   *   rows       numbers of the rows that take part; default: all
   *   height     of the visible part, in rows
   *   onselect   called with a row's number when it is chosen */
  constructor(table, options = {}) {
    this.table = table;
    this.options = options;
    this.id = newId('grid');
    this.tree = Boolean(options.parents);
    this.parents = options.parents || null;
    this.all = options.rows || range(table.n);
    this.query = '';
    this.sortColumn = options.sort ? table.column(options.sort) : null;
    this.descending = Boolean(this.sortColumn && this.sortColumn.numeric);
    this.active = 0;
    this.expanded = new Set();
    this.details = false;
    this.pickColumns();
    if (!options.rows && !options.parents) table.main = table.shown = true; /* it need not be listed again */
    if (this.tree) this.expandFirst();
    this.build();
    this.followView();
    this.ready = true;
    this.update();
    grids.add(this);
  }

  pickColumns() {
    const columns = keysFirst(this.table.columns), names = this.options.columns;
    const first = names ? names.map(n => this.table.column(n)).filter(c => c) : columns.filter(c => !c.detail);
    this.columns = this.details ? [...new Set([...(names ? first : []), ...columns])] : first;
  }

  /* ---------------------------------------------------------------------------------------------- what is shown -- */

  /* Opens the tree level by level, up to 30 rows. */
  expandFirst() {
    this.makeChildren();
    let level = this.children.get(-1) || [], shown = level.length;
    while (level.length) {
      const next = level.flatMap(row => this.children.get(row) || []);
      if (shown + next.length > 30 && shown > 1) break;
      level.forEach(row => this.expanded.add(row));
      shown += next.length;
      level = next;
    }
  }

  makeChildren() {
    this.children = new Map();
    const takesPart = new Set(this.all);
    for (const row of this.all) {
      const parent = this.parents[row] >= 0 && takesPart.has(this.parents[row]) ? this.parents[row] : -1;
      entry(this.children, parent, () => []).push(row);
    }
  }

  /* Rows that the view leaves, and which of them it selects. */
  followView() {
    this.version = viewVersion;
    this.inTime = this.tree ? null : timeOfRows(this.table);
    this.isSelected = selectionOfRows(this.table);
    if (this.ready) this.update();
  }

  isShown() {
    return this.scroller.clientWidth > 0 || printing;
  }

  isLeft(row) {
    return (!this.inTime || this.inTime(row)) && (view.only !== 'yes' || !this.isSelected || this.isSelected(row));
  }

  matches(row) {
    return this.columns.some(c => {
      const value = c.values[row];
      return value !== null &&
          (String(value).toLowerCase().includes(this.query) || this.text(c, row).toLowerCase().includes(this.query));
    });
  }

  sorted(rows) {
    if (!this.sortColumn) return rows;
    const values = this.sortColumn.values, sign = this.descending ? -1 : 1;
    return [...rows].sort((a, b) => {
      if (values[a] === null || values[b] === null) return (values[a] === null) - (values[b] === null) || a - b;
      return sign * compareValues(values[a], values[b]) || a - b;
    });
  }

  /* Orders the rows; in a tree also their depths. */
  arrange() {
    if (!this.tree) {
      const left =
          this.inTime || (this.isSelected && view.only === 'yes') ? this.all.filter(row => this.isLeft(row)) : this.all;
      this.rows = this.sorted(this.query ? left.filter(row => this.matches(row)) : left);
      return;
    }
    const wanted = this.query ? new Set() : null;
    if (wanted)
      for (const row of this.all)
        if (this.matches(row))
          for (let r = row; r >= 0 && !wanted.has(r); r = this.parents[r]) wanted.add(r);
    this.rows = [];
    this.depth = new Map();
    this.place = new Map();
    const stack = [[-1, -1]];
    while (stack.length) { /* no recursion: call trees may be deep */
      const [row, depth] = stack.pop();
      if (row >= 0) {
        this.rows.push(row);
        this.depth.set(row, depth);
      }
      if (row >= 0 && !this.expanded.has(row) && !wanted) continue;
      let below = this.sorted(this.children.get(row) || []);
      if (wanted) below = below.filter(r => wanted.has(r));
      below.forEach((r, i) => this.place.set(r, [i + 1, below.length]));
      for (let i = below.length - 1; i >= 0; i--) stack.push([below[i], depth + 1]);
    }
  }

  hasChildren(row) {
    return this.tree && this.children.has(row);
  }

  update() {
    this.arrange();
    this.active = clamped(this.active, 0, this.rows.length - 1);
    const label = this.options.label || this.table.title;
    this.element.querySelector('table').setAttribute('aria-rowcount', this.rows.length + 1);
    this.counter.textContent = this.countText();
    this.scroller.setAttribute('aria-label', `${label}, ${this.counter.textContent}`);
    this.render(true);
  }

  countText() {
    const all = plural(this.all.length, 'row'), some = !this.tree && this.rows.length < this.all.length;
    const text = this.query || some ? `${grouped.format(this.rows.length)} of ${all}` : all;
    const marked = this.isSelected && view.only !== 'yes' ? this.rows.filter(row => this.isSelected(row)).length : 0;
    return `${text}${this.inTime ? ', in the selected time' : ''}${
        marked ? `, ${grouped.format(marked)} selected` : ''}`;
  }

  setRows(rows) {
    this.all = rows;
    this.active = 0;
    if (this.tree) {
      this.expanded.clear();
      this.expandFirst();
    }
    this.scroller.scrollTop = 0;
    this.update();
  }

  /* -------------------------------------------------------------------------------------------------- elements -- */

  build() {
    this.search = element('input', {
      type: 'search',
      placeholder: 'Search…',
      'aria-label': `Search ${this.table.title}`,
      oninput: () => {
        this.query = this.search.value.toLowerCase();
        this.scroller.scrollTop = 0;
        this.update();
      }
    });
    this.counter = element('span', {class: 'counter', role: 'status'});
    const tools = element('div', {class: 'tools'}, this.search, this.counter);
    if (this.tree)
      tools.append(
          element('button', {type: 'button', onclick: () => this.expandAll(true)}, 'Expand all'),
          element('button', {type: 'button', onclick: () => this.expandAll(false)}, 'Collapse all'));
    tools.append(element(
        'button', {
          type: 'button',
          class: 'export',
          'aria-label': `Save as CSV: ${this.options.label || this.table.title}`,
          onclick: () => download(fileName(this.table.id, 'csv'), 'text/csv', this.csv())
        },
        'CSV'));
    if (this.table.columns.length > this.columns.length)
      tools.append(checkbox('All columns', false, on => {
        this.details = on;
        this.pickColumns();
        this.buildHead();
        this.update();
      }, 'Columns that are for programs, or of less interest here'));
    this.head = element('thead');
    this.body = element('tbody');
    this.cols = element('colgroup');
    this.scroller = element(
        'div', {
          class: 'grid',
          tabindex: 0,
          id: this.id,
          role: 'group',
          style: `max-height:${((this.options.height || 14) + 1) * ROW_HEIGHT + 6}px`,
          onscroll: () => this.render(false),
          onkeydown: e => this.key(e),
          onclick: e => this.click(e)
        },
        element('table', {role: this.tree ? 'treegrid' : 'grid'}, this.cols, this.head, this.body));
    this.element = element(
        'div', {class: 'gridbox', dataset: {table: this.table.id, place: this.table.place}}, tools,
        cutNotice(this.table), this.scroller);
    this.buildHead();
    new ResizeObserver(() => {
      this.fitColumns();
      if (this.version !== viewVersion && this.isShown())
        this.followView();
      else
        this.render(true);
    }).observe(this.scroller);
  }

  /* The rows and columns that are shown, in their order, with exact values; of a tree all rows. */
  csv() {
    return csvOf(this.columns, this.tree && !this.query ? this.all : this.rows);
  }

  title(c) {
    if (c.title) return c.title;
    const name = c.unit === 's' ? c.name.replace(/_s$/, '') : c.name;
    return words(name) + (c.unit && !SHOWN_UNITS.has(c.unit) ? ` [${c.unit}]` : '');
  }

  /* Width of a column in characters, from its header and a sample of its values. */
  widthOf(c, first) {
    let widest = this.title(c).length + (c === this.sortColumn ? 2 : 1);
    const step = Math.max(1, Math.floor(this.all.length / 200));
    for (let i = 0; i < this.all.length; i += step)
      widest = Math.max(widest, this.text(c, this.all[i]).length + (first && this.tree ? 8 : 1));
    return 2 + Math.max(5, Math.min(c.numeric ? 24 : first ? 48 : 60, widest)); /* including the padding */
  }

  buildHead() {
    clear(this.cols);
    clear(this.head);
    const row = element('tr', {'aria-rowindex': 1});
    this.largest = new Map();
    this.widths = this.columns.map((c, i) => this.widthOf(c, i === 0));
    this.cols.append(...this.columns.map(() => element('col')));
    this.fitColumns();
    this.columns.forEach((c, i) => {
      row.append(element(
          'th', {
            scope: 'col',
            class: c.numeric && !hasLocations(c) ? 'num' : null,
            'aria-sort': this.order(c),
            dataset: {column: c.name}
          },
          element(
              'button', {
                type: 'button',
                'data-tip': `${c.help || words(c.name)}${c.unit ? `\nUnit: ${c.unit}` : ''}`,
                onclick: () => this.sortBy(c)
              },
              this.title(c))));
      if ((this.options.bars || []).includes(c.name))
        this.largest.set(c, c.values.reduce((m, v) => v !== null && Math.abs(v) > m ? Math.abs(v) : m, 0));
    });
    this.head.append(row);
    this.element.querySelector('table').setAttribute('aria-colcount', this.columns.length);
  }

  /* The text of a cell. */
  text(c, row) {
    const titles = this.options.titles && this.options.titles[c.name], value = c.values[row];
    if (titles && titles.has(value)) return titles.get(value);
    if (hasLocations(c) && locations.has(String(value))) return locationName(value);
    return formatCell({name: c.name, type: c.type, unit: unitOf(this.table, c, row)}, value);
  }

  /* Makes columns as wide as their values; where the room is short, columns of names shrink. */
  fitColumns() {
    const room = this.scroller.clientWidth / (digitWidth || measureDigit()), least = w => Math.min(w, 18);
    const isName = i => !this.columns[i].numeric, all = take => sum(this.widths, take);
    const names = all((w, i) => isName(i) ? w - least(w) : 0), missing = all(w => w) - room;
    const give = names > 0 && room > 0 ? Math.max(0, Math.min(1, missing / names)) : 0;
    const widths = this.widths.map((w, i) => (isName(i) ? w - give * (w - least(w)) : w) * digitWidth);
    widths.forEach((w, i) => { this.cols.children[i].style.width = `${w}px`; });
    this.scroller.firstChild.style.width = `max(100%, ${Math.floor(sum(widths))}px)`;
  }

  cell(c, row, first) {
    const value = c.values[row];
    const text = this.text(c, row);
    const td = element('td', {class: c.numeric && !hasLocations(c) ? 'num' : null, dataset: {column: c.name}});
    if (value !== null) td.dataset.value = String(value);
    if (!this.tree && !this.options.onselect && linkOf(this.table, c, row)) td.classList.add('link');
    if (c.numeric)
      td.title =
          exactValue(c, value) + (hasLocations(c) && locations.has(td.dataset.value) ? `: ${locationName(value)}` : '');
    else if (text.length > 30)
      td.title = text;
    if (this.largest.has(c) && value !== null && this.largest.get(c) > 0) {
      td.classList.add('bar');
      td.style.setProperty('--bar-length', (100 * Math.abs(value) / this.largest.get(c)).toFixed(1));
    }
    if (first && this.tree) {
      td.style.paddingLeft = `${0.4 + this.depth.get(row) * 1.1}em`;
      td.append(element(
          'span', {class: 'toggle', 'aria-hidden': 'true'},
          this.hasChildren(row) ? (this.isOpen(row) ? '▾' : '▸') : ''));
    }
    const color = first && this.options.colors ? this.options.colors(row) : null;
    if (color) td.append(element('span', {class: 'swatch', style: `background:${color}`}));
    td.append(first && this.tree ? text.trimStart() : text);
    return td;
  }

  isOpen(row) {
    return this.expanded.has(row) || Boolean(this.query);
  }

  line(i) {
    const row = this.rows[i];
    const tr = element('tr', {
      id: `${this.id}-${i}`,
      'aria-rowindex': i + 2,
      class: i === this.active ? 'active' : null,
      dataset: {row, line: i}
    });
    if (this.tree) {
      tr.setAttribute('aria-level', this.depth.get(row) + 1);
      tr.setAttribute('aria-posinset', this.place.get(row)[0]);
      tr.setAttribute('aria-setsize', this.place.get(row)[1]);
      if (this.hasChildren(row)) tr.setAttribute('aria-expanded', String(this.isOpen(row)));
    }
    if (this.options.onselect) tr.setAttribute('aria-selected', String(row === this.selected));
    if (this.isSelected && this.isSelected(row)) tr.classList.add('linked');
    tr.append(...this.columns.map((c, k) => this.cell(c, row, k === 0)));
    return tr;
  }

  spacer(lines) {
    return element(
        'tr', {class: 'spacer', 'aria-hidden': 'true'},
        element('td', {colspan: this.columns.length, style: `height:${lines * ROW_HEIGHT}px`}));
  }

  /* Draws the visible rows, unless they are drawn already. */
  render(anew) {
    const height = this.scroller.clientHeight || (this.options.height || 14) * ROW_HEIGHT;
    const top = Math.floor(this.scroller.scrollTop / ROW_HEIGHT);
    const from = printing ? 0 : Math.max(0, top - SPARE_ROWS);
    const to = Math.min(this.rows.length, printing ? PRINTED_ROWS : top + Math.ceil(height / ROW_HEIGHT) + SPARE_ROWS);
    if (!anew && from === this.from && to === this.to) return;
    this.from = from;
    this.to = to;
    clear(this.body);
    if (from > 0) this.body.append(this.spacer(from));
    for (let i = from; i < to; i++) this.body.append(this.line(i));
    if (to < this.rows.length && printing)
      this.body.append(element(
          'tr', null,
          element(
              'td', {class: 'nothing', colspan: this.columns.length},
              `the first ${grouped.format(to)} of ${plural(this.rows.length, 'row')}`)));
    else if (to < this.rows.length)
      this.body.append(this.spacer(this.rows.length - to));
    if (this.rows.length === 0)
      this.body.append(element('tr', null, element('td', {class: 'nothing', colspan: this.columns.length}, 'nothing')));
    this.scroller.setAttribute('aria-activedescendant', `${this.id}-${this.active}`);
  }

  /* ---------------------------------------------------------------------------------------------------- actions -- */

  order(c) {
    return c !== this.sortColumn ? 'none' : this.descending ? 'descending' : 'ascending';
  }

  /* Numbers are sorted by the largest first; the third click restores the report's order. */
  sortBy(c) {
    if (this.sortColumn !== c) {
      this.sortColumn = c;
      this.descending = c.numeric;
    } else if (this.descending === c.numeric) {
      this.descending = !c.numeric;
    } else {
      this.sortColumn = null;
    }
    this.head.querySelectorAll('th').forEach((th, i) => th.setAttribute('aria-sort', this.order(this.columns[i])));
    this.update();
  }

  expandAll(open) {
    this.expanded = new Set(open ? this.children.keys() : []);
    this.update();
  }

  setOpen(row, open) {
    this.expanded[open ? 'add' : 'delete'](row);
    this.update();
  }

  select(i) {
    this.selected = this.rows[i];
    if (this.options.onselect) this.options.onselect(this.rows[i]);
    this.render(true);
  }

  click(event) {
    const tr = event.target.closest('tbody tr[data-row]');
    if (!tr) return;
    this.active = Number(tr.dataset.line);
    const row = this.rows[this.active], link = event.target.closest('td.link');
    if (link && getSelection().isCollapsed)
      selectLink(linkOf(this.table, this.table.column(link.dataset.column), row));
    else if (this.hasChildren(row) && (event.target.closest('.toggle') || !this.options.onselect))
      this.setOpen(row, !this.expanded.has(row));
    else
      this.select(this.active);
  }

  moveTo(i) {
    this.active = clamped(i, 0, this.rows.length - 1);
    const top = this.active * ROW_HEIGHT, view = this.scroller.clientHeight - ROW_HEIGHT;
    if (top < this.scroller.scrollTop)
      this.scroller.scrollTop = top;
    else if (top + ROW_HEIGHT > this.scroller.scrollTop + view)
      this.scroller.scrollTop = top + ROW_HEIGHT - view;
    this.render(true);
  }

  /* Opens, closes, enters or leaves a branch. */
  sideways(row, right) {
    const open = this.expanded.has(row);
    if (right && this.hasChildren(row) && !open)
      this.setOpen(row, true);
    else if (right && open)
      this.moveTo(this.active + 1);
    else if (!right && open)
      this.setOpen(row, false);
    else if (!right && this.parents[row] >= 0)
      this.moveTo(this.rows.indexOf(this.parents[row]));
  }

  key(event) {
    if (event.target !== this.scroller || event.ctrlKey || event.altKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW_HEIGHT) - 2);
    const row = this.rows[this.active];
    const moves = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity};
    if (event.key in moves)
      this.moveTo(this.active + moves[event.key]);
    else if (this.tree && event.key === 'ArrowRight')
      this.sideways(row, true);
    else if (this.tree && event.key === 'ArrowLeft')
      this.sideways(row, false);
    else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft')
      this.scroller.scrollLeft += event.key === 'ArrowRight' ? 60 : -60;
    else if ((event.key === 'Enter' || event.key === ' ') && row !== undefined)
      this.hasChildren(row) && !this.options.onselect ? this.setOpen(row, !this.expanded.has(row)) :
                                                        this.select(this.active);
    else if (event.key === 's' && row !== undefined)
      selectRow(this.table, row);
    else
      return;
    event.preventDefault();
  }
}

/* A grid of a table; null where it is missing or empty. */
function gridOf(table, options) {
  return table && table.n ? new Grid(table, options) : null;
}
