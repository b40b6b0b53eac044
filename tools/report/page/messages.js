/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Sizes of messages, and messages over time. */

const MEASURES = [
  ['messages', 'messages', ['sent', 'received'], null], ['bytes', 'bytes', ['bytes_sent', 'bytes_received'], 'bytes']
];

function bothSides(t, names) {
  return names.filter(name => t.has(name))
      .map((name, k) => ({name: words(name), color: () => themeColor(`--c${k}`), values: t.values(name).map(Number)}));
}

function choiceOfMeasure(t, box, draw) {
  const place = element('div'), known = MEASURES.filter(([, , names]) => names.some(name => t.has(name)));
  const show = measure => clear(place).append(...draw(known.find(m => m[0] === measure)));
  box.append(toolbar(choice('Show', known.map(m => [m[0], m[1]]), show)), place);
  if (known.length) show(known[0][0]);
}

/* A pair of bars for each size: sent and received. */
function messageSizes(t, box) {
  const from = t.values('from').map(Number), to = t.values('to');
  const sizes = k =>
      `${formatNumber(from[k], 'bytes')} to ${typeof to[k] === 'string' ? 'any size' : formatNumber(to[k], 'bytes')}`;
  choiceOfMeasure(t, box, ([, title, names, unit]) => {
    const layers = bothSides(t, names);
    const bars = layers.map((l, k) => ({...l, x: from.map((_, i) => i + (k + 0.5) / (layers.length + 1))}));
    const plot = new Plot({
      label: `Histogram of message sizes, ${title}`,
      height: 260,
      xDomain: [0, Math.max(8, from.length)],
      xTitle: 'size of the messages, from',
      yTitle: title,
      yUnit: unit,
      yDomain: () => widened([0, extremes(layers.flatMap(l => l.values))[1] || 1], true),
      stops: from.map((_, i) => i + 0.5),
      xTicks: ([a, b], width) =>
          range(Math.ceil(a), Math.min(from.length, b + 1), Math.max(1, Math.ceil((b - a) * 70 / width)))
              .map(i => i + 0.5 - 0.5 / (layers.length + 1)),
      xFormat: v => formatNumber(from[Math.floor(v)], 'bytes'),
      caption: '← and → read values; drag to zoom.',
      paint(context, x, y) {
        for (const l of bars) {
          context.fillStyle = l.color();
          l.x.forEach(
              (v, i) => context.fillRect(
                  x(v - 0.5 / (layers.length + 1)) + 1, y(l.values[i]),
                  Math.max(1, x(1 / (layers.length + 1)) - x(0) - 1), y(0) - y(l.values[i])));
        }
      },
      inspect(at) {
        const k = Math.floor(at);
        if (k < 0 || k >= from.length) return null;
        return {
          x: k + 0.5,
          lines: [sizes(k), ...layers.map(l => [l.color(), l.name, formatNumber(l.values[k], unit)])]
        };
      },
    });
    return [legend(layers), plot.element];
  });
}

function messagesOverTime(t, box) {
  const x = t.values('from'), width = t.values('width');
  choiceOfMeasure(t, box, ([, title, names, unit]) => {
    const series = bothSides(t, names).map(l => ({...l, x, y: l.values}));
    const plot = linePlot(series, {
      label: `${title} over time`,
      steps: true,
      time: true,
      zero: true,
      end: x[x.length - 1] + width[width.length - 1],
      xTitle: 'time since the start of the trace',
      xUnit: 's',
      yTitle: `${title} in ${formatNumber(width[0], 's')}`,
      yUnit: unit
    });
    return [legend(series), plot.element];
  });
}

function messages(i, box) {
  const sizes = i.table('sizes'), time = i.table('over_time');
  if (sizes && sizes.n && sizes.has('from', 'to')) {
    box.append(subheading('By size', 'Bins are powers of two; messages as senders, and as receivers, recorded them'));
    messageSizes(sizes, box);
  }
  if (time && time.n > 1) {
    box.append(subheading('Over time'));
    messagesOverTime(time, box);
  }
}
