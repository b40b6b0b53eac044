/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Files for the reader: tables as CSV, charts as SVG. */

function download(name, type, text) {
  const link = element('a', {href: URL.createObjectURL(new Blob([text], {type})), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/* A name for a file. */
function fileName(text, ending) {
  return `${text.replace(/[^\w.-]+/g, '_').slice(0, 80) || 'tcflow'}.${ending}`;
}

/* RFC 4180. */
function csvOf(columns, rows) {
  const quoted = v => /[",\r\n]/.test(v) ? `"${v.replace(/"/g, '""')}"` : v;
  const line = cells => `${cells.map(v => quoted(v === null || v === undefined ? '' : String(v))).join(',')}\r\n`;
  return line(columns.map(c => c.unit ? `${c.name} [${c.unit}]` : c.name)) +
      rows.map(row => line(columns.map(c => c.values[row]))).join('');
}

const XML = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;'
};
function xmlText(text) {
  return String(text).replace(/[&<>"]/g, c => XML[c]).replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, '\ufffd');
}

/* Takes the calls that charts make of a canvas, and makes SVG of them. */
class SvgContext {
  constructor(width, height, measure) {
    Object.assign(this, {
      width,
      height,
      measure,
      fillStyle: '#000',
      strokeStyle: '#000',
      lineWidth: 1,
      globalAlpha: 1,
      textAlign: 'left',
      textBaseline: 'alphabetic',
      font: '12px sans-serif',
      imageSmoothingEnabled: true,
      parts: [],
      path: '',
      dash: [],
      depth: 0,
      saved: [],
      clips: 0
    });
  }

  put(part) {
    this.parts.push(part);
  }

  alpha() {
    return this.globalAlpha < 1 ? ` opacity="${this.globalAlpha}"` : '';
  }

  line() {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(' ')}"` : '';
    return ` fill="none" stroke="${xmlText(this.strokeStyle)}" stroke-width="${this.lineWidth}"${dash}`;
  }

  save() {
    const {fillStyle, strokeStyle, lineWidth, globalAlpha, textAlign, textBaseline, font, depth} = this;
    this.saved.push({fillStyle, strokeStyle, lineWidth, globalAlpha, textAlign, textBaseline, font, depth});
  }

  restore() {
    const before = this.saved.pop(), {depth} = this;
    Object.assign(this, before);
    for (let i = before.depth; i < depth; i++) this.put('</g>');
  }

  open(attributes) {
    this.put(`<g ${attributes}>`);
    this.depth++;
  }

  translate(x, y) {
    this.open(`transform="translate(${x} ${y})"`);
  }

  rotate(angle) {
    this.open(`transform="rotate(${angle * 180 / Math.PI})"`);
  }

  setTransform() {}

  clip() {
    const id = `clip${++this.clips}`;
    this.put(`<clipPath id="${id}"><path d="${this.path}"/></clipPath>`);
    this.open(`clip-path="url(#${id})"`);
  }

  setLineDash(dash) {
    this.dash = dash;
  }

  beginPath() {
    this.path = '';
  }

  moveTo(x, y) {
    this.path += `M${x} ${y}`;
  }

  lineTo(x, y) {
    this.path += `L${x} ${y}`;
  }

  rect(x, y, w, h) {
    this.path += `M${x} ${y}h${w}v${h}h${- w}z`;
  }

  stroke() {
    this.put(`<path d="${this.path}"${this.line()}${this.alpha()}/>`);
  }

  fill() {
    this.put(`<path d="${this.path}" fill="${xmlText(this.fillStyle)}"${this.alpha()}/>`);
  }

  fillRect(x, y, w, h) {
    if (w < 0) [x, w] = [x + w, -w];
    if (h < 0) [y, h] = [y + h, -h];
    this.put(`<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="${xmlText(this.fillStyle)}"${this.alpha()}/>`);
  }

  strokeRect(x, y, w, h) {
    this.put(`<rect x="${x}" y="${y}" width="${w}" height="${h}"${this.line()}${this.alpha()}/>`);
  }

  measureText(text) {
    this.measure.font = this.font;
    return this.measure.measureText(text);
  }

  fillText(text, x, y) {
    const anchor = {left: 'start', center: 'middle', right: 'end'}[this.textAlign];
    const [, size, family] = this.font.match(/([\d.]+px) (.*)/),
                   base = this.textBaseline === 'middle' ? 'central' : 'auto';
    this.put(`<text x="${x}" y="${y}" font-size="${size}" font-family="${xmlText(family)}" text-anchor="${
        anchor}" dominant-baseline="${base}" fill="${xmlText(this.fillStyle)}"${this.alpha()}>${xmlText(text)}</text>`);
  }

  drawImage(canvas, x, y, w, h) {
    this.put(
        `<image x="${x}" y="${y}" width="${w}" height="${h}" preserveAspectRatio="none" ` +
        `style="image-rendering:pixelated" href="${canvas.toDataURL()}"/>`);
  }

  text(background) {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${
        this.width} ${this.height}"><rect width="100%" height="100%" fill="${background}"/>${
        this.parts.join('\n')}${'</g>'.repeat(this.depth)}</svg>\n`;
  }
}
