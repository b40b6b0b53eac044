/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Charts over a continuous axis, drawn on a canvas with D3's scales and axes. Dragging zooms; pointer and arrow keys
 * read values. Options say what is drawn and what a position means. */

const MARGIN = {
  left: 74,
  right: 14,
  top: 10,
  bottom: 38
};

/* Formats ticks with the unit's prefixes; a tick below 1e-9 of `span` is a rounding error of zero. */
function axisFormat(unit, span) {
  return tick => shortened(formatNumber(Math.abs(tick) < span * 1e-9 ? 0 : Number(tick.toPrecision(6)), unit));
}

/* Removes trailing zeros behind the point. */
function shortened(text) {
  return text.replace(/(\.\d*?)0+(?=\D|$)/, '$1').replace(/\.(?=\D|$)/, '');
}

class Plot {
  /* options:
   *   label              accessible name
   *   height             in pixels
   *   xTitle, yTitle     of the axes; xUnit, yUnit
   *   xDomain            [from, to]
   *   xTicks(domain, width), xFormat(value)   where the axis counts something else than its values
   *   yDomain(from, to)  of what lies between these
   *   stops              ascending places that the arrow keys visit
   *   paint(context, x, y, plot)   draws; x and y are scales
   *   inspect(x, y)      {x, lines} for the tooltip at a position, x where the cursor is drawn; null: nothing;
   *                      y is null for keys */
  constructor(options) {
    this.options = options;
    this.height = options.height || 260;
    this.domain = options.xDomain.slice();
    this.cursor = null;
    this.canvas = element('canvas', {tabindex: 0, role: 'img', 'aria-label': options.label});
    this.svg = d3.select(document.createElementNS('http://www.w3.org/2000/svg', 'svg')).attr('aria-hidden', 'true');
    this.spoken = element('span', {class: 'spoken', role: 'status'});
    this.box = element('div', {class: 'plot', style: `height:${this.height}px`}, this.canvas, this.svg.node());
    this.element = element(
        'figure', null, this.box, this.spoken,
        element(
            'figcaption', null, options.caption || 'Drag to zoom, double click or 0 to see all; ← and → read values.'));
    this.listen();
    whenSized(this.box, width => this.draw(width));
  }

  redraw() {
    if (this.width) this.draw(this.width);
  }

  draw(width) {
    this.width = width;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = width * ratio;
    this.canvas.height = this.height * ratio;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${this.height}px`;
    this.svg.attr('width', width).attr('height', this.height);
    const {left, right, top, bottom} = MARGIN;
    this.x = d3.scale.linear().domain(this.domain).range([left, Math.max(left + 1, width - right)]);
    this.y = d3.scale.linear().domain(this.options.yDomain(...this.domain)).range([this.height - bottom, top]);
    this.axes(width);
    const context = this.canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, this.height);
    context.save();
    context.beginPath();
    context.rect(left, top, Math.max(0, width - left - right), this.height - top - bottom);
    context.clip();
    this.options.paint(context, this.x, this.y, this);
    this.overlay(context);
    context.restore();
  }

  axes(width) {
    const o = this.options, {left, right, bottom, top} = MARGIN, span = scale => scale.domain()[1] - scale.domain()[0];
    this.svg.selectAll('*').remove();
    const yAxis = d3.svg.axis()
                      .scale(this.y)
                      .orient('left')
                      .ticks(Math.max(2, this.height / 50))
                      .tickFormat(axisFormat(o.yUnit, span(this.y)))
                      .innerTickSize(-(width - left - right))
                      .outerTickSize(0)
                      .tickPadding(6);
    const xAxis = d3.svg.axis()
                      .scale(this.x)
                      .orient('bottom')
                      .ticks(Math.max(2, width / 110))
                      .outerTickSize(0)
                      .tickFormat(o.xFormat || axisFormat(o.xUnit, span(this.x)))
                      .tickValues(o.xTicks ? o.xTicks(this.domain, width) : null);
    this.svg.append('g').attr('class', 'axis y').attr('transform', `translate(${left},0)`).call(yAxis);
    this.svg.append('g').attr('class', 'axis x').attr('transform', `translate(0,${this.height - bottom})`).call(xAxis);
    const titles = this.svg.append('g').attr('class', 'titles');
    titles.append('text')
        .attr('x', (left + width - right) / 2)
        .attr('y', this.height - 4)
        .attr('text-anchor', 'middle')
        .text(o.xTitle);
    titles.append('text')
        .attr('transform', `translate(12,${(this.height - bottom + top) / 2}) rotate(-90)`)
        .attr('text-anchor', 'middle')
        .text(o.yTitle);
  }

  /* Draws the cursor and the range being dragged. */
  overlay(context) {
    const bottom = this.height - MARGIN.bottom;
    if (this.cursor !== null) {
      context.strokeStyle = themeColor('--text');
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(Math.round(this.x(this.cursor)) + 0.5, MARGIN.top);
      context.lineTo(Math.round(this.x(this.cursor)) + 0.5, bottom);
      context.stroke();
    }
    if (this.drag && this.drag.to !== null) {
      context.fillStyle = themeColor('--select');
      context.fillRect(
          Math.min(this.drag.from, this.drag.to), MARGIN.top, Math.abs(this.drag.to - this.drag.from),
          bottom - MARGIN.top);
    }
  }

  /* ---------------------------------------------------------------------------------------------------- actions -- */

  show(from, to) {
    const [first, last] = this.options.xDomain;
    const width = Math.max(to - from, (last - first) * 1e-6);
    if (!(width > 0)) return;
    from = Math.max(first, Math.min(from, last - width));
    this.domain = [from, Math.min(last, from + width)];
    this.redraw();
  }

  zoom(factor) {
    const [from, to] = this.domain, middle = this.cursor === null ? (from + to) / 2 : this.cursor;
    this.show(middle - (middle - from) * factor, middle + (to - middle) * factor);
  }

  inspect(x, y, left, top, aloud) {
    const found = this.options.inspect ? this.options.inspect(x, y) : null;
    this.cursor = found ? found.x : null;
    this.redraw();
    if (!found) return hideTip();
    showTip(found.lines, left, top);
    if (aloud) this.spoken.textContent = found.lines.map(l => typeof l === 'string' ? l : `${l[1]} ${l[2]}`).join(', ');
  }

  step(forward) {
    const stops = (this.options.stops || []).filter(s => s >= this.domain[0] && s <= this.domain[1]);
    if (!stops.length) return;
    const at = this.cursor === null ? (forward ? -1 : stops.length) :
                                      d3.bisectLeft(stops, this.cursor) -
            (!forward || stops[d3.bisectLeft(stops, this.cursor)] === this.cursor ? 0 : 1);
    const next = stops[Math.max(0, Math.min(stops.length - 1, at + (forward ? 1 : -1)))];
    const box = this.canvas.getBoundingClientRect();
    this.inspect(next, null, box.left + this.x(next), box.top + 20, true);
  }

  listen() {
    const place = e => e.clientX - this.canvas.getBoundingClientRect().left;
    this.canvas.addEventListener('pointerdown', e => {
      this.drag = {from: place(e), to: null};
      this.canvas.setPointerCapture(e.pointerId);
    });
    this.canvas.addEventListener('pointermove', e => {
      const x = place(e), box = this.canvas.getBoundingClientRect();
      if (this.drag) {
        this.drag.to = Math.abs(x - this.drag.from) > 4 ? x : null;
        return this.redraw();
      }
      if (this.x) this.inspect(this.x.invert(x), this.y.invert(e.clientY - box.top), e.clientX, e.clientY, false);
    });
    this.canvas.addEventListener('pointerup', () => {
      const drag = this.drag;
      this.drag = null;
      if (drag && drag.to !== null)
        this.show(this.x.invert(Math.min(drag.from, drag.to)), this.x.invert(Math.max(drag.from, drag.to)));
      else
        this.redraw();
    });
    this.canvas.addEventListener('pointerleave', () => this.leave());
    this.canvas.addEventListener('blur', () => this.leave());
    this.canvas.addEventListener('dblclick', () => this.show(...this.options.xDomain));
    this.canvas.addEventListener('keydown', e => this.key(e));
  }

  leave() {
    this.cursor = null;
    hideTip();
    this.redraw();
  }

  key(e) {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    if (e.key === 'ArrowRight' || e.key === 'ArrowLeft')
      this.step(e.key === 'ArrowRight');
    else if (e.key === '+' || e.key === '=')
      this.zoom(0.5);
    else if (e.key === '-')
      this.zoom(2);
    else if (e.key === '0' || e.key === 'Escape')
      this.show(...this.options.xDomain);
    else
      return;
    e.preventDefault();
  }
}

/* ----------------------------------------------------------------------------------------------- kinds of charts -- */

/* Smallest and largest of all arrays; [0, 1] when there is nothing. */
function extent(arrays) {
  let low = Infinity, high = -Infinity;
  for (const values of arrays)
    for (const v of values) {
      if (v === null || !Number.isFinite(v)) continue;
      if (v < low) low = v;
      if (v > high) high = v;
    }
  return low <= high ? [low, high] : [0, 1];
}

function widened([low, high], zero) {
  if (zero) low = Math.min(0, low);
  if (low === high) return low === 0 ? [0, 1] : low > 0 ? [0, low * 1.1] : [low * 1.1, 0];
  const spare = (high - low) * 0.05;
  return [zero && low === 0 ? 0 : low - spare, high + spare];
}

/* Lines, with a band from low to high where given. ⏎ series: [{name, color(), x, y, low, high}], x ascending; steps:
 * a value holds until the next x, the last one until `end`. */
function linePlot(series, options) {
  const end = options.end === undefined ? extent(series.map(s => s.x))[1] : options.end;
  const nearest = (x, y) => {
    let best = null;
    for (const s of series) {
      let i = options.steps ? d3.bisectRight(s.x, x) - 1 : d3.bisectLeft(s.x, x);
      if (!options.steps && i > 0 && (i === s.x.length || x - s.x[i - 1] < s.x[i] - x)) i--;
      if (i < 0 || i >= s.x.length || s.y[i] === null) continue;
      const distance = y === null ? 0 : Math.abs(s.y[i] - y);
      if (!best || distance < best.distance) best = {s, i, distance};
    }
    return best;
  };
  const path = (context, x, y, s, values) => {
    let open = false;
    for (let i = 0; i < s.x.length; i++) {
      if (values[i] === null) {
        open = false;
        continue;
      }
      const at = x(s.x[i]), v = y(values[i]);
      if (open)
        context.lineTo(at, v);
      else
        context.moveTo(at, v);
      open = true;
      if (options.steps) context.lineTo(x(i + 1 < s.x.length ? s.x[i + 1] : end), v);
    }
  };
  let chosen = null;
  return new Plot({
    xDomain: extent([...series.map(s => s.x), [end]]),
    yDomain: (from, to) => widened(
        extent(series.flatMap(s => {
          const inside = values =>
              values.filter((_, i) => s.x[i] <= to && (i + 1 < s.x.length ? s.x[i + 1] : end) >= from);
          return [inside(s.y), inside(s.low || []), inside(s.high || [])];
        })),
        options.zero),
    stops: [...new Set(series.length <= 64 ? series.flatMap(s => s.x) : series[0].x)].sort((a, b) => a - b),
    paint(context, x, y) {
      const many = series.length > 12;
      for (const s of series) {
        if (!s.low || !s.high || many) continue;
        context.globalAlpha = 0.18;
        context.fillStyle = s.color();
        context.beginPath();
        s.x.forEach((v, i) => i ? context.lineTo(x(v), y(s.high[i])) : context.moveTo(x(v), y(s.high[i])));
        for (let i = s.x.length - 1; i >= 0; i--) context.lineTo(x(s.x[i]), y(s.low[i]));
        context.fill();
      }
      for (const s of [...series.filter(v => v !== chosen), ...(chosen ? [chosen] : [])]) {
        context.globalAlpha = chosen && many && s !== chosen ? 0.15 : many && s !== chosen ? 0.5 : 1;
        context.strokeStyle = s.color();
        context.lineWidth = s === chosen ? 2.5 : 1.5;
        context.beginPath();
        path(context, x, y, s, s.y);
        context.stroke();
        if (s.x.length === 1 && !options.steps) context.strokeRect(x(s.x[0]) - 2, y(s.y[0]) - 2, 4, 4);
      }
      context.globalAlpha = 1;
    },
    inspect(x, y) {
      const found = nearest(x, y);
      chosen = found ? found.s : null;
      if (!found) return null;
      const lines = [`${options.xTitle}: ${formatNumber(found.s.x[found.i], options.xUnit)}`];
      for (const s of series.length <= 8 ? series : [found.s]) {
        const i = s === found.s ? found.i : s.x.indexOf(found.s.x[found.i]);
        if (i >= 0) lines.push([s.color(), s.name, formatNumber(s.y[i], options.yUnit)]);
      }
      return {x: found.s.x[found.i], lines};
    },
    ...options,
  });
}

/* Bars one on top of the other, each from x[i] to x[i] + width[i].
 * layers: [{name, color(), values}]; hidden: a Set of layers that are not shown. */
function stackPlot(x, width, layers, options) {
  const hidden = options.hidden || new Set();
  const visible = () => layers.filter(l => !hidden.has(l));
  return new Plot({
    xDomain: [x[0], x[x.length - 1] + width[width.length - 1]],
    yDomain: (from, to) => {
      let high = 0;
      for (let i = 0; i < x.length; i++) {
        if (x[i] > to || x[i] + width[i] < from) continue;
        high = Math.max(high, visible().reduce((sum, l) => sum + l.values[i], 0));
      }
      return [0, high * 1.05 || 1];
    },
    stops: x,
    paint(context, xs, ys) {
      const base = new Float64Array(x.length);
      for (const l of visible()) {
        context.fillStyle = l.color();
        for (let i = 0; i < x.length; i++) {
          if (!l.values[i]) continue;
          const left = Math.round(xs(x[i])), right = Math.max(left + 1, Math.round(xs(x[i] + width[i]))),
                top = ys(base[i] + l.values[i]);
          context.fillRect(left, top, right - left - (right - left > 6 ? 1 : 0), ys(base[i]) - top);
          base[i] += l.values[i];
        }
      }
    },
    inspect(at) {
      const i = d3.bisectRight(x, at) - 1;
      if (i < 0 || i >= x.length) return null;
      const lines = [options.describe(i)];
      for (const l of visible().filter(v => v.values[i]).sort((a, b) => b.values[i] - a.values[i]).slice(0, 12))
        lines.push([l.color(), l.name, options.value ? options.value(l, i) : formatNumber(l.values[i], options.yUnit)]);
      return {x: x[i], lines};
    },
    ...options,
  });
}
