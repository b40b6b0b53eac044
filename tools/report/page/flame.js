/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The call tree as a flame graph: a box for each call path, as wide as its time, below the one that calls it. */

const FLAME_ROW = 19;
const INIT_AND_EXIT = /^P?MPI_(Init|Init_thread|Finalize)_?$/i;
const FLAME_LEVELS = 40; /* at most, below the chosen call path */

class FlameGraph extends Drawing {
  /* names, depths, inclusive, exclusive, visits: of the call paths, depth first. */
  constructor(tree) {
    super(
        'Flame graph of the call tree',
        'A click or Enter shows the calls of a box alone, 0 or a double click shows all; arrows go from box to box, s selects its region.',
        'plot');
    this.tree = tree;
    this.parents = parentsByDepth(tree.depths);
    this.root = this.chosen = -1;
    this.leaveOut(false);
  }

  /* Sets the widths of boxes: with, or without, MPI_Init and MPI_Finalize. */
  leaveOut(without) {
    const {names, exclusive} = this.tree, isOut = name => without && INIT_AND_EXIT.test(name);
    this.time = withBelow(exclusive.map((v, i) => isOut(names[i]) ? 0 : v), this.parents);
    this.redraw();
  }

  /* Boxes of what is below the root, {row, left, width, level} in parts of it. */
  boxes() {
    const {tree, time, parents, root} = this, at = new Map(), found = [];
    const roots = root < 0 ? parents.map((p, i) => p < 0 ? i : -1).filter(i => i >= 0) : [root];
    const total = sum(roots, i => time[i]) || 1;
    let left = 0;
    for (const i of roots) {
      at.set(i, {row: i, left, width: time[i] / total, level: 0, used: 0});
      left += time[i] / total;
      found.push(at.get(i));
    }
    tree.depths.forEach((_, i) => {
      const parent = at.get(parents[i]);
      if (at.has(i) || !parent || parent.level >= FLAME_LEVELS) return;
      const box = {row: i, left: parent.left + parent.used, width: time[i] / total, level: parent.level + 1, used: 0};
      parent.used += box.width;
      at.set(i, box);
      found.push(box);
    });
    return found.filter(b => b.width > 2e-4);
  }

  draw() {
    this.shown = this.boxes();
    const height = (1 + extremes(this.shown.map(b => b.level))[1]) * FLAME_ROW + 4;
    this.box.style.height = `${height}px`;
    const context = this.resize(this.width, height);
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    for (const b of this.shown) {
      const x = b.left * this.width, width = Math.max(1, b.width * this.width - 1), y = b.level * FLAME_ROW;
      const color = regions.color(this.tree.names[b.row]);
      context.globalAlpha = view.region && view.region !== this.tree.names[b.row] ? 0.35 : 1;
      context.fillStyle = color;
      context.fillRect(x, y, width, FLAME_ROW - 1);
      context.globalAlpha = 1;
      if (b.row === this.chosen) {
        context.strokeStyle = themeColor('--text');
        context.lineWidth = 2;
        context.strokeRect(x + 1, y + 1, Math.max(1, width - 2), FLAME_ROW - 3);
      }
      if (width < 30) continue;
      context.fillStyle = isLight(color) ? '#111' : '#fff';
      context.fillText(clipped(context, this.tree.names[b.row], width - 8), x + 4, y + FLAME_ROW / 2);
    }
  }

  describe(i) {
    const {tree} = this;
    return [
      tree.names[i], `with what it calls: ${formatNumber(tree.inclusive[i], 's')}`,
      `itself: ${formatNumber(tree.exclusive[i], 's')}`, plural(tree.visits[i], 'visit')
    ];
  }

  boxAt(at) {
    const x = at.x / this.width, level = Math.floor(at.y / FLAME_ROW);
    return (this.shown || []).find(b => b.level === level && x >= b.left && x < b.left + b.width);
  }

  point(at, e) {
    const b = this.boxAt(at);
    this.chosen = b ? b.row : -1;
    this.redraw();
    if (b)
      showTip(this.describe(b.row), e.clientX, e.clientY);
    else
      hideTip();
  }

  openBox(row) {
    this.root = row;
    this.redraw();
  }

  click(at) {
    const b = this.boxAt(at);
    if (b) this.openBox(b.row);
  }

  select(from) {
    this.click(from);
  }

  zoom(factor) {
    this.openBox(factor < 1 ? this.chosen : this.root < 0 ? -1 : this.parents[this.root]);
  }

  showAll() {
    this.openBox(-1);
  }

  key(e) {
    if (e.key === 'Enter' && this.chosen >= 0) {
      this.openBox(this.chosen);
      e.preventDefault();
    } else if (e.key === 's' && this.chosen >= 0) {
      selectLink(['region', this.tree.names[this.chosen]]);
      e.preventDefault();
    } else {
      super.key(e);
    }
  }

  step(right, down) {
    const at = this.shown.findIndex(b => b.row === this.chosen), b = this.shown[at];
    let next = this.shown[0];
    if (b && down > 0) next = this.shown.find(v => this.parents[v.row] === b.row) || b;
    if (b && down < 0) next = this.shown.find(v => v.row === this.parents[b.row]) || b;
    if (b && right) {
      const level = this.shown.filter(v => v.level === b.level);
      next = level[clamped(level.indexOf(b) + right, 0, level.length - 1)];
    }
    this.chosen = next.row;
    this.redraw();
    const lines = this.describe(next.row), box = this.canvas.getBoundingClientRect();
    this.spoken.textContent = lines.join(', ');
    showTip(lines, box.left + next.left * this.width, box.top + next.level * FLAME_ROW);
  }
}

function flameGraph(i, box) {
  const t = i.table('calltree_profile');
  if (!t.has('call_path', 'depth', 'inclusive', 'exclusive', 'visits')) return;
  const graph = new FlameGraph({
    names: t.values('call_path').map(v => (v || NO_CALL).trim()),
    depths: t.values('depth'),
    inclusive: t.values('inclusive'),
    exclusive: t.values('exclusive'),
    visits: t.values('visits').map(Number)
  });
  watch(() => graph.redraw());
  const some = graph.tree.names.some(name => INIT_AND_EXIT.test(name)) && graph.tree.names.length > 1;
  if (some) graph.leaveOut(true);
  box.append(
      subheading('Flame graph', 'The call tree of all locations; boxes are as wide as their time'),
      some ? toolbar(checkbox('Without MPI_Init and MPI_Finalize', true, on => graph.leaveOut(on))) : '',
      graph.element);
}
