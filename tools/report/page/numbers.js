/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Arithmetic over lists, linear scales and their ticks, and mixtures of colours. */

function ascending(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

/* [from, from + step, ...] below `to`; range(n): [0, ..., n - 1]. */
function range(from, to, step = 1) {
  if (to === undefined) [from, to] = [0, from];
  return Array.from({length: Math.max(0, Math.ceil((to - from) / step))}, (_, i) => from + i * step);
}

function sum(values, of = v => v) {
  let total = 0;
  values.forEach((v, i) => { total += Number(of(v, i)); });
  return total;
}

/* Smallest and largest of the finite numbers; [undefined, undefined]: there are none. */
function extremes(values) {
  let low, high;
  for (const v of values) {
    if (!Number.isFinite(v)) continue;
    if (low === undefined || v < low) low = v;
    if (high === undefined || v > high) high = v;
  }
  return [low, high];
}

/* How many of the ascending values are below x, or not above it. */
function countBelow(values, x, orEqual) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < x || (orEqual && values[middle] === x))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* About n round values within [from, to]. */
function roundTicks([from, to], n) {
  if (!(to > from)) return [from];
  const rough = (to - from) / Math.max(1, n), power = 10 ** Math.floor(Math.log10(rough)), factor = rough / power;
  const step = power * (factor < 1.5 ? 1 : factor < 3.5 ? 2 : factor < 7.5 ? 5 : 10);
  return range(Math.floor(to / step) - Math.ceil(from / step) + 1).map(i => (Math.ceil(from / step) + i) * step);
}

/* A function from [from, to] to [a, b], with invert() back. */
function linearScale(domain, [a, b]) {
  const [from, to] = domain, span = to - from || 1, scale = v => a + (b - a) * (v - from) / span;
  scale.domain = domain;
  scale.range = [a, b];
  scale.invert = p => from + (p - a) * span / (b - a || 1);
  return scale;
}

/* [r, g, b] of `#rgb` or `#rrggbb`. */
function rgbOf(color) {
  const digits = color.length === 4 ? [...color.slice(1)].map(d => d + d).join('') : color.slice(1);
  return [0, 2, 4].map(i => parseInt(digits.slice(i, i + 2), 16));
}

/* n colours, [r, g, b], that go evenly through these. */
function rampOf(colors, n) {
  const stops = colors.map(rgbOf);
  return range(n).map(i => {
    const at = i * (stops.length - 1) / Math.max(1, n - 1), k = Math.min(Math.floor(at), stops.length - 2);
    return stops[k].map((v, c) => Math.round(v + (at - k) * (stops[k + 1][c] - v)));
  });
}

/* Is dark text readable on this colour, `#rrggbb`? */
function isLight(color) {
  const [r, g, b] = rgbOf(color);
  return 0.299 * r + 0.587 * g + 0.114 * b > 128;
}
