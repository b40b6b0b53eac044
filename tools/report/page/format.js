/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Numbers for people: four significant digits, a unit, and its prefix. */

const PREFIXES = [
  [1e-12, 'p'], [1e-9, 'n'], [1e-6, 'µ'], [1e-3, 'm'], [1, ''], [1e3, 'k'], [1e6, 'M'], [1e9, 'G'], [1e12, 'T'],
  [1e15, 'P'], [1e18, 'E']
];
const NONE = '–';
const NO_CALL = '(outside of any call)';
const grouped = new Intl.NumberFormat('en-US', {maximumFractionDigits: 0});

/* Four significant digits, without an exponent where people would not write one. */
function digits(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return value.toExponential(3);
  if (size >= 1000) return grouped.format(value);
  return Number.isInteger(value) ? String(value) : value.toPrecision(4);
}

function withPrefix(value, unit, largest) {
  if (value === 0) return `0 ${unit}`;
  let chosen = PREFIXES[0];
  for (const p of PREFIXES) {
    if (p[0] > largest) break;
    if (Math.abs(value) >= p[0] * 0.99995) chosen = p;
  }
  const scaled = value / chosen[0];
  const whole = chosen[0] === 1 && Number.isInteger(scaled) && Math.abs(scaled) < 1e15;
  const text = whole ? grouped.format(scaled) : Math.abs(scaled) >= 999.95 ? digits(scaled) : scaled.toPrecision(4);
  return `${text} ${chosen[1]}${unit}`;
}

/* Units that stand behind a number: as they are written, and the largest prefix. The header of a column shows
 * others. */
const SHOWN_UNITS = new Map([
  ['s', ['s', 1]], ['B', ['B', 1e18]], ['byte', ['B', 1e18]], ['bytes', ['B', 1e18]], ['Hz', ['Hz', 1e18]],
  ['1/s', ['Hz', 1e18]], ['bytes/s', ['B/s', 1e18]], ['B/s', ['B/s', 1e18]], ['%', null]
]);

/* A value with its unit; seconds and bytes in engineering notation. Strings of digits are integers beyond 2^53. */
function formatNumber(value, unit) {
  if (value === null || value === undefined) return NONE;
  if (typeof value === 'string') return value;
  if (unit === '%') return `${value.toFixed(2)} %`;
  if (!SHOWN_UNITS.has(unit)) return Number.isInteger(value) ? grouped.format(value) : digits(value);
  const [written, largest] = SHOWN_UNITS.get(unit), text = withPrefix(value, written, largest);
  return written === 'Hz' ? text.replace(/\.?0+ /, ' ') : text;
}

/* Times of a range, with so many digits that one sees how they differ. */
function formatTimes(from, to) {
  const size = Math.max(Math.abs(from), Math.abs(to)), span = Math.abs(to - from);
  const unit = PREFIXES.filter(([factor]) => factor <= 1 && factor <= size * 1.00005).pop() || PREFIXES[0];
  const places = clamped(Math.ceil(2 - Math.log10(span / unit[0] || 1)), 0, 15);
  return [from, to].map(
      v => v === 0 ? '0 s' : `${shortened((v / unit[0]).toFixed(places)).replace(/^-(0\.?0*)$/, '$1')} ${unit[1]}s`);
}

/* Numbers that are names are not grouped: location 536870911. */
function isIdentifier(column) {
  return column.type !== 'double' &&
      /(^|_)(id|ids|location|rank|step|iteration|place|vertex|parent|next|line)$/.test(column.name) && !column.unit;
}

function formatCell(column, value) {
  if (value === null || value === undefined) return NONE;
  if (column.type === 'text') return value === '' && /^(call|cause)_path$/.test(column.name) ? NO_CALL : value;
  return isIdentifier(column) ? String(value) : formatNumber(value, column.unit);
}

/* The unit of a cell: its column's, or that in the row's column `unit`. */
function unitOf(table, column, row) {
  if (column.unit || column.type !== 'double' || !table.has('unit')) return column.unit;
  const unit = (table.values('unit')[row] || '').replace(/^Bytes?$/i, 'bytes');
  return SHOWN_UNITS.has(unit) ? unit : null;
}

/* The value as in the report, with its unit. */
function exactValue(column, value) {
  return value === null ? 'no value' : `${value}${column.unit ? ` ${column.unit}` : ''}`;
}

/* The end of a call path, of a few regions. */
function endOfPath(path, regionsKept = 2) {
  const names = path.split('/');
  return names.length > regionsKept ? `…/${names.slice(-regionsKept).join('/')}` : path;
}

/* The end of a path that names a trace: without the name that all archives have. */
function shortPath(path) {
  return path.replace(/\/traces\.otf2$/, '').split('/').filter(part => part).pop() || path;
}

/* snake_case as words. */
function words(name) {
  return (name || '').replace(/_/g, ' ');
}

function titled(name) {
  const text = words(name);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function plural(n, one, many) {
  return `${grouped.format(n)} ${n === 1 ? one : many || `${one}s`}`;
}
