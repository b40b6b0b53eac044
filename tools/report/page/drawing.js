/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What charts, matrix and timeline share: a canvas in a figure, its size, dragging, keys.
 *
 * A subclass has draw(), point(at, event) for a pointer that moves, select(from, to) for a range that was dragged,
 * zoom(factor), showAll(), perhaps click(at), and step(right, down) for arrow keys: false where the key means nothing.
 */

const ARROWS = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1]
};
const ZOOMS = {
  '+': 0.5,
  '=': 0.5,
  '-': 2
};

const NAMES_WIDTH = 190; /* of lanes, at most, in pixels */

function clamped(value, low, high) {
  return Math.max(low, Math.min(value, high));
}

/* Saves a chart as a file. */
function exportButton(drawing, label) {
  return element(
      'button', {
        type: 'button',
        class: 'export',
        'aria-label': `Save as SVG: ${label}`,
        onclick: () => download(fileName(label, 'svg'), 'image/svg+xml', drawing.svg())
      },
      'SVG');
}

class Drawing {
  constructor(label, caption, boxClass) {
    this.canvas = element('canvas', {tabindex: 0, role: 'img', 'aria-label': label});
    this.spoken = element('span', {class: 'spoken', role: 'status'});
    this.box = element('div', {class: boxClass}, this.canvas);
    this.element = element(
        'figure', null, this.box, this.spoken, element('figcaption', null, caption, ' ', exportButton(this, label)));
    this.drag = null;
    this.listen();
    whenSized(this.box, width => {
      this.width = width;
      this.draw();
    });
  }

  /* The room for names of lanes: a third of the drawing where it is small. */
  get left() {
    return Math.min(NAMES_WIDTH, Math.floor(this.width / 3));
  }

  redraw() {
    if (this.width) this.draw();
  }

  /* The chart as SVG. */
  svg() {
    this.exported = null;
    this.isExporting = true;
    this.draw();
    this.isExporting = false;
    return this.exported.text(themeColor('--panel'));
  }

  /* The empty canvas at a new size. */
  resize(width, height) {
    if (this.isExporting) {
      this.exported = new SvgContext(width, height, this.canvas.getContext('2d'));
      return this.exported;
    }
    const ratio = window.devicePixelRatio || 1, context = this.canvas.getContext('2d');
    for (const [key, value] of [['width', width], ['height', height]]) {
      this.canvas[key] = value * ratio;
      this.canvas.style[key] = `${value}px`;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return context;
  }

  /* Paints within a rectangle only. */
  within(context, left, top, width, height, paint) {
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    paint();
    context.restore();
  }

  /* Where an event is in the drawing; `inside`: a range may start there. */
  place(e) {
    const box = this.canvas.getBoundingClientRect();
    return {x: e.clientX - box.left, y: e.clientY - box.top, inside: true};
  }

  /* {from, to} of a drag that goes far enough; else null. */
  dragged() {
    const {drag} = this;
    return drag && drag.to && Math.abs(drag.to.x - drag.from.x) > 4 ? drag : null;
  }

  drawDrag(context, top, height) {
    const range = this.dragged();
    if (!range) return;
    context.fillStyle = themeColor('--select');
    context.fillRect(Math.min(range.from.x, range.to.x), top, Math.abs(range.to.x - range.from.x), height);
  }

  listen() {
    const on = (name, f) => this.canvas.addEventListener(name, f);
    on('pointerdown', e => {
      const from = this.place(e);
      if (!from.inside) return;
      this.drag = {from, to: null};
      this.canvas.setPointerCapture(e.pointerId);
    });
    on('pointermove', e => {
      const at = this.place(e);
      if (!this.drag) return this.point(at, e);
      this.drag.to = at;
      this.redraw();
    });
    on('pointerup', () => {
      const range = this.dragged(), {drag} = this;
      this.drag = null;
      if (range)
        this.select(range.from, range.to);
      else
        this.redraw();
      if (!range && drag && this.click) this.click(drag.from);
    });
    on('pointerleave', () => this.leave());
    on('dblclick', () => this.showAll());
    on('keydown', e => this.key(e));
  }

  /* Of drawings over one axis, x. */
  select(from, to) {
    this.show(...[from.x, to.x].sort(ascending).map(v => this.x.invert(v)));
  }

  leave() {
    hideTip();
  }

  key(e) {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    if (e.key in ZOOMS)
      this.zoom(ZOOMS[e.key]);
    else if (e.key === '0' || e.key === 'Escape')
      this.showAll();
    else if (!(e.key in ARROWS) || this.step(...ARROWS[e.key]) === false)
      return;
    e.preventDefault();
  }
}
