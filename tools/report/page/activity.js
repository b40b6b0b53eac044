/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Charts of the time profile and of load imbalance. */

/* Bins of a table with a row for each bin and name: {x, width, layers: Map name -> values}. */
function binned(table, name, value) {
  const [from, width, names, values] = ['from', 'width', name, value].map(c => table.values(c));
  const start = new Map(from.map((v, i) => [v, width[i]]));
  const x = [...start.keys()].sort((a, b) => a - b), at = new Map(x.map((v, i) => [v, i])), layers = new Map();
  for (let i = 0; i < table.n; i++)
    entry(layers, names[i], () => new Float64Array(x.length))[at.get(from[i])] += values[i];
  return {x, width: x.map(v => start.get(v)), layers};
}

/* Layers for the regions with a colour of their own, and one for all others. */
function regionLayers(bins) {
  const layers = [], others = new Float64Array(bins.x.length);
  let n = 0;
  const ordered = [...bins.layers.keys()].sort((a, b) => sum(bins.layers.get(b)) - sum(bins.layers.get(a)));
  for (const name of ordered) {
    const place = regions.place.get(name), seconds = bins.layers.get(name);
    if (place !== undefined && place < OWN_COLORS) {
      layers.push({name, color: () => regions.color(name), seconds});
    } else {
      n++;
      seconds.forEach((v, i) => { others[i] += v; });
    }
  }
  if (n) layers.push({name: plural(n, 'other region'), color: () => themeColor('--other'), seconds: others});
  for (const l of layers) l.values = l.seconds.map((v, i) => v / bins.width[i]);
  return layers;
}

function timeProfile(i, box) {
  const bins = binned(i.table('time_profile'), 'region', 'exclusive'), layers = regionLayers(bins), hidden = new Set();
  const plot = stackPlot(bins.x, bins.width, layers, {
    label: 'Time profile: how many locations were in which region, over time',
    height: 320,
    time: true,
    hidden,
    xTitle: 'time since the start of the trace',
    xUnit: 's',
    yTitle: 'locations in a region, on average',
    describe: k => `${formatNumber(bins.x[k], 's')}, for ${formatNumber(bins.width[k], 's')}`,
    value: (l, k) => `${digits(l.values[k])} locations, ${formatNumber(l.seconds[k], 's')}`,
    isPale: l => view.region !== null && l.name !== view.region
  });
  watch(changes => 'region' in changes && plot.redraw());
  const toggle = (k, on) => {
    hidden[on ? 'delete' : 'add'](layers[k]);
    plot.redraw();
  };
  box.append(legend(layers, toggle), plot.element);
}

/* ----------------------------------------------------------------------------------------------------- imbalance -- */

/* Bars of the regions with the largest loads: up to the mean, and on to the largest load. */
function imbalanceBars(t) {
  const max = t.values('max'), mean = t.values('mean'), names = t.values('region'), factor = t.values('imbalance');
  const order = range(t.n).filter(i => max[i] > 0).sort((a, b) => max[b] - max[a]).slice(0, 15);
  const scale = order.length ? max[order[0]] : 1, part = v => `${(100 * v / scale).toFixed(2)}%`;
  return element(
      'ul', {class: 'bars', 'aria-label': 'Load by region: mean over all processes, and largest'}, ...order.map(i => {
        const tipText = `${names[i]}\nmean of all processes: ${formatNumber(mean[i], 's')}\nlargest: ${
            formatNumber(max[i], 's')}\nlargest / mean: ${digits(factor[i])}`;
        return element(
            'li', {tabindex: 0, 'data-tip': tipText, 'aria-label': tipText.replace(/\n/g, ', ')},
            element('span', {class: 'name'}, names[i]),
            element(
                'span', {class: 'track'},
                element('span', {class: 'mean', style: `width:${part(mean[i])};background:${regions.color(names[i])}`}),
                element(
                    'span',
                    {class: 'rest', style: `width:${part(max[i] - mean[i])};--color:${regions.color(names[i])}`})),
            element('span', {class: 'value'}, `× ${digits(factor[i])}`));
      }));
}

/* Names of processes, with the rank where several rows have one name. */
function processNames(t, nameColumn) {
  const names = t.values(nameColumn), ranks = t.has('rank') ? t.values('rank') : null, n = new Map();
  names.forEach(name => n.set(name, (n.get(name) || 0) + 1));
  return names.map(
      (name, i) => !ranks || n.get(name) < 2 ? name : `${name}, ${ranks[i] < 0 ? 'no rank' : `rank ${ranks[i]}`}`);
}

/* The middles of the bars that have a name below: as many as there is room for. */
function processTicks(from, to, width) {
  const first = Math.max(0, Math.ceil(from - 0.5)), step = Math.max(1, Math.ceil((to - from) / (width / 110)));
  return range(first, Math.ceil(to - 0.5), step).map(k => k + 0.5);
}

/* A bar for each process, in the order of processes or the largest first. */
function perProcess(t, nameColumn, layers, options) {
  const box = element('div'), plain = t.values(nameColumn), names = processNames(t, nameColumn);
  let isSorted = false;
  const draw = sorted => {
    isSorted = sorted;
    const isLeft = selectionOfRows(t), some = view.only === 'yes' && isLeft;
    const order = range(t.n)
                      .filter(i => !some || isLeft(i))
                      .sort((a, b) => processPlace(plain[a]) - processPlace(plain[b]) || a - b);
    if (sorted) order.sort((a, b) => layers[0].values[b] - layers[0].values[a]);
    const plot = stackPlot(
        order.map((_, k) => k), order.map(() => 1),
        layers.map(l => ({...l, values: order.map(i => Number(l.values[i]))})), {
          ...options,
          height: 220,
          xTitle: sorted ? 'processes, sorted' : 'processes',
          xTicks: ([from, to], width) => processTicks(from, to, width),
          xFormat: place => names[order[Math.floor(place)]],
          describe: k => `${names[order[k]]}`,
          isPale: (l, k) => isLeft !== null && !isLeft(order[k]),
          choose: k => selectLink(['process', plain[order[k]]]),
          caption: 'Drag to zoom, double click or 0 to see all; ← and → read values; a click or s selects a process.'
        });
    clear(box).append(order.length ? plot.element : element('p', {class: 'hint'}, 'No process is selected.'));
  };
  draw(false);
  watch(changes => ('processes' in changes || 'only' in changes) && draw(isSorted));
  return element('div', null, toolbar(checkbox('Largest first', false, draw), legend(layers)), box);
}

function imbalance(i, box) {
  box.append(
      subheading(
          'Load by region',
          'The solid part of a bar is the mean load over all processes, all of it the load of the process with the ' +
              'largest one; × is how much larger that is'),
      imbalanceBars(i.table('load_imbalance')));
  const idle = i.table('idle_time');
  if (!idle || !idle.n || !idle.has('process', 'idle', 'time')) return;
  const time = idle.values('time'), idleTime = idle.values('idle');
  box.append(
      subheading('Idle time of each process', idle.column('idle').help),
      perProcess(
          idle, 'process',
          [
            {name: 'idle', color: () => themeColor('--c1'), values: idleTime},
            {name: 'busy', color: () => themeColor('--c0'), values: time.map((v, k) => v - idleTime[k])},
          ],
          {label: 'Idle and busy time of each process', yTitle: 'time', yUnit: 's'}));
}
