/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Timelines of the windows with the longest waits: what the locations did, and the messages between them. */

/* In pixels. */
const LANE = 22;          /* height of a level of calls */
const MANY_MESSAGES = 60; /* visible messages: more than these are drawn thin, without heads */

class Timeline extends Drawing {
  constructor() {
    super(
        'Timeline of a window',
        'Drag to zoom, double click or 0 to see all; ← and → go from call to call, arrows are messages.', 'plot');
  }

  /* w: {title, begin, end, lanes: [{name, role, levels}], intervals: [{lane, depth, region, begin, end}],
   *     messages: [{from, to, sent, received, bytes}], wait: {lane, begin, end} or null}; from and to are lanes */
  open(w) {
    this.window = w;
    this.range = [w.begin, w.end];
    this.chosen = -1;
    let top = 24;
    for (const lane of w.lanes) {
      lane.top = top;
      top += lane.levels * LANE + 16;
    }
    this.height = top + 26;
    this.box.style.height = `${this.height}px`;
    this.canvas.setAttribute('aria-label', w.title);
    this.redraw();
  }

  draw() {
    if (!this.window) return;
    const {width, height} = this, left = this.left, context = this.resize(width, height);
    this.x = linearScale(this.range, [left, width - 12]);
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    this.drawAxis(context);
    for (const lane of this.window.lanes) {
      context.fillStyle = themeColor('--text');
      context.fillText(clipped(context, lane.name, left - 14), 4, lane.top + LANE / 2);
      context.fillStyle = themeColor('--muted');
      if (lane.role) context.fillText(lane.role, 4, lane.top + LANE / 2 + 15);
    }
    this.within(context, left, 0, width - left - 12, height, () => {
      this.window.intervals.forEach((v, i) => this.drawInterval(context, v, i === this.chosen));
      const seen = this.window.messages.filter(m => m.received >= this.range[0] && m.sent <= this.range[1]);
      seen.forEach(m => this.drawMessage(context, m, seen.length > MANY_MESSAGES));
      this.drawWait(context);
      this.drawDrag(context, 0, height);
    });
  }

  drawAxis(context) {
    const format = axisFormat('s', this.range[1] - this.range[0]), base = this.window.begin;
    context.textAlign = 'center';
    for (const v of roundTicks(this.range.map(r => r - base), Math.max(2, Math.floor(this.width / 130)))) {
      const x = this.x(v + base);
      context.fillStyle = themeColor('--grid');
      context.fillRect(x, 20, 1, this.height - 44);
      context.fillStyle = themeColor('--muted');
      context.fillText(format(v), x, this.height - 10);
    }
    context.textAlign = 'left';
    context.fillText(`since ${formatNumber(base, 's')}`, 4, this.height - 10);
  }

  drawInterval(context, v, chosen) {
    const lane = this.window.lanes[v.lane], x = this.x(v.begin), width = Math.max(1, this.x(v.end) - x),
          y = lane.top + v.depth * LANE;
    context.fillStyle = regions.color(v.region);
    context.fillRect(x, y, width, LANE - 2);
    if (chosen) {
      context.strokeStyle = themeColor('--text');
      context.lineWidth = 2;
      context.strokeRect(x, y, width, LANE - 2);
    }
    const left = Math.max(x, this.x.range[0]), room = x + width - left - 8;
    if (room < 24) return;
    context.fillStyle = isLight(regions.color(v.region)) ? '#111' : '#fff';
    context.fillText(clipped(context, v.region, room), left + 4, y + LANE / 2 - 1);
  }

  /* Draws a frame around the wait. */
  drawWait(context) {
    const {wait} = this.window;
    if (!wait) return;
    const lane = this.window.lanes[wait.lane], x = this.x(wait.begin);
    context.strokeStyle = themeColor('--bad');
    context.lineWidth = 2;
    context.setLineDash([5, 3]);
    context.strokeRect(x, lane.top - 4, Math.max(2, this.x(wait.end) - x), lane.levels * LANE + 6);
    context.setLineDash([]);
  }

  drawMessage(context, m, thin) {
    const from = this.window.lanes[m.from], to = this.window.lanes[m.to];
    const down = to.top > from.top, x1 = this.x(m.sent), x2 = this.x(m.received);
    const y1 = down ? from.top + from.levels * LANE : from.top, y2 = down ? to.top : to.top + to.levels * LANE,
          angle = Math.atan2(y2 - y1, x2 - x1);
    context.strokeStyle = context.fillStyle = themeColor('--text');
    context.lineWidth = thin ? 0.5 : 1.3;
    context.globalAlpha = thin ? 0.5 : 1;
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
    context.globalAlpha = 1;
    if (thin) return;
    context.beginPath();
    context.moveTo(x2, y2);
    context.lineTo(x2 - 8 * Math.cos(angle - 0.35), y2 - 8 * Math.sin(angle - 0.35));
    context.lineTo(x2 - 8 * Math.cos(angle + 0.35), y2 - 8 * Math.sin(angle + 0.35));
    context.fill();
  }

  /* ---------------------------------------------------------------------------------------------------- actions -- */

  describe(v) {
    return [
      v.region, `${this.window.lanes[v.lane].name}`,
      `from ${formatNumber(v.begin - this.window.begin, 's')} for ${formatNumber(v.end - v.begin, 's')}`
    ];
  }

  intervalAt(x, y) {
    const time = this.x.invert(x);
    let found = -1;
    this.window.intervals.forEach((v, i) => {
      const top = this.window.lanes[v.lane].top + v.depth * LANE;
      if (v.begin <= time && time <= v.end && y >= top && y < top + LANE) found = i;
    });
    return found;
  }

  messageAt(x, y) {
    return this.window.messages.find(m => {
      const x1 = this.x(m.sent), x2 = this.x(m.received), y1 = this.window.lanes[m.from].top,
            y2 = this.window.lanes[m.to].top;
      const t = y1 === y2 ? -1 : (y - y1) / (y2 - y1);
      return t > 0 && t < 1 && Math.abs(x1 + t * (x2 - x1) - x) < 5;
    });
  }

  point(at, e) {
    if (!this.x) return;
    this.chosen = this.intervalAt(at.x, at.y);
    const m = this.chosen < 0 ? this.messageAt(at.x, at.y) : null;
    this.draw();
    if (this.chosen >= 0)
      showTip(this.describe(this.window.intervals[this.chosen]), e.clientX, e.clientY);
    else if (m)
      showTip(
          [`message, ${formatNumber(m.bytes, 'bytes')}`, `under way for ${formatNumber(m.received - m.sent, 's')}`],
          e.clientX, e.clientY);
    else
      hideTip();
  }

  show(from, to) {
    this.range = [from, to];
    this.redraw();
  }

  showAll() {
    this.show(this.window.begin, this.window.end);
  }

  zoom(factor) {
    const [a, b] = this.range, half = (b - a) * factor / 2, middle = (a + b) / 2;
    this.show(Math.max(this.window.begin, middle - half), Math.min(this.window.end, middle + half));
  }

  step(right) {
    const n = this.window.intervals.length;
    if (!right || !n) return false;
    this.chosen = clamped(this.chosen + right, 0, n - 1);
    const v = this.window.intervals[this.chosen], lines = this.describe(v), box = this.canvas.getBoundingClientRect();
    this.draw();
    this.spoken.textContent = lines.join(', ');
    showTip(lines, box.left + Math.max(this.left, this.x(v.begin)), box.top + this.window.lanes[v.lane].top);
  }
}

/* The start of a text that fits into the room. */
function clipped(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  let n = text.length;
  while (n > 0 && context.measureText(`${text.slice(0, n)}…`).width > room) n--;
  return n ? `${text.slice(0, n)}…` : '';
}

/* Rows of a table that belong to a window; none where there is no such table. */
function rowsInWindow(t, number) {
  const of = t ? t.values('window') : null;
  return of ? range(t.n).filter(k => String(of[k]) === String(number)) : [];
}

/* Ids of a window's locations, from the top: in the order of its filter, or by definition. */
function locationsOfWindow(i, number, of) {
  const shown = i.table('locations'), places = new Set();
  for (const k of rowsInWindow(shown, number)) places.add(String(shown.values('location')[k]));
  if (places.size) return [...places];
  for (const [name, columns] of [['intervals', ['location']], ['messages', ['from', 'to']]])
    for (const k of rowsInWindow(i.table(name), number))
      for (const c of columns) places.add(String(i.table(name).values(c)[k]));
  return [...places].sort((a, b) => locationPlace(a, of) - locationPlace(b, of));
}

function callsOfWindow(t, number, lane) {
  const begin = seconds(t, 'begin_s', 'begin'), end = seconds(t, 'end_s', 'end'), depth = t.values('depth');
  const rows = rowsInWindow(t, number).filter(k => lane.has(String(t.values('location')[k])));
  const least = depth ? extremes(rows.map(k => depth[k]))[0] : 0;
  return rows
      .map(k => ({
             lane: lane.get(String(t.values('location')[k])),
             depth: depth ? depth[k] - least : 0,
             region: t.values('region')[k] || '',
             begin: begin[k],
             end: end[k]
           }))
      .sort((a, b) => a.begin - b.begin || a.depth - b.depth);
}

function messagesOfWindow(t, number, lane) {
  const sent = seconds(t, 'sent_s', 'sent'), received = seconds(t, 'received_s', 'received');
  const [from, to, bytes] = ['from', 'to', 'bytes'].map(name => t.values(name));
  return rowsInWindow(t, number)
      .filter(k => sent[k] !== null && received[k] !== null && lane.has(String(from[k])) && lane.has(String(to[k])))
      .map(k => ({
             from: lane.get(String(from[k])),
             to: lane.get(String(to[k])),
             sent: sent[k],
             received: received[k],
             bytes: bytes ? bytes[k] : null
           }));
}

/* The window of one number, from three tables; missing ones leave their part empty. */
function timelineWindow(i, number, row, of = locations) {
  const windows = i.table('windows'), calls = i.table('intervals'), messages = i.table('messages');
  const order = locationsOfWindow(i, number, of), lane = new Map(order.map((v, k) => [v, k]));
  const is = (name, id) => windows.has(name) && String(windows.values(name)[row]) === id;
  const lanes = order.map(id => ({id, name: locationName(id, of), levels: 1,
                                  role: is('location', id) ? 'waits' : is('partner', id) ? 'is waited for' : ''}));
  const intervals = calls ? callsOfWindow(calls, number, lane) : [];
  for (const v of intervals) lanes[v.lane].levels = Math.max(lanes[v.lane].levels, v.depth + 1);
  const since = seconds(windows, 'from_s', 'from'), waiting = seconds(windows, 'waiting_s', 'waiting');
  const waits = lanes.findIndex(l => l.role === 'waits');
  return {
    title: `Timeline of window ${number}`,
    begin: seconds(windows, 'begin_s', 'begin')[row],
    end: seconds(windows, 'end_s', 'end')[row],
    lanes,
    intervals,
    messages: messages ? messagesOfWindow(messages, number, lane) : [],
    wait: since && waiting && waits >= 0 ? {lane: waits, begin: since[row], end: since[row] + waiting[row]} : null
  };
}

function timelineOf(i, box) {
  const windows = i.table('windows'), timeline = new Timeline();
  const numbers = windows.values('window') || range(windows.n);
  const grid = new Grid(windows, {
    label: 'Windows',
    height: 8,
    bars: ['waiting_s', 'waiting'],
    titles: {pattern: patternTitles(results.first('wait_states', 'patterns'))},
    onselect: row => timeline.open(timelineWindow(i, numbers[row], row))
  });
  box.append(
      element('p', {class: 'hint'}, 'Choose a window: a row, and Enter or a click.'), grid.element, timeline.element);
  grid.select(0);
}

/* Filters with tables of windows and intervals. */
function timelineFilters(of) {
  return [...new Set(of.instances().filter(i => i.table('windows') && i.table('intervals')).map(i => i.filter))];
}
