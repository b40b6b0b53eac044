/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The timeline of the whole run: a lane for each location, process or node, in the colours of what it did, from the
 * cells of `activity` and `activity_waits`; and the calls and messages of the windows of `timeline`. */

/* Cells by row: those of row r are first[r] to first[r + 1] - 1, by bin. */
class Cells {
  constructor(instance, key) {
    const cells = instance.table('cells'), bins = instance.table('bins');
    [this.row, this.bin, this.run, this.key, this.ticks] =
        ['row', 'bin', 'run', key, 'ticks'].map(name => cells.values(name));
    this.from = bins.values('from')[0];
    this.width = bins.values('width')[0];
    this.bins = bins.values('bins')[0];
    this.ticksOfBin = Number(bins.values('width_ticks')[0]);
    this.first = new Map();
    this.row.forEach((row, i) => {
      if (i === 0 || row !== this.row[i - 1]) this.first.set(row, [i, i]);
      this.first.get(row)[1] = i + 1;
    });
  }

  get to() {
    return this.from + this.bins * this.width;
  }

  /* Calls f(key, begin, end, seconds in this time) for the cells of a row within [from, to]; of cut ones the share. */
  each(row, from, to, f) {
    const [start, end] = this.first.get(row) || [0, 0], {width} = this;
    for (let i = start; i < end; i++) {
      const begin = this.from + this.bin[i] * width, close = begin + this.run[i] * width;
      if (close <= from) continue;
      if (begin >= to) break;
      const a = Math.max(begin, from), b = Math.min(close, to);
      f(this.key[i], a, b, this.ticks[i] / this.ticksOfBin * (b - a));
    }
  }
}

/* What the timeline shows: rows, their cells, their waits; the regions by number. */
class RunData {
  constructor(run, instance) {
    const waits = run.results.instances('activity_waits')[0];
    this.run = run;
    this.cells = new Cells(instance, 'region');
    const rows = instance.table('rows'), regionTable = instance.table('regions');
    const get = (name, i) => rows.has(name) ? rows.values(name)[i] : null;
    this.rows = range(rows.n).map(i => ({
                                    number: get('row', i),
                                    name: get('name', i) || '',
                                    process: get('process', i),
                                    rank: get('rank', i),
                                    node: get('node', i),
                                    kind: get('kind', i),
                                    location: get('location', i),
                                    locations: get('locations', i)
                                  }));
    const order = r => r.rank === null || r.rank < 0 ? Infinity : r.rank;
    this.rows.sort((a, b) => ascending(order(a), order(b)) || a.number - b.number);
    this.regions = new Map(range(regionTable.n).map(i => [regionTable.values('region')[i], {
                                                      name: regionTable.values('name')[i],
                                                      kind: regionTable.values('class')[i],
                                                      title: regionTable.values('class_title')[i],
                                                      time: regionTable.values('exclusive')[i]
                                                    }]));
    this.kinds = new Map([...this.regions.values()].map(r => [r.name, r.kind]));
    this.waits = null;
    this.patterns = new Map();
    const places = waits && waits.table('rows');
    if (waits && waits.table('bins').n && waits.table('cells').n) {
      this.waits = new Cells(waits, 'pattern');
      const t = waits.table('patterns');
      t.values('pattern').forEach((p, i) => this.patterns.set(p, t.values('title')[i]));
      this.waitRow = new Map(); /* rows of both are alike, unless their limits differ */
      const known = new Set(this.rows.map(r => r.number));
      for (const r of places.values('row'))
        if (known.has(r)) this.waitRow.set(r, r);
    }
    this.from = this.cells.from;
    this.to = this.cells.to;
    this.known = {selected: '', lanes: new Map()};
    this.rowOf = new Map(); /* by location */
    const ofProcess = new Map(this.rows.filter(r => r.kind === 'process').map(r => [r.process, r.number]));
    for (const [id, {process}] of run.locations)
      if (ofProcess.has(process)) this.rowOf.set(id, ofProcess.get(process));
    for (const r of this.rows)
      if (r.location !== null) this.rowOf.set(String(r.location), r.number);
  }

  /* Lanes of one kind: [{name, rows}]. */
  lanes(kind) {
    const selected = view.only === 'yes' ? view.processes.join('\n') : '';
    if (selected !== this.known.selected) this.known = {selected, lanes: new Map()};
    return entry(this.known.lanes, kind, () => this.makeLanes(kind));
  }

  /* Accelerators of a process or node have a lane beside its threads. */
  makeLanes(kind) {
    const groups = new Map(),
          isLeft = view.only === 'yes' &&view.processes.length ?
        r => r.process === null || view.processes.includes(r.process) :
        () => true;
    for (const r of this.rows.filter(isLeft)) {
      const of = kind === 'node' ? r.node : kind === 'process' ? `${r.rank} ${r.process}` : r.number;
      entry(groups, kind !== 'row' && r.kind === 'accelerator' ? `${of} accelerator` : of, () => []).push(r);
    }
    return [...groups.values()].map(rows => {
      const [first] = rows, thread = first.process && !first.name.startsWith(first.process) ? first.name : '';
      const rank = first.rank !== null && first.rank >= 0 ? first.rank : null;
      const process = rank !== null && !/\d/.test(first.process || '') ? `rank ${rank}` : first.process || first.name;
      const streams = first.kind !== 'accelerator' ? '' :
          rows.length === 1                        ? ', accelerator' :
                                                     `, accelerator × ${rows.length}`;
      const name = kind === 'node' ? `${first.node || 'unknown node'}${streams}` :
          kind === 'process' ? `${process}${streams}` :
          first.kind === 'process' || first.kind === 'node' ? first.name :
          thread                                            ? `${process}, ${thread}` :
                                                              first.name || process;
      return {name, rows, locations: sum(rows, r => r.locations || 1)};
    });
  }

  /* [from, to] from the last end of MPI_Init to the first begin of MPI_Finalize; null: that is about all. */
  mainPart() {
    const named = pattern => new Set(
        [...this.regions].filter(([, r]) => r.kind === 'mpi_init_exit' && pattern.test(r.name)).map(([key]) => key));
    const init = named(/init/i), exit = named(/finalize/i);
    let {from, to} = this;
    for (const r of this.rows)
      this.cells.each(r.number, this.from, this.to, (key, a, b) => {
        if (init.has(key)) from = Math.max(from, b);
        if (exit.has(key)) to = Math.min(to, a);
      });
    return from < to && to - from < 0.98 * (this.to - this.from) ? [from, to] : null;
  }

  isMpi(key) {
    const region = this.regions.get(key);
    return Boolean(region && region.kind.startsWith('mpi'));
  }

  /* Seconds by region, and of waits by pattern, of rows within a time. */
  totals(rows, from, to) {
    const regions = new Map(), waits = new Map();
    const add = (map, key, seconds) => map.set(key, (map.get(key) || 0) + seconds);
    for (const r of rows) {
      this.cells.each(r.number, from, to, (key, a, b, seconds) => add(regions, key, seconds));
      if (this.waits) this.waits.each(r.number, from, to, (key, a, b, seconds) => add(waits, key, seconds));
    }
    return {regions, waits};
  }
}

/* Classes of one colour: how their names begin, the colour, and what the legend calls them. */
const FAMILIES = [
  ['comp', '--c4', 'Computation'], ['accelerator', '--c7', 'Accelerator'],
  ['mpi_point2point', '--c2', 'MPI point-to-point communication'],
  ['mpi_collective', '--c6', 'MPI collective communication'], ['mpi_sync', '--c1', 'MPI synchronization'],
  ['mpi_rma', '--c5', 'MPI one-sided'], ['mpi_init', '--other', 'MPI init/finalize'],
  ['mpi_io', '--c8', 'MPI file I/O'], ['mpi', '--c0', 'MPI, management and other'], ['omp', '--c3', 'OpenMP'],
  ['pthread', '--c5', 'POSIX threads'], ['overhead', '--bad', 'Overhead'], ['idle', '--heat0', 'Idle'],
  ['communication', '--c2', 'Communication without MPI']
];

const OTHER_FAMILY = ['', '--other', 'Other'];

function familyOf(kind) {
  return FAMILIES.find(([start]) => kind.startsWith(start)) || OTHER_FAMILY;
}

function classColor(kind) {
  return themeColor(familyOf(kind)[1]);
}

const LANES_HEIGHT = 440; /* at most */
const SMALLEST_LANE = 3;
const FEWEST_LANES = 16; /* of several locations each */
const LARGEST_LANE = 22;
const RUN_TOP = 18;    /* the windows' marks */
const RUN_BOTTOM = 30; /* the axis */
const LANE_KINDS = [['row', 'locations'], ['process', 'processes'], ['node', 'nodes']];

class RunTimeline extends Drawing {
  /* whole: [from, to] of all that is shown, which may be more than this run */
  constructor(data, whole) {
    super(
        `Timeline of the whole run${data.run.label ? ` ${data.run.label}` : ''}`,
        'Drag, + and −, or the wheel with Ctrl zoom; 0 or a double click shows all; Shift with ← and → moves, ← ↑ → ↓ read ' +
            'values; the wheel with Alt, and < and >, choose fewer or more lanes.',
        'plot');
    this.data = data;
    this.whole = whole;
    this.windows = windowsOfRun(data.run);
    /* Rows of nodes know no processes. */
    const of = LANE_KINDS.findIndex(([kind]) => kind === data.rows[0].kind);
    this.kinds = LANE_KINDS.filter(
        ([kind], i) =>
            i === 0 || i > of && this.data.lanes(kind).length < this.data.lanes(LANE_KINDS[i - 1][0]).length);
    this.kinds[0] = ['row', of < 0 ? 'locations' : LANE_KINDS[of][1]];
    this.marks = marksOfRun(data.run);
    this.tracks = tracksOfRun(this.data.run);
    this.cursor = null;
    this.summary = element('div', {class: 'inview'});
    this.pick();
    watch(() => {
      this.pick();
      this.redraw();
    });
    this.canvas.addEventListener('wheel', e => this.wheel(e), {passive: false});
  }

  /* What the view says. */
  pick() {
    /* The finest lanes that have room; nodes only where there are some. */
    const fits = ([kind], i) => {
      const n = this.data.lanes(kind).length;
      return n * SMALLEST_LANE <= LANES_HEIGHT && (i === 0 || n >= FEWEST_LANES);
    };
    const automatic = this.kinds.find(fits) || this.kinds[0];
    const chosen = this.kinds.find(([kind]) => kind === view.rows) || automatic;
    this.kind = chosen[0];
    this.all = this.data.lanes(this.kind);
    const n = this.all.length, [first, last] = view.lanes || [0, n];
    this.shown = first < Math.min(last, n) ? [first, Math.min(last, n)] : [0, n];
    if (view.processes !== this.tracksOf) this.tracks = tracksOfRun(this.data.run);
    this.tracksOf = view.processes;
    this.colors = view.colors || 'class';
    const [begin, end] = this.whole, [from, to] = view.range || this.whole;
    this.range = from < end && to > begin ? [Math.max(from, begin), Math.min(to, end)] : this.whole;
  }

  /* Lanes as they are drawn: neighbours together where there are too many. */
  blocks() {
    const [first, last] = this.shown, n = last - first, each = Math.max(1, Math.ceil(n * SMALLEST_LANE / LANES_HEIGHT));
    return range(first, last, each).map(i => {
      const lanes = this.all.slice(i, Math.min(i + each, last));
      return lanes.length === 1 ? lanes[0] : {
        lanes: [i, i + lanes.length],
        name: `${lanes[0].name} … ${lanes[lanes.length - 1].name}`,
        rows: lanes.flatMap(l => l.rows),
        locations: sum(lanes, l => l.locations)
      };
    });
  }

  /* {n, of(key), colors(), name}: the category of a region's number; null: the colours are shares. */
  categories() {
    if (this.colors === 'class') {
      const families = [...new Set([...this.data.regions.values()].map(r => familyOf(r.kind)))];
      const place = new Map(families.map((f, i) => [f, i]));
      return {
        n: families.length,
        of: key => place.get(familyOf(this.data.regions.get(key).kind)),
        colors: families.map(f => view.state === null || f[0] === view.state ? themeColor(f[1]) : themeColor('--dim'))
      };
    }
    if (this.colors !== 'region') return null;
    const of = key => {
      const place = regions.place.get(this.data.regions.get(key).name);
      return place === undefined || place >= OWN_COLORS ? OWN_COLORS : place;
    };
    return {
      n: OWN_COLORS + 1,
      of,
      colors: [...range(OWN_COLORS).map(i => themeColor(`--c${i}`)), themeColor('--other')]
    };
  }

  draw() {
    const {width} = this, left = this.left, plot = Math.max(20, width - left - 12), blocks = this.blocks();
    this.lane = clamped(Math.floor(LANES_HEIGHT / blocks.length), SMALLEST_LANE, LARGEST_LANE);
    this.drawnBlocks = blocks;
    this.blockOf = new Map(blocks.flatMap((b, k) => b.rows.map(r => [r.number, k])));
    this.foot = RUN_TOP + blocks.length * this.lane + RUN_BOTTOM;
    this.tracksShown = view.hidden.includes('tracks') ? [] : this.tracks;
    this.height = this.foot + this.tracksShown.length * TRACK;
    this.box.style.height = `${this.height}px`;
    const context = this.resize(width, this.height);
    this.x = linearScale(this.range, [left, left + plot]);
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.fillStyle = themeColor('--sunken');
    context.fillRect(left, RUN_TOP, plot, blocks.length * this.lane);
    const image = this.pictureOf(blocks, Math.floor(plot));
    context.imageSmoothingEnabled = false;
    context.drawImage(image, left, RUN_TOP, Math.floor(plot), blocks.length * this.lane);
    this.names(context, blocks);
    this.axis(context, plot);
    this.tracksShown.forEach((t, k) => t.draw(context, this, this.foot + k * TRACK));
    this.within(context, left, 0, plot, this.foot - RUN_BOTTOM, () => {
      this.dimOthers(context, blocks, left, plot);
      this.windows.forEach(w => this.drawWindow(context, w, blocks));
      for (const [key, , marks] of this.marks)
        if (!view.hidden.includes(key)) marks.draw(context, this);
      if (this.lane >= 6)
        for (let k = 1; k < blocks.length; k++) {
          context.fillStyle = themeColor('--panel');
          context.fillRect(left, RUN_TOP + k * this.lane - 1, plot, 1);
        }
      if (this.cursor) {
        context.fillStyle = themeColor('--text');
        context.fillRect(Math.round(this.x(this.cursor.time)), RUN_TOP, 1, blocks.length * this.lane);
        context.strokeStyle = themeColor('--text');
        context.lineWidth = 1;
        context.strokeRect(left + 0.5, RUN_TOP + this.cursor.block * this.lane - 0.5, plot - 1, this.lane);
      }
      this.drawDrag(context, RUN_TOP, blocks.length * this.lane);
    });
    if (this.summarised === this.pictured.key) return;
    this.summarised = this.pictured.key;
    clearTimeout(this.later);
    this.later = setTimeout(() => this.summarise(), 60);
  }

  /* The block with a location; undefined: none of those that are shown. */
  laneOf(id) {
    return this.blockOf.get(this.data.rowOf.get(String(id)));
  }

  /* Pales the lanes of processes that are not selected. */
  dimOthers(context, blocks, left, plot) {
    if (!view.processes.length || view.only === 'yes') return;
    context.globalAlpha = 0.7;
    context.fillStyle = themeColor('--panel');
    blocks.forEach((b, k) => {
      if (!b.rows.some(r => view.processes.includes(r.process)))
        context.fillRect(left, RUN_TOP + k * this.lane, plot, this.lane);
    });
    context.globalAlpha = 1;
  }

  /* The last picture, where it is still right. */
  pictureOf(blocks, columns) {
    const key = [
      columns, this.range, this.kind, this.shown, this.data.known.selected, this.colors, view.region, view.state,
      themeColor('--panel')
    ].join();
    if (!this.pictured || this.pictured.key !== key) this.pictured = {key, image: this.picture(blocks, columns)};
    return this.pictured.image;
  }

  /* A pixel for each column and lane. */
  picture(blocks, columns) {
    const {data} = this, [from, to] = this.range, perSecond = columns / (to - from), categories = this.categories();
    const image = new ImageData(Math.max(1, columns), Math.max(1, blocks.length));
    const n = categories ? categories.n : 1, sums = new Float64Array(columns * n);
    const colors = categories ? categories.colors.map(rgbOf) : this.ramp();
    const cells = this.colors === 'waiting' ? data.waits : data.cells;
    const take = this.colors === 'mpi' ? key => data.isMpi(key) :
        this.colors === 'one'          ? key => data.regions.get(key).name === view.region :
                                         () => true;
    blocks.forEach((block, y) => {
      sums.fill(0);
      for (const r of cells ? block.rows : [])
        cells.each(r.number, from, to, (key, a, b, seconds) => {
          if (!categories && !take(key)) return;
          const at = categories ? categories.of(key) : 0, x0 = (a - from) * perSecond, x1 = (b - from) * perSecond;
          const last = Math.min(columns - 1, Math.ceil(x1) - 1), density = seconds / (x1 - x0 || 1);
          for (let x = Math.max(0, Math.floor(x0)); x <= last; x++)
            sums[x * n + at] += density * (Math.min(x + 1, x1) - Math.max(x, x0));
        });
      for (let x = 0; x < columns; x++) {
        let best = -1, most = 0;
        for (let k = 0; k < n; k++)
          if (sums[x * n + k] > most) {
            most = sums[x * n + k];
            best = k;
          }
        if (best < 0) continue;
        const share = most * perSecond / block.locations;
        const color = categories ? colors[best] : colors[Math.min(255, Math.round(share * 255))];
        image.data.set([...color, 255], 4 * (y * columns + x));
      }
    });
    const small = element('canvas', {width: image.width, height: image.height});
    small.getContext('2d').putImageData(image, 0, 0);
    return small;
  }

  ramp() {
    return rampOf(['--heat0', '--heat1', '--heat2'].map(themeColor), 256);
  }

  names(context, blocks) {
    const step = Math.ceil(13 / this.lane);
    context.fillStyle = themeColor('--text');
    context.textAlign = 'left';
    for (let k = 0; k < blocks.length; k += step)
      context.fillText(clipped(context, blocks[k].name, this.left - 14), 4, RUN_TOP + (k + 0.5) * this.lane);
  }

  axis(context, plot) {
    const foot = this.foot - RUN_BOTTOM, {base, ticks} = timeTicks(this.range, Math.max(2, plot / 130));
    context.textAlign = 'center';
    for (const [v, label] of ticks) {
      context.fillStyle = themeColor('--line');
      context.fillRect(Math.round(this.x(v)), foot, 1, 5);
      context.fillStyle = themeColor('--muted');
      context.fillText(label, inside(context, label, this.x(v), this.width), foot + 13);
    }
    context.textAlign = 'left';
    if (base) context.fillText(base, 4, foot + 13);
  }

  /* ---------------------------------------------------------------------------------------------------- windows -- */

  drawWindow(context, w, blocks) {
    const x = this.x(w.begin), width = Math.max(3, this.x(w.end) - x);
    context.fillStyle = themeColor('--bad');
    context.fillRect(x, RUN_TOP - 8, width, 5);
    if (width < 80) return;
    const opened = w.open(), lane = i => this.callsLane(opened.lanes[i].id, blocks);
    this.drawCalls(context, opened, lane);
    this.drawMessages(context, opened, lane, width);
  }

  /* Calls, the innermost last; a name stands where no call lies over it. */
  drawCalls(context, opened, lane) {
    const boxes = [], {lane: height} = this;
    for (const v of [...opened.intervals].sort((a, b) => a.depth - b.depth)) {
      const k = lane(v.lane), left = this.x(v.begin), right = Math.max(left + 1, this.x(v.end));
      if (k === undefined || right < this.left || left > this.width) continue;
      const inset = Math.min(v.depth * 2, height - 5), box = {v, k, left: Math.max(left, this.left), right};
      context.fillStyle = this.colorOf(v.region);
      context.fillRect(left, RUN_TOP + k * height + inset, right - left, height - 1 - inset);
      if (height >= 12 && right - box.left >= 40) boxes.push(box);
    }
    context.textAlign = 'left';
    for (const b of boxes) {
      const over = boxes.filter(o => o.k === b.k && o.v.depth > b.v.depth && o.right > b.left && o.left < b.right),
            room = Math.min(b.right, ...over.map(o => o.left)) - b.left;
      if (room < 40) continue;
      context.fillStyle = isLight(this.colorOf(b.v.region)) ? '#111' : '#fff';
      context.fillText(clipped(context, b.v.region, room - 6), b.left + 3, RUN_TOP + (b.k + 0.5) * height);
    }
  }

  /* Messages, those of the selected pair where there is one. */
  drawMessages(context, opened, lane, width) {
    const process = i => (this.data.run.locations.get(opened.lanes[i].id) || {}).process, pair = view.message;
    const seen = opened.messages.filter(m => !pair || (process(m.from) === pair[0] && process(m.to) === pair[1]));
    if (4 * seen.length > width) return; /* lines side by side would hide the calls */
    context.strokeStyle = themeColor('--text');
    context.lineWidth = 1;
    context.beginPath();
    for (const m of seen) {
      const a = lane(m.from), b = lane(m.to);
      if (a === undefined || b === undefined) continue;
      context.moveTo(this.x(m.sent), RUN_TOP + (a + 0.5) * this.lane);
      context.lineTo(this.x(m.received), RUN_TOP + (b + 0.5) * this.lane);
    }
    context.stroke();
  }

  /* The block that has this location alone, so that there is room for its calls. */
  callsLane(id, blocks) {
    const k = this.laneOf(id);
    return k !== undefined && blocks[k].rows.length === 1 ? k : undefined;
  }

  /* The innermost call at a time and block, of the windows that are drawn as calls. */
  callAt(time, k) {
    const w = this.windows.find(v => time >= v.begin && time <= v.end);
    if (!w || this.x(w.end) - this.x(w.begin) < 80) return null;
    const opened = w.open(),
          inside = opened.intervals.filter(
              v => v.begin <= time && time < v.end && this.callsLane(opened.lanes[v.lane].id, this.drawnBlocks) === k);
    return inside.length ? inside.reduce((a, b) => b.depth > a.depth ? b : a) : null;
  }

  /* --------------------------------------------------------------------------------------------- what is in view -- */

  /* Regions with the most time in the range and lanes that are shown; a click colours one by its share. */
  summarise() {
    const {data} = this, [from, to] = this.range, rows = this.drawnBlocks.flatMap(b => b.rows);
    const {regions: found, waits} = data.totals(rows, from, to);
    const all = sum([...found.values()]), inMpi = sum([...found], ([key, s]) => data.isMpi(key) ? s : 0);
    const waiting = sum([...waits.values()]);
    const top = [...found].sort((a, b) => b[1] - a[1]).slice(0, 8), most = top.length ? top[0][1] : 1;
    const percent = v => formatNumber(all > 0 ? 100 * v / all : 0, '%');
    const lanes = this.all.slice(...this.shown).filter(l => this.kind === 'row' || l.rows[0].kind !== 'accelerator');
    const title = `${formatTimes(from, to).join(' to ')}, ${plural(lanes.length, ...this.singular())}: ${
        formatNumber(
            all, 's')} in regions, ${percent(inMpi)} of it in MPI${data.waits ? `, ${percent(waiting)} waiting` : ''}`;
    refill(
        this.summary,
        element('p', {class: 'hint', role: 'status', dataset: {from, to, all, mpi: inMpi, waiting}}, title),
        element('ul', {class: 'bars', 'aria-label': 'Regions in view'}, ...top.map(([key, seconds]) => {
          const {name, title: kind} = data.regions.get(key), isChosen = view.region === name;
          const toggle = () => setView(isChosen ? {region: null, colors: null} : {region: name, colors: 'one'});
          return element(
              'li', {dataset: {region: name, seconds}},
              element(
                  'button', {
                    type: 'button',
                    class: 'name',
                    'aria-pressed': String(isChosen),
                    onclick: toggle,
                    'data-tip': `${name}\n${kind}\nA click colours the timeline by the share of this region`
                  },
                  name),
              element('span', {class: 'track'}, element('span', {
                        class: 'mean',
                        style: `width:${(100 * seconds / most).toFixed(2)}%;background:${this.colorOf(name)}`
                      })),
              element('span', {class: 'value'}, `${formatNumber(seconds, 's')}, ${percent(seconds)}`));
        })));
  }

  /* The colour of a region by its name. */
  colorOf(name) {
    return this.colors === 'class' ? classColor(this.data.kinds.get(name) || 'comp') : regions.color(name);
  }

  singular() {
    return {locations: ['location'], processes: ['process', 'processes'], nodes: [
              'node'
            ]}[this.kinds.find(([kind]) => kind === this.kind)[1]];
  }

  /* Lines for the tip at a time and lane. */
  describe(time, k) {
    const {data} = this, block = this.drawnBlocks[k], {width} = data.cells;
    const bin = Math.floor((time - data.from) / width), from = data.from + bin * width;
    const {regions: found, waits} = data.totals(block.rows, from, from + width);
    const share = v => formatNumber(100 * v / (width * block.locations), '%');
    const call = this.callAt(time, k), marks = new Map(this.marks.map(([key, , m]) => [key, m]));
    const onPath = marks.has('path') ? marks.get('path').inLanes(this, from, from + width).get(k) : 0;
    const near = 3 * (this.range[1] - this.range[0]) / Math.max(1, this.width);
    const chain = marks.has('chains') ? marks.get('chains').describe(this, time, k, near) : null;
    return [
      block.name,
      ...(call ? [`${call.region}, from ${formatTimes(call.begin, call.end)[0]} for ${
                     formatNumber(call.end - call.begin, 's')}`] :
                 []),
      ...(chain || []), ...(onPath > 0 ? [`on the critical path: ${formatNumber(100 * onPath / width, '%')}`] : []),
      `from ${formatTimes(from, from + width)[0]}, for ${formatNumber(width, 's')}`,
      ...[...found]
          .sort((a, b) => b[1] - a[1])
          .slice(0, 6)
          .map(([key, s]) => [this.colorOf(data.regions.get(key).name), data.regions.get(key).name, share(s)]),
      ...[...waits]
          .sort((a, b) => b[1] - a[1])
          .slice(0, 3)
          .map(([key, s]) => [null, `waiting: ${data.patterns.get(key)}`, share(s)])
    ];
  }

  /* ---------------------------------------------------------------------------------------------------- actions -- */

  blockAt(y) {
    return clamped(Math.floor((y - RUN_TOP) / this.lane), 0, this.drawnBlocks.length - 1);
  }

  read(time, block) {
    this.cursor = {time, block};
    this.canvas.dataset.bin = Math.floor((time - this.data.from) / this.data.cells.width);
    this.redraw();
    return this.describe(time, block);
  }

  point(at, e) {
    if (!this.x || at.y < 0 || at.y > this.height) return this.leave();
    if (at.y > this.foot) return this.pointTrack(at, e);
    if (at.y > this.foot - RUN_BOTTOM) return this.leave();
    if (at.x < this.left && at.y > RUN_TOP) {
      const block = this.drawnBlocks[this.blockAt(at.y)];
      return showTip(
          [block.name, this.opens(block) ? 'Click to see its parts' : 'Click to select the process'], e.clientX,
          e.clientY);
    }
    if (at.x < this.left) return this.leave();
    const time = this.x.invert(at.x), w = at.y < RUN_TOP && this.windowAt(time);
    if (w) return showTip([w.title, 'Click to see its calls'], e.clientX, e.clientY);
    showTip(this.read(time, this.blockAt(at.y)), e.clientX, e.clientY);
  }

  pointTrack(at, e) {
    const track = this.tracksShown[Math.floor((at.y - this.foot) / TRACK)];
    if (!track || at.x < this.left) return this.leave();
    const time = this.x.invert(at.x), i = track.at(time);
    showTip(
        [
          ...[track.name, track.where].filter(text => text),
          i < 0 ? formatNumber(time, 's') : `from ${formatNumber(track.from[i], 's')}`, track.text(i)
        ],
        e.clientX, e.clientY);
  }

  windowAt(time) {
    const near = 4 * (this.range[1] - this.range[0]) / Math.max(1, this.width);
    return this.windows.find(w => time >= w.begin - near && time <= w.end + near);
  }

  click(at) {
    const w = this.x && at.y < RUN_TOP && this.windowAt(this.x.invert(at.x));
    if (w) return this.openWindow(w);
    if (at.x < this.left && at.y > RUN_TOP && at.y < this.foot - RUN_BOTTOM) this.openBlock(this.blockAt(at.y));
  }

  /* Has a block several lanes, or a node's processes? */
  opens(block) {
    return block.lanes !== undefined || (this.kind === 'node' && this.kinds.length > 1);
  }

  /* Shows the parts of a block in lanes of their own; selects the process of one that has none. */
  openBlock(k) {
    const block = this.drawnBlocks[k], names = [...new Set(block.rows.map(r => r.process).filter(p => p))];
    if (block.lanes !== undefined) {
      setView({lanes: block.lanes});
    } else if (this.opens(block)) {
      const finer = this.kinds[this.kinds.findIndex(([kind]) => kind === 'node') - 1][0];
      setView({rows: finer, lanes: null, processes: names, only: 'yes'});
    } else if (names.length) {
      setView({processes: toggled(view.processes, names[0])});
    }
    this.cursor = null;
  }

  openWindow(w) {
    const ids = new Set(w.open().lanes.map(l => l.id));
    const places = this.data.lanes('row')
                       .map((l, i) => [i, String(l.rows[0].location)])
                       .filter(([, id]) => ids.has(id))
                       .map(([i]) => i);
    const lanes = places.length ? [extremes(places)[0], extremes(places)[1] + 1] : null;
    setView({range: [w.begin, w.end], rows: 'row', lanes});
  }

  leave() {
    hideTip();
    if (!this.cursor) return;
    this.cursor = null;
    this.redraw();
  }

  select(from, to) {
    const [a, b] = [from.x, to.x].map(x => this.x.invert(clamped(x, ...this.x.range))).sort(ascending);
    this.show(a, b);
  }

  show(from, to) {
    const [begin, end] = this.whole, width = Math.max(to - from, (end - begin) * 1e-7);
    from = clamped(from, begin, Math.max(begin, end - width));
    to = Math.min(end, from + width);
    setView({range: from <= begin && to >= end ? null : [from, to]});
  }

  showAll() {
    setView({range: null, lanes: null});
  }

  zoom(factor, at) {
    const [from, to] = this.range, middle = at !== undefined ? at : this.cursor ? this.cursor.time : (from + to) / 2;
    this.show(middle - (middle - from) * factor, middle + (to - middle) * factor);
  }

  /* Fewer or more lanes around one. */
  zoomLanes(factor, lane) {
    const [first, last] = this.shown, n = clamped(Math.round((last - first) * factor), 1, this.all.length);
    const start = clamped(Math.round(lane - (lane - first) * n / (last - first)), 0, this.all.length - n);
    this.cursor = null;
    setView({lanes: n < this.all.length ? [start, start + n] : null});
  }

  wheel(e) {
    const isFocused = document.activeElement === this.canvas;
    if (!(e.ctrlKey || e.metaKey || e.altKey || isFocused)) return; /* the page scrolls */
    e.preventDefault();
    const at = this.place(e), factor = Math.exp(clamped(e.deltaY, -200, 200) / 300);
    const [first, last] = this.shown;
    if (e.altKey)
      this.zoomLanes(factor, first + (last - first) * this.blockAt(at.y) / this.drawnBlocks.length);
    else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
      this.move((e.deltaX || e.deltaY) / this.width);
    else
      this.zoom(factor, this.x.invert(at.x));
  }

  /* By a part of the range. */
  move(part) {
    const [from, to] = this.range;
    this.show(from + part * (to - from), to + part * (to - from));
  }

  key(e) {
    const [first, last] = this.shown;
    if (e.shiftKey && (e.key === 'ArrowLeft' || e.key === 'ArrowRight')) {
      this.move(e.key === 'ArrowLeft' ? -0.25 : 0.25);
      e.preventDefault();
    } else if (e.key === '<' || e.key === '>') {
      this.zoomLanes(e.key === '<' ? 0.5 : 2, this.cursor ? first + this.cursor.block : (first + last) / 2);
      e.preventDefault();
    } else if ((e.key === 'Enter' || e.key === 's') && this.cursor) {
      this.openBlock(this.cursor.block);
      e.preventDefault();
    } else {
      super.key(e);
    }
  }

  step(right, down) {
    const [from, to] = this.range, by = Math.max(this.data.cells.width, (to - from) / 100);
    const at = this.cursor || {time: from - (right > 0 ? by / 2 : -by / 2), block: 0};
    const block = clamped(at.block + down, 0, this.drawnBlocks.length - 1);
    const time = clamped(at.time + right * by, from, to - by / 2), lines = this.read(time, block);
    const box = this.canvas.getBoundingClientRect();
    this.spoken.textContent = lines.map(l => typeof l === 'string' ? l : `${l[1]} ${l[2]}`).join(', ');
    showTip(lines, box.left + this.x(time), box.top + RUN_TOP + block * this.lane);
  }
}

/* ------------------------------------------------------------------------------------------------------- section -- */

/* Windows with calls, of all filters that report them. */
function windowsOfRun(run) {
  const {results} = run;
  return timelineFilters(results).flatMap(filter => results.instances(filter)).flatMap(i => {
    const t = i.table('windows'), begin = seconds(t, 'begin_s', 'begin'), end = seconds(t, 'end_s', 'end');
    const titles = patternTitles(results.first('wait_states', 'patterns'));
    const waiting = seconds(t, 'waiting_s', 'waiting'), numbers = t.values('window') || range(t.n);
    return range(t.n).map(row => {
      let opened = null;
      const pattern = t.has('pattern') ? t.values('pattern')[row] : '';
      return {
        begin: begin[row],
        end: end[row],
        title: `${titles.get(pattern) || pattern}${waiting ? `, ${formatNumber(waiting[row], 's')}` : ''}`,
        open: () => opened = opened || timelineWindow(i, numbers[row], row, run.locations)
      };
    });
  });
}

/* Colours of the timeline that make sense here. */
function colorChoices(data) {
  return [
    ['class', 'what is done'], ['region', 'region'], ['mpi', 'share of MPI'],
    ...(data.waits ? [['waiting', 'share of waiting']] : []),
    ...(view.region ? [['one', `share of ${view.region}`]] : [])
  ];
}

function runLegend(timeline) {
  const {data} = timeline;
  if (timeline.colors === 'class') {
    const time = new Map();
    for (const r of data.regions.values()) {
      const family = familyOf(r.kind);
      time.set(family, (time.get(family) || 0) + r.time);
    }
    return choiceLegend(
        [...time].sort((a, b) => b[1] - a[1]).map(([[start, color, name]]) => ({
                                                    name,
                                                    color: () => themeColor(color),
                                                    chosen: view.state === start,
                                                    choose: () => setView({state: view.state === start ? null : start})
                                                  })));
  }
  if (timeline.colors === 'region') {
    const names = regions.ranked.slice(0, OWN_COLORS).map(name => ({name, color: () => regions.color(name)}));
    return legend(
        regions.ranked.length > OWN_COLORS ? [...names, {name: 'other regions', color: () => themeColor('--other')}] :
                                             names);
  }
  return legend([0, 0.5, 1].map(v => ({
                                  name: formatNumber(100 * v, '%').replace('.00', ''),
                                  color: () => `rgb(${timeline.ramp()[Math.round(v * 255)]})`
                                })));
}

/* What a run did, of its first instance of activity; null: there is none, or it has no cells. */
function dataOfRun(run) {
  const instance = run.results.instances('activity')[0];
  if (!instance || !instance.table('cells') || !instance.table('cells').n || !instance.table('bins').n) return null;
  return new RunData(run, instance);
}

/* The timeline of a run, of what is shown [from, to]. */
function runTimeline(data, whole = [data.from, data.to]) {
  const timeline = new RunTimeline(data, whole), tools = element('div'), legends = element('div');
  const main = data.mainPart();
  const controls = () => {
    const colors = choice('Colours', colorChoices(data), v => setView({colors: v === 'class' ? null : v}));
    colors.select.value = timeline.colors;
    const rows = choice('Lanes', timeline.kinds, v => setView({rows: v, lanes: null}));
    rows.select.value = timeline.kind;
    const range = element('button', {type: 'button', onclick: () => timeline.showAll()}, 'Whole run');
    const inner = main ? element(
                             'button', {
                               type: 'button',
                               'data-tip': 'From the end of MPI_Init to the begin of MPI_Finalize',
                               onclick: () => setView({range: main})
                             },
                             'Without MPI_Init and MPI_Finalize') :
                         null;
    const drawings = [
      ...timeline.marks.map(([key, title]) => [key, title]), ...(timeline.tracks.length ? [['tracks', 'counters']] : [])
    ].map(([key,
            title]) => checkbox(title, !view.hidden.includes(key), () => setView({hidden: toggled(view.hidden, key)})));
    refill(tools, toolbar(colors, timeline.kinds.length > 1 ? rows : null, range, inner, ...drawings));
    refill(legends, runLegend(timeline));
  };
  controls();
  watch(controls);
  drawn.add(() => clear(legends).append(runLegend(timeline)));
  const note = cutNotice(data.run.results.first('activity', 'cells'));
  return element('div', {class: 'run'}, note, tools, legends, timeline.element, timeline.summary);
}
