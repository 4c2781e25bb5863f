// The verdict of a gate: each change with its interval, against its limit.

function change_words(share) {
  if (share === 0) return '0 %';
  return (share < 0 ? '−' : '+') + figure(Math.abs(100 * share)) + ' %';
}

// The change as a dot, its limit as a line, and what lies beyond the limit shaded: by row of the chart.
const gate_marks = {
  id: 'gate_marks',
  beforeDatasetsDraw(chart) {
    const { ctx: context, chartArea: area, scales: { x, y } } = chart;
    const half = 0.4 * y.getPixelForValue(1) - 0.4 * y.getPixelForValue(0) || 0.4 * area.height;
    context.save();
    context.fillStyle = faded(palette().prefill, 0.14);
    chart.config.options.rows.forEach(({ limit }, i) => {
      if (limit === null) return;
      const from = x.getPixelForValue(limit), to = limit < 0 ? area.left : area.right;
      context.fillRect(Math.min(from, to), y.getPixelForValue(i) - half, Math.abs(to - from), 2 * half);
    });
    context.restore();
  },
  afterDatasetsDraw(chart) {
    const { ctx: context, chartArea: area, scales: { x, y } } = chart;
    const half = 0.4 * y.getPixelForValue(1) - 0.4 * y.getPixelForValue(0) || 0.4 * area.height;
    context.save();
    context.lineWidth = 2;
    chart.config.options.rows.forEach(({ value, limit, decision }, i) => {
      const middle = y.getPixelForValue(i);
      if (limit !== null) {
        context.strokeStyle = palette().prefill;
        context.beginPath();
        context.moveTo(x.getPixelForValue(limit), middle - half);
        context.lineTo(x.getPixelForValue(limit), middle + half);
        context.stroke();
      }
      context.fillStyle = decision === 'fail' ? palette().prefill : palette().ink;
      context.beginPath();
      context.arc(x.getPixelForValue(value), middle, 4.5, 0, 2 * Math.PI);
      context.fill();
    });
    context.restore();
  },
};

function gate_picture(data) {
  const rows = data.gate;
  if (rows.length === 0) return null;
  const all = rows.flatMap(({ value, low, high, limit }) => [value, low, high, limit]).filter((share) => share !== null);
  const room = 0.08 * (Math.max(0, ...all) - Math.min(0, ...all)) || 0.01;
  const options = base_options({
    x: plain_axis('change of the candidate', change_words, { min: Math.min(0, ...all) - room, max: Math.max(0, ...all) + room }),
    y: axis('', { type: 'category', grid: { display: false }, ticks: Object.assign({}, axis('').ticks, { callback: (i) => rows[i].name, autoSkip: false, color: palette().ink }) }),
  }, {
    callbacks: {
      title: (items) => items.length ? rows[items[0].dataIndex].name : '',
      label: ({ dataIndex }) => {
        const { value, low, high, limit } = rows[dataIndex];
        return change_words(value) + (low !== null && high !== null ? ' (' + change_words(low) + ' … ' + change_words(high) + ')' : '') + (limit !== null ? ', limit ' + change_words(limit) : '');
      },
    },
  });
  options.indexAxis = 'y';
  options.interaction = { mode: 'index', intersect: false, axis: 'y' };
  options.rows = rows;
  return {
    type: 'bar',
    data: {
      labels: rows.map(({ name }) => name),
      datasets: [{
        data: rows.map(({ value, low, high }) => [low ?? value, high ?? value]), backgroundColor: faded(series_color(0), 0.55),
        barPercentage: 0.35, categoryPercentage: 1, borderWidth: 0, borderSkipped: false, minBarLength: 1,
      }],
    },
    options,
    plugins: [gate_marks],
  };
}
