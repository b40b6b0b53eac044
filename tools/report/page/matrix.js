/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The communication matrix: senders by receivers, on a canvas, which suffices for thousands of each. */

class Matrix extends Drawing {
  /* pairs: {from, to: positions in `names`, values}; unit of the values. */
  constructor(pairs, names, label) {
    super(
        label,
        'Rows send, columns receive. Drag to zoom, double click or 0 to see all; arrow keys move, + − zoom; a click or Enter selects a pair.',
        'matrixbox');
    this.names = names;
    this.n = names.length;
    this.common = names.length > 1 && extremes(names.map(v => v.length))[1] > 6 ? commonStart(names) : 0;
    this.window = {row: 0, column: 0, size: this.n};
    this.cursor = null;
    this.canvas.classList.add('matrix');
    this.scale = element('canvas', {class: 'scale', width: 220, height: 12, 'aria-hidden': 'true'});
    this.low = element('span');
    this.high = element('span');
    this.reading = element('p', {class: 'hint', 'aria-hidden': 'true'}, ' ');
    this.box.before(element('div', {class: 'scaleline'}, this.low, this.scale, this.high));
    this.box.after(this.reading);
    this.show(pairs);
    watch(changes => 'message' in changes && this.redraw());
  }

  show(pairs) {
    this.pairs = pairs;
    this.at = new Map();
    pairs.from.forEach((from, i) => this.at.set(from * this.n + pairs.to[i], i));
    this.redraw();
  }

  /* Sums of the pairs in each of at most `most` x `most` cells of the window. */
  cells(most) {
    const {row, column, size} = this.window, count = Math.min(size, Math.max(1, most)),
                        sums = new Float64Array(count * count);
    const {from, to, values} = this.pairs;
    for (let i = 0; i < from.length; i++) {
      const y = from[i] - row, x = to[i] - column;
      if (y < 0 || x < 0 || y >= size || x >= size) continue;
      sums[Math.floor(y * count / size) * count + Math.floor(x * count / size)] += Number(values[i]);
    }
    return {count, sums};
  }

  /* 256 colours from the smallest to the largest value. */
  palette() {
    return rampOf(['--heat0', '--heat1', '--heat2'].map(themeColor), 256);
  }

  draw() {
    const margin = 64, side = Math.min(this.width, 660, margin + 8 + Math.max(160, 64 * this.n)),
          plot = side - margin - 8, context = this.resize(side, side);
    this.geometry = {margin, plot};
    const {count, sums} = this.cells(Math.floor(plot * (window.devicePixelRatio || 1)));
    const positive = sums.filter(v => v > 0), low = extremes(positive)[0] || 1, high = extremes(positive)[1] || 1;
    const level = low === high ? () => 255 : v => Math.round(255 * Math.log(v / low) / Math.log(high / low));
    const image = new ImageData(count, count), colors = this.palette();
    for (let i = 0; i < sums.length; i++) {
      if (!(sums[i] > 0)) continue;
      const c = colors[level(sums[i])];
      image.data.set([...c, 255], 4 * i);
    }
    const small = element('canvas', {width: count, height: count});
    small.getContext('2d').putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.fillStyle = themeColor('--sunken');
    context.fillRect(margin, margin, plot, plot);
    context.drawImage(small, margin, margin, plot, plot);
    this.labels(context);
    this.overlay(context);
    this.drawScale(colors, low, high);
  }

  drawScale(colors, low, high) {
    const context = this.scale.getContext('2d');
    for (let i = 0; i < 220; i++) {
      context.fillStyle = `rgb(${colors[Math.round(i * 255 / 219)]})`;
      context.fillRect(i, 0, 1, 12);
    }
    this.low.textContent = low === high ? 'all' : formatNumber(low, this.pairs.unit);
    this.high.textContent = formatNumber(high, this.pairs.unit);
  }

  /* Names of some of the rows and columns. */
  labels(context) {
    const {margin, plot} = this.geometry, {row, column, size} = this.window;
    const step = Math.max(1, Math.ceil(size / Math.floor(plot / 26)));
    context.fillStyle = themeColor('--muted');
    context.font = '11px system-ui, sans-serif';
    context.textAlign = 'left';
    context.fillText('receives →', 2, 10);
    context.fillText('sends ↓', 2, 26);
    context.textBaseline = 'middle';
    for (let k = 0; k < size; k += step) {
      const at = margin + (k + 0.5) * plot / size;
      context.textAlign = 'right';
      context.fillText(this.short(row + k), margin - 5, at);
      context.save();
      context.translate(at, margin - 5);
      context.rotate(-Math.PI / 4);
      context.textAlign = 'left';
      context.fillText(this.short(column + k), 0, 0);
      context.restore();
    }
  }

  /* A name without the common start of all names. */
  short(i) {
    const name = this.names[i].slice(this.common) || this.names[i];
    return name.length > 9 ? `…${name.slice(-8)}` : name;
  }

  overlay(context) {
    const {margin, plot} = this.geometry, {row, column, size} = this.window, cell = plot / size;
    if (this.cursor) {
      context.strokeStyle = themeColor('--accent');
      context.lineWidth = 2;
      const width = Math.max(5, cell), x = margin + (this.cursor.column - column + 0.5) * cell,
            y = margin + (this.cursor.row - row + 0.5) * cell;
      context.strokeRect(x - width / 2, y - width / 2, width, width);
    }
    if (view.message) {
      const [y, x] = view.message.map(name => this.names.indexOf(name)), width = Math.max(7, cell);
      context.strokeStyle = themeColor('--bad');
      context.lineWidth = 2.5;
      this.within(context, margin, margin, plot, plot, () => {
        if (x >= 0 && y >= 0)
          context.strokeRect(
              margin + (x - column + 0.5) * cell - width / 2, margin + (y - row + 0.5) * cell - width / 2, width,
              width);
      });
    }
    if (this.drag && this.drag.to) {
      const {from, to} = this.drag;
      context.fillStyle = themeColor('--select');
      context.fillRect(
          Math.min(from.x, to.x), Math.min(from.y, to.y), Math.abs(to.x - from.x), Math.abs(to.y - from.y));
    }
  }

  describe(row, column) {
    const i = this.at.get(row * this.n + column);
    return [
      `${this.names[row]} → ${this.names[column]}`,
      i === undefined ? 'nothing' : formatNumber(this.pairs.values[i], this.pairs.unit)
    ];
  }

  /* ---------------------------------------------------------------------------------------------------- actions -- */

  /* With the cell of an event. */
  place(e) {
    const at = super.place(e), {margin, plot} = this.geometry, {row, column, size} = this.window;
    const inside = v => v >= margin && v < margin + plot;
    return {
      ...at,
      row: row + Math.floor((at.y - margin) * size / plot),
      column: column + Math.floor((at.x - margin) * size / plot),
      inside: inside(at.x) && inside(at.y)
    };
  }

  zoomTo(row, column, size) {
    size = Math.min(this.n, Math.max(2, Math.round(size)));
    const place = v => clamped(Math.round(v), 0, this.n - size);
    this.window = {row: place(row), column: place(column), size};
    this.redraw();
  }

  showAll() {
    this.zoomTo(0, 0, this.n);
  }

  select(from, to) {
    this.zoomTo(
        Math.min(from.row, to.row), Math.min(from.column, to.column),
        1 + Math.max(Math.abs(to.row - from.row), Math.abs(to.column - from.column)));
  }

  zoom(factor) {
    const at = this.cursor || this.window, size = this.window.size * factor;
    this.zoomTo(at.row - size / 2, at.column - size / 2, size);
  }

  /* Selects the messages of a pair. */
  choose(row, column) {
    const pair = [this.names[row], this.names[column]];
    setView({message: view.message && view.message.join() === pair.join() ? null : pair});
  }

  click(at) {
    if (at.inside) this.choose(at.row, at.column);
  }

  key(e) {
    if ((e.key === 'Enter' || e.key === 's') && this.cursor) {
      this.choose(this.cursor.row, this.cursor.column);
      e.preventDefault();
    } else {
      super.key(e);
    }
  }

  /* Moves the cursor to a cell and reads it; returns the lines of its tip. */
  read(row, column) {
    this.cursor = {row, column};
    this.redraw();
    const lines = this.describe(row, column);
    this.reading.textContent = lines.join(': ');
    return lines;
  }

  point(at, e) {
    if (!at.inside) return hideTip();
    showTip(this.read(at.row, at.column), e.clientX, e.clientY);
  }

  step(right, down) {
    const at = this.cursor || this.window, move = this.cursor ? 1 : 0;
    const row = clamped(at.row + move * down, 0, this.n - 1), column = clamped(at.column + move * right, 0, this.n - 1);
    this.follow(row, column);
    this.spoken.textContent = this.read(row, column).join(': ');
  }

  /* Moves the window with the cursor. */
  follow(row, column) {
    const {size} = this.window, shift = (from, at) => at < from ? at : at >= from + size ? at - size + 1 : from;
    this.window = {row: shift(this.window.row, row), column: shift(this.window.column, column), size};
  }
}

/* Length of the common start of all names; numbers stay whole. */
function commonStart(names) {
  let n = names[0].length;
  for (const name of names) {
    let k = 0;
    while (k < n && name[k] === names[0][k]) k++;
    n = k;
  }
  while (n > 0 && /\d/.test(names[0][n - 1])) n--;
  return n;
}

/* Senders and receivers of all pairs, by rank, then name. */
function endsOf(t) {
  const ends = new Map();
  for (const side of ['sender', 'receiver']) {
    const ranks = t.values(`${side}_rank`, side), names = t.values(side), ids = t.values(`${side}_id`, side);
    for (let i = 0; i < t.n; i++)
      ends.set(`${ids[i]} ${ranks[i]} ${names[i]}`, {rank: ranks[i], name: names[i] || `rank ${ranks[i]}`});
  }
  const all =
      [...ends.entries()].sort((a, b) => compareValues(a[1].rank, b[1].rank) || compareValues(a[1].name, b[1].name));
  return {
    names: all.map(e => e[1].name),
    place: new Map(all.map(([key], i) => [key, i])),
    key: (side, i) => [`${side}_id`, `${side}_rank`, side].map(name => t.values(name, side)[i]).join(' ')
  };
}

function communicationMatrix(i, box) {
  const t = i.table('comm_matrix'), ends = endsOf(t);
  const measures = ['bytes_sent', 'sent', 'bytes_received', 'received'].filter(name => t.has(name));
  const from = range(t.n).map(k => ends.place.get(ends.key('sender', k)));
  const to = range(t.n).map(k => ends.place.get(ends.key('receiver', k)));
  const pairs = name => ({from, to, values: t.values(name), unit: t.column(name).unit});
  const matrix = new Matrix(
      pairs(measures[0]), ends.names, `Communication matrix of ${plural(ends.names.length, 'process', 'processes')}`);
  const titles = {
    bytes_sent: 'bytes sent',
    sent: 'messages sent',
    bytes_received: 'bytes received',
    received: 'messages received'
  };
  const select = choice('Show', measures.map(name => [name, titles[name]]), name => matrix.show(pairs(name)));
  const note = cutNotice(t);
  if (note) box.append(note);
  box.append(toolbar(select), matrix.element);
  const totals = i.table('processes');
  if (!totals || totals.n < 2 || !totals.has('process', 'bytes_sent', 'bytes_received')) return;
  box.append(
      subheading('By process', 'Bytes of messages, without those of collective operations'),
      perProcess(
          totals, 'process',
          [
            {name: 'sent', color: () => themeColor('--c0'), values: totals.values('bytes_sent')},
            {name: 'received', color: () => themeColor('--c1'), values: totals.values('bytes_received')},
          ],
          {label: 'Bytes sent and received by each process', yTitle: 'bytes', yUnit: 'bytes'}));
}
