/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Charts over a continuous axis, drawn on a canvas. Dragging zooms; pointer and arrow keys
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

/* Ticks of times, [time, label]; of a short range far from 0 they count from its begin, which `base` says. */
function timeTicks([from, to], n) {
  const isFar = Math.abs(from) > 20 * (to - from), origin = isFar ? from : 0, format = axisFormat('s', to - from);
  return {
    base: isFar ? `since ${Number(from.toPrecision(9))} s` : '',
    ticks: roundTicks([from - origin, to - origin], n).map(v => [v + origin, `${isFar ? '+' : ''}${format(v)}`])
  };
}

/* Where a label's middle is so that it ends within the width. */
function inside(context, label, x, width) {
  return Math.min(x, width - context.measureText(label).width / 2);
}

/* Removes trailing zeros behind the point. */
function shortened(text) {
  return text.replace(/(\.\d*?)0+(?=\D|$)/, '$1').replace(/\.(?=\D|$)/, '');
}

class Plot extends Drawing {
  /* options:
   *   label              accessible name
   *   height             in pixels
   *   xTitle, yTitle     of the axes; xUnit, yUnit
   *   xDomain            [from, to]
   *   time               x is the time since the start of the trace: all such charts show one range
   *   xTicks(domain, width), xFormat(value)   where the axis counts something else than its values
   *   yDomain(from, to)  of what lies between these
   *   stops              ascending places that the arrow keys visit
   *   paint(context, x, y)         draws; x and y are scales
   *   select(x)          what a click, or s, selects
   *   inspect(x, y)      {x, lines} for the tooltip at a position, x where the cursor is drawn; null: nothing;
   *                      y is null for keys */
  constructor(options) {
    super(options.label, options.caption || 'Drag to zoom, double click or 0 to see all; ← and → read values.', 'plot');
    this.options = options;
    this.height = options.height || 260;
    this.domain = options.xDomain.slice();
    if (options.time) {
      this.followView();
      watch(changes => {
        if (!('range' in changes)) return;
        this.followView();
        this.redraw();
      });
    }
    this.cursor = null;
    this.box.style.height = `${this.height}px`;
    this.canvas.addEventListener('blur', () => this.leave());
  }

  draw() {
    const {left, right, top, bottom} = MARGIN, {width, height} = this, context = this.resize(width, height);
    this.x = linearScale(this.domain, [left, Math.max(left + 1, width - right)]);
    this.y = linearScale(this.options.yDomain(...this.domain), [height - bottom, top]);
    this.axes(context);
    this.within(context, left, top, Math.max(0, width - left - right), height - top - bottom, () => {
      this.options.paint(context, this.x, this.y);
      this.overlay(context);
    });
  }

  /* Both axes with their titles, and the lines across. */
  axes(context) {
    const o = this.options, {left, right, top, bottom} = MARGIN, {x, y, width} = this, foot = this.height - bottom;
    const span = scale => scale.domain[1] - scale.domain[0];
    const yFormat = axisFormat(o.yUnit, span(y)), xFormat = o.xFormat || axisFormat(o.xUnit, span(x));
    context.font = '11.5px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    for (const v of roundTicks(y.domain, Math.max(2, this.height / 50))) {
      context.fillStyle = themeColor('--grid');
      context.fillRect(left, Math.round(y(v)), width - left - right, 1);
      context.fillStyle = themeColor('--muted');
      context.fillText(yFormat(v), left - 6, y(v));
    }
    context.textAlign = 'center';
    const n = Math.max(2, width / 110), times = o.time ? timeTicks(this.domain, n) : {base: ''};
    const ticks = o.time ?
        times.ticks :
        (o.xTicks ? o.xTicks(this.domain, width) : roundTicks(this.domain, n)).map(v => [v, xFormat(v)]);
    for (const [v, label] of ticks) {
      context.fillStyle = themeColor('--line');
      context.fillRect(Math.round(x(v)), foot, 1, 5);
      context.fillStyle = themeColor('--muted');
      context.fillText(label, inside(context, label, x(v), width), foot + 13);
    }
    context.fillText(times.base ? `${o.xTitle}, ${times.base}` : o.xTitle, (left + width - right) / 2, this.height - 8);
    context.fillStyle = themeColor('--line');
    context.fillRect(left, foot, width - left - right, 1);
    context.save();
    context.translate(10, (foot + top) / 2);
    context.rotate(-Math.PI / 2);
    context.fillStyle = themeColor('--muted');
    context.fillText(o.yTitle, 0, 0);
    context.restore();
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
    this.drawDrag(context, MARGIN.top, bottom - MARGIN.top);
  }

  /* ---------------------------------------------------------------------------------------------------- actions -- */

  /* The part of the range that this chart has. */
  followView() {
    const [first, last] = this.options.xDomain, [from, to] = view.range || [first, last];
    this.domain = from < last && to > first ? [Math.max(from, first), Math.min(to, last)] : [first, last];
  }

  show(from, to) {
    const [first, last] = this.options.xDomain;
    const width = Math.max(to - from, (last - first) * 1e-6);
    if (!(width > 0)) return;
    from = clamped(from, first, last - width);
    this.domain = [from, Math.min(last, from + width)];
    if (this.options.time)
      setView({range: this.domain[0] <= first && this.domain[1] >= last ? null : this.domain});
    else
      this.redraw();
  }

  showAll() {
    this.show(...this.options.xDomain);
  }

  zoom(factor) {
    const [from, to] = this.domain, middle = this.cursor === null ? (from + to) / 2 : this.cursor;
    this.show(middle - (middle - from) * factor, middle + (to - middle) * factor);
  }

  inspect(x, y, left, top) {
    const found = this.options.inspect(x, y);
    this.cursor = found ? found.x : null;
    this.redraw();
    if (!found) return hideTip();
    showTip(found.lines, left, top);
    if (y === null)
      this.spoken.textContent = found.lines.map(l => typeof l === 'string' ? l : `${l[1]} ${l[2]}`).join(', ');
  }

  point(at, e) {
    if (this.x) this.inspect(this.x.invert(at.x), this.y.invert(at.y), e.clientX, e.clientY);
  }

  step(right) {
    const stops = this.options.stops.filter(s => s >= this.domain[0] && s <= this.domain[1]);
    if (!right) return false;
    if (!stops.length) return;
    const cursor = this.cursor === null ? -right * Infinity : this.cursor;
    const at = right > 0 ? countBelow(stops, cursor, true) : countBelow(stops, cursor) - 1;
    const next = stops[clamped(at, 0, stops.length - 1)], box = this.canvas.getBoundingClientRect();
    this.inspect(next, null, box.left + this.x(next), box.top + 20);
  }

  click(at) {
    if (this.x && this.options.select) this.options.select(this.x.invert(at.x));
  }

  key(e) {
    if (e.key === 's' && this.cursor !== null && this.options.select) {
      this.options.select(this.cursor);
      e.preventDefault();
    } else {
      super.key(e);
    }
  }

  leave() {
    this.cursor = null;
    hideTip();
    this.redraw();
  }
}

/* ----------------------------------------------------------------------------------------------- kinds of charts -- */

/* Smallest and largest of all arrays; [0, 1] when there is nothing. */
function extent(arrays) {
  const [low, high] = extremes(arrays.flat());
  return low === undefined ? [0, 1] : [low, high];
}

function widened([low, high], zero) {
  if (zero) low = Math.min(0, low);
  if (low === high) return low === 0 ? [0, 1] : low > 0 ? [0, low * 1.1] : [low * 1.1, 0];
  const spare = (high - low) * 0.05;
  return [zero && low === 0 ? 0 : low - spare, high + spare];
}

/* Lines, with a band from low to high where given. series: [{name, color(), x, y, low, high}], x ascending; steps:
 * a value holds until the next x, the last one until `end`. */
function linePlot(series, options) {
  const end = options.end === undefined ? extent(series.map(s => s.x))[1] : options.end;
  const nearest = (x, y) => {
    let best = null;
    for (const s of series) {
      let i = options.steps ? countBelow(s.x, x, true) - 1 : countBelow(s.x, x);
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
 * layers: [{name, color(), values}]; hidden: a Set of layers that are not shown; isPale(l, i): is a part of a bar drawn
 * pale, because something else is selected?; choose(i): what a click on a bar, or s, does. */
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
          context.globalAlpha = options.isPale && options.isPale(l, i) ? 0.3 : 1;
          const left = Math.round(xs(x[i])), right = Math.max(left + 1, Math.round(xs(x[i] + width[i]))),
                top = ys(base[i] + l.values[i]);
          context.fillRect(left, top, right - left - (right - left > 6 ? 1 : 0), ys(base[i]) - top);
          base[i] += l.values[i];
        }
      }
      context.globalAlpha = 1;
    },
    select(at) {
      const i = countBelow(x, at, true) - 1;
      if (i >= 0 && i < x.length && options.choose) options.choose(i);
    },
    inspect(at) {
      const i = countBelow(x, at, true) - 1;
      if (i < 0 || i >= x.length) return null;
      const lines = [options.describe(i)];
      for (const l of visible().filter(v => v.values[i]).sort((a, b) => b.values[i] - a.values[i]).slice(0, 12))
        lines.push([l.color(), l.name, options.value ? options.value(l, i) : formatNumber(l.values[i], options.yUnit)]);
      return {x: x[i], lines};
    },
    ...options,
  });
}
