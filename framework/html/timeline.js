/* Stretches of time in which somebody waits for long: what the locations did then, and the messages between them. */

const LANE = 22; /* height of a level of calls, in pixels */

class Timeline {
  constructor(data) {
    this.data = data;
    this.canvas = element('canvas', {tabindex: 0, role: 'img', 'aria-label': 'Timeline of a window'});
    this.spoken = element('span', {class: 'spoken', role: 'status'});
    this.box = element('div', {class: 'plot'}, this.canvas);
    this.element = element('figure', null, this.box, this.spoken,
                           element('figcaption', null, 'Drag to zoom, double click or 0 to see all; ← and → go from call to call, arrows are messages.'));
    this.listen();
    whenSized(this.box, width => { this.width = width; this.draw(); });
  }

  /* w: {title, begin, end, lanes: [{name, role, levels}], intervals: [{lane, depth, region, begin, end}], messages} */
  show(w) {
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
    this.draw();
  }

  draw() {
    if (!this.width || !this.window) return;
    const ratio = window.devicePixelRatio || 1, context = this.canvas.getContext('2d'), left = 150;
    this.canvas.width = this.width * ratio;
    this.canvas.height = this.height * ratio;
    this.canvas.style.width = `${this.width}px`;
    this.canvas.style.height = `${this.height}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.x = d3.scale.linear().domain(this.range).range([left, this.width - 12]);
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    this.drawAxis(context, left);
    for (const lane of this.window.lanes) {
      context.fillStyle = themeColor('--text');
      context.fillText(clipped(context, lane.name, left - 14), 4, lane.top + LANE / 2);
      context.fillStyle = themeColor('--muted');
      if (lane.role) context.fillText(lane.role, 4, lane.top + LANE / 2 + 15);
    }
    context.save();
    context.beginPath();
    context.rect(left, 0, this.width - left - 12, this.height);
    context.clip();
    this.window.intervals.forEach((v, i) => this.drawInterval(context, v, i === this.chosen));
    this.window.messages.forEach(m => this.drawMessage(context, m));
    if (this.drag && this.drag.to !== null) {
      context.fillStyle = themeColor('--select');
      context.fillRect(Math.min(this.drag.from, this.drag.to), 0, Math.abs(this.drag.to - this.drag.from), this.height);
    }
    context.restore();
  }

  drawAxis(context, left) {
    const format = axisFormat('s'), base = this.window.begin;
    context.textAlign = 'center';
    for (const v of d3.scale.linear().domain(this.range.map(r => r - base)).ticks(Math.max(2, Math.floor(this.width / 130)))) {
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
    const lane = this.window.lanes[v.lane], x = this.x(v.begin), width = Math.max(1, this.x(v.end) - x), y = lane.top + v.depth * LANE;
    context.fillStyle = regions.color(v.region);
    context.fillRect(x, y, width, LANE - 2);
    if (chosen) {
      context.strokeStyle = themeColor('--text');
      context.lineWidth = 2;
      context.strokeRect(x, y, width, LANE - 2);
    }
    const left = Math.max(x, this.x.range()[0]), room = x + width - left - 8;
    if (room < 24) return;
    context.fillStyle = d3.lab(context.fillStyle = regions.color(v.region)).l > 55 ? '#111' : '#fff';
    context.fillText(clipped(context, v.region, room), left + 4, y + LANE / 2 - 1);
  }

  drawMessage(context, m) {
    const from = this.window.lanes[m.from], to = this.window.lanes[m.to];
    const down = to.top > from.top, x1 = this.x(m.sent), x2 = this.x(m.received);
    const y1 = down ? from.top + from.levels * LANE : from.top, y2 = down ? to.top : to.top + to.levels * LANE, angle = Math.atan2(y2 - y1, x2 - x1);
    context.strokeStyle = context.fillStyle = themeColor('--text');
    context.lineWidth = 1.3;
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
    context.beginPath();
    context.moveTo(x2, y2);
    context.lineTo(x2 - 8 * Math.cos(angle - 0.35), y2 - 8 * Math.sin(angle - 0.35));
    context.lineTo(x2 - 8 * Math.cos(angle + 0.35), y2 - 8 * Math.sin(angle + 0.35));
    context.fill();
  }

  /* ---------------------------------------------------------------------------------------------------- actions -- */

  describe(v) {
    return [v.region, `${this.window.lanes[v.lane].name}`, `from ${formatNumber(v.begin - this.window.begin, 's')} for ${formatNumber(v.end - v.begin, 's')}`];
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
      const x1 = this.x(m.sent), x2 = this.x(m.received), y1 = this.window.lanes[m.from].top, y2 = this.window.lanes[m.to].top;
      const t = y1 === y2 ? -1 : (y - y1) / (y2 - y1);
      return t > 0 && t < 1 && Math.abs(x1 + t * (x2 - x1) - x) < 5;
    });
  }

  listen() {
    const place = e => { const box = this.canvas.getBoundingClientRect(); return [e.clientX - box.left, e.clientY - box.top]; };
    this.canvas.addEventListener('pointerdown', e => { this.drag = {from: place(e)[0], to: null}; this.canvas.setPointerCapture(e.pointerId); });
    this.canvas.addEventListener('pointermove', e => {
      const [x, y] = place(e);
      if (this.drag) {
        this.drag.to = Math.abs(x - this.drag.from) > 4 ? x : null;
        return this.draw();
      }
      if (!this.window || !this.x) return;
      this.chosen = this.intervalAt(x, y);
      const m = this.chosen < 0 ? this.messageAt(x, y) : null;
      this.draw();
      if (this.chosen >= 0) showTip(this.describe(this.window.intervals[this.chosen]), e.clientX, e.clientY);
      else if (m) showTip([`message, ${formatNumber(m.bytes, 'bytes')}`, `under way for ${formatNumber(m.received - m.sent, 's')}`], e.clientX, e.clientY);
      else hideTip();
    });
    this.canvas.addEventListener('pointerup', () => {
      const drag = this.drag;
      this.drag = null;
      if (drag && drag.to !== null) this.range = [drag.from, drag.to].sort((a, b) => a - b).map(v => this.x.invert(v));
      this.draw();
    });
    this.canvas.addEventListener('pointerleave', hideTip);
    this.canvas.addEventListener('dblclick', () => this.reset());
    this.canvas.addEventListener('keydown', e => this.key(e));
  }

  reset() {
    this.range = [this.window.begin, this.window.end];
    this.draw();
  }

  key(e) {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    const n = this.window.intervals.length;
    if ((e.key === 'ArrowRight' || e.key === 'ArrowLeft') && n) {
      this.chosen = Math.max(0, Math.min(n - 1, this.chosen + (e.key === 'ArrowRight' ? 1 : -1)));
      const lines = this.describe(this.window.intervals[this.chosen]);
      this.draw();
      this.spoken.textContent = lines.join(', ');
      const box = this.canvas.getBoundingClientRect(), v = this.window.intervals[this.chosen];
      showTip(lines, box.left + Math.max(150, this.x(v.begin)), box.top + this.window.lanes[v.lane].top);
    } else if (e.key === '+' || e.key === '=' || e.key === '-') {
      const [a, b] = this.range, half = (b - a) * (e.key === '-' ? 1 : 0.25), middle = (a + b) / 2;
      this.range = [Math.max(this.window.begin, middle - half), Math.min(this.window.end, middle + half)];
      this.draw();
    } else if (e.key === '0' || e.key === 'Escape') {
      this.reset();
    } else {
      return;
    }
    e.preventDefault();
  }
}

/* As much of a text as there is room for. */
function clipped(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  let n = text.length;
  while (n > 0 && context.measureText(`${text.slice(0, n)}…`).width > room) n--;
  return n ? `${text.slice(0, n)}…` : '';
}

/* The window of one number, from the three tables; what is missing in them is missing in it. */
function timelineWindow(i, number, row) {
  const windows = i.table('windows'), calls = i.table('intervals'), messages = i.table('messages');
  const begin = seconds(windows, 'begin_s', 'begin', 'from')[row], end = seconds(windows, 'end_s', 'end', 'to')[row];
  const rowsIn = t => { const of = t && t.values('window'), rows = []; if (of) of.forEach((v, k) => { if (String(v) === String(number)) rows.push(k); }); return rows; };
  const callRows = rowsIn(calls), messageRows = rowsIn(messages), places = new Set();
  callRows.forEach(k => places.add(String(calls.values('location')[k])));
  messageRows.forEach(k => { places.add(String(messages.values('from')[k])); places.add(String(messages.values('to')[k])); });
  const order = [...places].sort((a, b) => locationPlace(a) - locationPlace(b)), lane = new Map(order.map((v, k) => [v, k]));
  const role = v => windows.has('location') && String(windows.values('location')[row]) === v ? 'waits'
    : windows.has('partner') && String(windows.values('partner')[row]) === v ? 'is waited for' : '';
  const lanes = order.map(v => ({name: locationName(v), role: role(v), levels: 1}));
  const first = calls ? seconds(calls, 'begin_s', 'begin', 'from') : [], last = calls ? seconds(calls, 'end_s', 'end', 'to') : [], depth = calls && calls.values('depth');
  const least = depth && callRows.length ? d3.min(callRows, k => depth[k]) : 0;
  const intervals = callRows.map(k => ({lane: lane.get(String(calls.values('location')[k])), depth: depth ? depth[k] - least : 0,
                                        region: calls.values('region')[k] || '', begin: first[k], end: last[k]}));
  for (const v of intervals) lanes[v.lane].levels = Math.max(lanes[v.lane].levels, v.depth + 1);
  const sent = messages ? seconds(messages, 'sent_s', 'sent') : [], received = messages ? seconds(messages, 'received_s', 'received') : [];
  return {title: `Timeline of window ${number}`, begin, end, lanes, intervals: intervals.sort((a, b) => a.begin - b.begin || a.depth - b.depth),
          messages: messageRows.filter(k => sent[k] !== null && received[k] !== null).map(k => ({
            from: lane.get(String(messages.values('from')[k])), to: lane.get(String(messages.values('to')[k])), sent: sent[k], received: received[k],
            bytes: messages.has('bytes') ? messages.values('bytes')[k] : null}))};
}

function timelineOf(i, box) {
  const windows = i.table('windows'), timeline = new Timeline();
  const numbers = windows.values('window') || Array.from({length: windows.n}, (_, k) => k);
  const grid = new Grid(windows, {label: 'Windows', height: 8, bars: ['waiting_s', 'waiting'], onselect: row => timeline.show(timelineWindow(i, numbers[row], row))});
  box.append(element('p', {class: 'hint'}, 'Choose a window: a row, and Enter or a click.'), grid.element, timeline.element);
  grid.select(0);
}

/* Filters whose results are windows with what happened in them. */
function timelineFilters(of) {
  return [...new Set(of.instances().filter(i => i.table('windows') && i.table('intervals')).map(i => i.filter))];
}

function timelineSection(panel) {
  for (const filter of timelineFilters(results)) eachInstance(panel, filter, 'windows', timelineOf);
  panel.append(tableList(tablesOf(...timelineFilters(results))));
}
