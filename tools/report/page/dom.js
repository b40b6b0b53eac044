/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Elements, tooltips, colours of the theme, and redrawing when the window or the theme changes. */

/* element('td', {class: 'x', onclick: f, dataset: {...}}, child...): texts become text nodes, never markup. */
function element(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === 'dataset')
      Object.assign(e.dataset, value);
    else if (key.startsWith('on'))
      e.addEventListener(key.slice(2), value);
    else
      e.setAttribute(key, value === true ? '' : value);
  }
  e.append(...children.filter(c => c !== null && c !== undefined));
  return e;
}

function clear(e) {
  e.replaceChildren();
  return e;
}

/* Puts other children into an element; where one of the old ones had the focus, the one in its place gets it. */
function refill(e, ...children) {
  const takeFocus = () => [...e.querySelectorAll('button, select, input')],
        at = takeFocus().indexOf(document.activeElement);
  clear(e).append(...children.filter(c => c !== null));
  const now = takeFocus();
  if (at >= 0 && now.length) now[Math.min(at, now.length - 1)].focus({preventScroll: true});
}

let identifiers = 0;
function newId(prefix) {
  return `${prefix}-${++identifiers}`;
}

/* --------------------------------------------------------------------------------------------------------- theme -- */

const themeColors = new Map();
function themeColor(name) {
  if (!themeColors.has(name))
    themeColors.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim() || '#888');
  return themeColors.get(name);
}

const drawn = new Set(); /* functions that draw with the theme's colours */

function themeChanged() {
  themeColors.clear();
  for (const draw of drawn) draw();
}

/* Calls draw(width) at first, when the element's width changes, and when the theme does. */
function whenSized(e, draw) {
  let width = 0;
  const again = () => {
    if (width > 0) draw(width);
  };
  new ResizeObserver(entries => {
    const now = Math.floor(entries[0].contentRect.width);
    if (now === width || now === 0) return;
    width = now;
    draw(width);
  }).observe(e);
  drawn.add(again);
}

/* ------------------------------------------------------------------------------------------------------ tooltips -- */

const tip = document.getElementById('tip');

/* Lines are texts, or [colour, name, value]. */
function showTip(lines, left, top) {
  clear(tip);
  for (const line of lines) {
    if (typeof line === 'string')
      tip.append(element('div', null, line));
    else
      tip.append(element(
          'div', {class: 'line'}, line[0] ? element('span', {class: 'swatch', style: `background:${line[0]}`}) : null,
          element('span', {class: 'what'}, line[1]), element('span', {class: 'value'}, line[2])));
  }
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const x = left + 14 + box.width > innerWidth ? left - box.width - 10 : left + 14;
  const y = top + 18 + box.height > innerHeight ? top - box.height - 8 : top + 18;
  tip.style.left = `${Math.max(4, x)}px`;
  tip.style.top = `${Math.max(4, y)}px`;
}

function hideTip() {
  tip.hidden = true;
}

/* Shows the tip of an element with data-tip, at pointer or focus. */
function explain(event) {
  const e = event.target.closest ? event.target.closest('[data-tip]') : null;
  if (!e) {
    if (!event.target.closest || !event.target.closest('canvas')) hideTip();
    return;
  }
  const box = e.getBoundingClientRect();
  showTip(e.dataset.tip.split('\n'), Math.min(box.left, innerWidth - 80), box.bottom - 12);
}
document.addEventListener('pointerover', explain);
document.addEventListener('focusin', explain);
document.addEventListener('focusout', hideTip);
document.addEventListener('scroll', () => {
  const e = document.activeElement;
  if (e && e.matches('[data-tip]:focus-visible'))
    explain({target: e});
  else
    hideTip();
}, {passive: true, capture: true});

/* --------------------------------------------------------------------------------------------------------- parts -- */

/* A labelled choice: options are [value, text]. */
function choice(label, options, onchange) {
  const select = element(
      'select', {onchange: () => onchange(select.value)},
      ...options.map(([value, text]) => element('option', {value}, text)));
  const e = element('label', {class: 'choice'}, element('span', null, label), select);
  e.select = select;
  return e;
}

function checkbox(label, checked, onchange, tipText) {
  const input = element('input', {type: 'checkbox', onchange: () => onchange(input.checked)});
  input.checked = checked;
  return element('label', {class: 'choice', 'data-tip': tipText}, input, element('span', null, label));
}

function info(text) {
  return text ?
      element('button', {type: 'button', class: 'info', 'data-tip': text, 'aria-label': `What is this? ${text}`}, 'i') :
      null;
}

/* A heading below a section's, with an explanation. */
function subheading(text, help) {
  return element('h3', null, text, info(help));
}

function notice(text) {
  return element('p', {class: 'notice'}, text);
}

/* A notice where the page has fewer rows than the table. */
function cutNotice(table) {
  if (table.n === table.total) return null;
  return notice(
      `The page has the first ${grouped.format(table.n)} of ${plural(table.total, 'row')} of ${table.id}, to stay ` +
      'small; the output of the filter, or the database, has all of them.');
}

/* Colours and names of a chart's layers; a click toggles one where `toggle` is given. */
function legend(layers, toggle) {
  return element('ul', {class: 'legend'}, ...layers.map((l, i) => {
    const swatch = element('span', {class: 'swatch', style: `background:${l.color()}`});
    if (!toggle) return element('li', null, swatch, l.name);
    const button = element('button', {type: 'button', 'aria-pressed': 'true'}, swatch, l.name);
    button.addEventListener('click', () => {
      const on = button.getAttribute('aria-pressed') !== 'true';
      button.setAttribute('aria-pressed', String(on));
      toggle(i, on);
    });
    return element('li', null, button);
  }));
}

/* Colours and names of which one may be chosen: layers have `chosen` and choose(). */
function choiceLegend(layers) {
  return element(
      'ul', {class: 'legend'},
      ...layers.map(
          l => element(
              'li', null,
              element(
                  'button', {type: 'button', class: 'chosen', 'aria-pressed': String(l.chosen), onclick: l.choose},
                  element('span', {class: 'swatch', style: `background:${l.color()}`}), l.name))));
}

/* The controls above a chart. */
function toolbar(...children) {
  return element('div', {class: 'tools'}, ...children);
}
