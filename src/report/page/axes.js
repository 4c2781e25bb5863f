// How figures are written and axes are drawn.

// As the tables do: three significant digits.
function figure(value) {
  if (value === 0) return '0';
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString('en-US', { maximumFractionDigits: Math.min(decimals, 6) });
}

// Of a round number on an axis: all the digits it has.
function round_figure(value) {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 7 });
}

function milliseconds(value) {
  if (value >= 1000) return figure(value / 1000) + ' s';
  return value < 0.1 ? figure(value * 1000) + ' µs' : figure(value) + ' ms';
}

function percent(share) {
  return figure(100 * share) + ' %';
}

// Round numbers between two, about `count` of them.
function linear_ticks(min, max, count) {
  const rough = (max - min) / count;
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((digit) => digit * decade).find((size) => size >= rough);
  const ticks = [];
  for (let i = Math.ceil(min / step - 1e-9); i * step <= max * (1 + 1e-9); ++i) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

function log_ticks(min, max) {
  const ratio = max / min;
  if (ratio < 6) return linear_ticks(min, max, 5);
  const digits = ratio > 2000 ? [1] : ratio > 60 ? [1, 3] : [1, 2, 5];
  const ticks = [];
  for (let decade = Math.floor(Math.log10(min)); decade <= Math.ceil(Math.log10(max)); ++decade) {
    for (const digit of digits) {
      const value = Number((digit * 10 ** decade).toPrecision(6));
      if (value >= min && value <= max) ticks.push(value);
    }
  }
  return ticks;
}

// A range that a single value does not make empty.
function padded(min, max) {
  return max / min < 1.1 ? [min / 1.05, max * 1.05] : [min, max];
}

function axis_title(text) {
  return { display: text !== '', text, color: palette().dim, font: { size: 12 }, padding: 2 };
}

function axis(title, more) {
  const colors = palette();
  return Object.assign({
    title: axis_title(title),
    grid: { color: colors.grid, borderColor: colors.grid, tickLength: 4 },
    border: { color: colors.grid },
    ticks: { color: colors.dim, maxRotation: 0, includeBounds: false, callback: round_figure, font: { size: 11 } },
  }, more);
}

function with_labels(made, write) {
  made.ticks = Object.assign({}, made.ticks, { callback: (value) => write(value) });
  return made;
}

function log_axis(title, min, max, write) {
  const [from, to] = padded(min, max);
  return with_labels(axis(title, {
    type: 'logarithmic', min: from, max: to,
    afterBuildTicks: (scale) => { scale.ticks = log_ticks(from, to).map((value) => ({ value })); },
  }), write);
}

function plain_axis(title, write, more) {
  return with_labels(axis(title, Object.assign({ type: 'linear' }, more)), write);
}

// From 0, unless the values span too much for that to show the small ones.
function value_axis(title, values, write) {
  const shown = values.filter((value) => value > 0);
  const min = Math.min(...shown), max = Math.max(...shown);
  return shown.length > 0 && max / min > 20 ? log_axis(title, min / 1.1, max * 1.1, write)
                                            : plain_axis(title, write, { beginAtZero: true, grace: '5%' });
}

// With the dashes of each line, which the library leaves out.
function line_labels(chart) {
  return Chart.defaults.plugins.legend.labels.generateLabels(chart).map((label) => {
    const set = chart.data.datasets[label.datasetIndex];
    return Object.assign(label, { lineDash: set.borderDash || [], strokeStyle: set.borderColor, lineWidth: 2 });
  });
}

// What stands before a name: 'box', 'line' with its dashes, 'mark' of the points; nothing for no legend.
function legend(sign) {
  const labels = { color: palette().ink, boxWidth: 22, boxHeight: 8, font: { size: 12 }, padding: 10 };
  if (sign === 'line') Object.assign(labels, { usePointStyle: true, pointStyle: 'line', pointStyleWidth: 28, generateLabels: line_labels });
  if (sign === 'mark') Object.assign(labels, { usePointStyle: true });
  return { display: Boolean(sign), position: 'top', align: 'end', labels };
}

function base_options(scales, tooltip, sign) {
  return {
    animation: false, responsive: true, maintainAspectRatio: false, locale: 'en-US',
    interaction: { mode: 'nearest', intersect: false, axis: 'xy' },
    layout: { padding: { top: 4, right: 8 } },
    plugins: { legend: legend(sign), tooltip: Object.assign({ displayColors: false, animation: false }, tooltip) },
    scales,
  };
}

function collide(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

// Boxes that cover a line between two points.
function along(from, to) {
  const count = Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / 4);
  return Array.from({ length: count }, (_, i) => {
    const x = from.x + (to.x - from.x) * i / count, y = from.y + (to.y - from.y) * i / count;
    return { left: x - 2, right: x + 2, top: y - 2, bottom: y + 2 };
  });
}

// A box of that width beside a point, clear of the others and within the chart; null: there is none.
function free_place(x, y, width, area, taken) {
  const across = [x + 7, x - 7 - width, x - width / 2], down = [-16, 4, -6, -26, 14, -38, -50, 26];
  for (const up of down) {
    for (const left of across) {
      const box = { left, right: left + width, top: y + up, bottom: y + up + 12 };
      const inside = box.left >= area.left && box.right <= area.right + 6 && box.top >= area.top - 4 && box.bottom <= area.bottom;
      if (inside && !taken.some((other) => collide(box, other))) return box;
    }
  }
  return null;
}

// Words beside the points of a data set: `words_at` of it, one a point.
const point_words = {
  id: 'point_words',
  afterDatasetsDraw(chart) {
    const context = chart.ctx;
    context.save();
    context.font = '11px ' + Chart.defaults.font.family;
    context.fillStyle = palette().ink;
    context.textBaseline = 'middle';
    const words = [], taken = [];
    chart.data.datasets.forEach((set, index) => {
      if (!chart.isDatasetVisible(index)) return;
      const points = chart.getDatasetMeta(index).data;
      if (set.showLine) points.slice(1).forEach((point, i) => taken.push(...along(points[i], point)));
      if (set.pointRadius !== 0) points.forEach(({ x, y }, i) => {
        taken.push({ left: x - 3, right: x + 3, top: y - 3, bottom: y + 3 });
        if (set.words_at) words.push({ x, y, text: set.words_at[i] });
      });
    });
    // What says more, such as the knee, has the first choice of place; what finds none is in the tooltip.
    words.sort((a, b) => b.text.length - a.text.length).forEach(({ x, y, text }) => {
      const box = free_place(x, y, context.measureText(text).width, chart.chartArea, taken);
      if (!box) return;
      taken.push(box);
      context.textAlign = 'left';
      context.fillText(text, box.left, (box.top + box.bottom) / 2);
    });
    context.restore();
  },
};

// Upright lines with a word above each: `options.upright` of the chart, [{value, words, low, high}]. Between the
// bounds a band is shaded; without one of them it ends at the line.
const upright_lines = {
  id: 'upright_lines',
  afterDatasetsDraw(chart) {
    const lines = chart.config.options.upright || [];
    const { ctx: context, chartArea: area, scales: { x } } = chart;
    context.save();
    context.font = '11px ' + Chart.defaults.font.family;
    context.strokeStyle = context.fillStyle = palette().dim;
    context.setLineDash([3, 3]);
    context.textBaseline = 'top';
    const within = (value) => Math.min(area.right, Math.max(area.left, x.getPixelForValue(value)));
    context.globalAlpha = 0.15;
    for (const { value, low, high } of lines) {
      const from = within(low ?? value), to = within(high ?? value);
      context.fillRect(from, area.top, to - from, area.bottom - area.top);
    }
    context.globalAlpha = 1;
    let taken = -Infinity;
    for (const { value, words } of lines) {
      const at = x.getPixelForValue(value);
      context.beginPath();
      context.moveTo(at, area.top);
      context.lineTo(at, area.bottom);
      context.stroke();
      const width = context.measureText(words).width;
      const left = at + 4 + width < area.right ? at + 4 : at - 4 - width;
      if (left < taken) continue;
      context.fillText(words, left, area.top + 1);
      taken = left + width + 4;
    }
    context.restore();
  },
};

// The window that throughput is taken from: `options.steady` of the chart, [from, to] in seconds.
const steady_band = {
  id: 'steady_band',
  beforeDatasetsDraw(chart) {
    const steady = chart.config.options.steady;
    if (!steady) return;
    const { ctx: context, chartArea: area, scales: { x } } = chart;
    const within = (value) => Math.min(area.right, Math.max(area.left, x.getPixelForValue(value)));
    context.save();
    context.fillStyle = palette().shade;
    context.fillRect(within(steady[0]), area.top, within(steady[1]) - within(steady[0]), area.bottom - area.top);
    context.restore();
  },
};
