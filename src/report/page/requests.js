// Single requests: by prompt length, one beneath the other, and the flow of a few answers.

function prompts_picture(point) {
  const data = point.prompts.map(([x, y]) => ({ x, y }));
  if (data.length === 0) return null;
  const lengths = data.map(({ x }) => x);
  const least = Math.min(...lengths), most = Math.max(...lengths);
  if (least === most) return null; // one length: no relation to see
  const color = series_color(0);
  return {
    type: 'scatter',
    data: { datasets: [{ data, backgroundColor: faded(color, 0.45), borderColor: color, borderWidth: 0.5, pointRadius: 2.5 }] },
    options: base_options({
      x: most / least > 20 ? log_axis('prompt tokens', least, most, figure)
                           : plain_axis('prompt tokens', round_figure, { suggestedMin: least - 2, suggestedMax: most + 2, grace: '2%', ticks: Object.assign({}, axis('').ticks, { precision: 0 }) }),
      y: value_axis('TTFT', data.map(({ y }) => y), milliseconds),
    }, { callbacks: { label: (item) => figure(item.raw.x) + ' tokens: ' + milliseconds(item.raw.y) } }),
  };
}

// What a row is made of: from which instant to which (places in the row's data).
const stages = [
  { label: 'waits in the client', from: 1, to: 2, color: 'wait' },
  { label: 'waits in the server', from: 2, to: 3, color: 'queue' },
  { label: 'until the first token', from: 3, to: 4, color: 'prefill' },
  { label: 'answer', from: 4, to: 5, color: 'decode' },
];

function stage_set(rows, { label, from, to, color }) {
  return {
    label, data: rows.map((row) => (row[6] ? null : [row[from], row[to]])), backgroundColor: palette()[color],
    grouped: false, barPercentage: 0.85, categoryPercentage: 1, borderWidth: 0, borderSkipped: false,
  };
}

function waterfall_picture(point) {
  const rows = point.waterfall;
  if (rows.length < 2) return null;
  const datasets = stages.filter(({ from, to }) => rows.some((row) => row[to] > row[from])).map((stage) => stage_set(rows, stage));
  if (rows.some((row) => row[6])) {
    const failed = stage_set(rows, { label: 'failed', from: 1, to: 5, color: 'failed' });
    failed.minBarLength = 4; // one that fails at once must be seen too
    failed.data = rows.map((row) => (row[6] ? [row[1], row[5]] : null));
    datasets.push(failed);
  }
  const options = base_options({
    x: plain_axis('seconds since the start of the run', round_figure, { min: rows[0][1], max: Math.max(...rows.map((row) => row[5])) }),
    y: axis('', { type: 'category', grid: { display: false }, ticks: { display: false } }),
  }, {
    callbacks: {
      title: (items) => items.length ? 'request ' + items[0].label : '',
      label: (item) => item.dataset.label + ': ' + milliseconds(1000 * (item.raw[1] - item.raw[0])),
    },
  }, 'box');
  options.indexAxis = 'y';
  options.interaction = { mode: 'index', intersect: false, axis: 'y' };
  return { type: 'bar', data: { labels: rows.map((row) => String(row[0])), datasets }, options };
}

function streams_picture(point) {
  if (Math.max(0, ...point.streams.map(({ gap }) => gap.length)) < 2) return null;
  const all = point.streams.flatMap(({ gap }) => gap);
  return {
    type: 'scatter',
    data: {
      datasets: point.streams.map(({ id, why, at, gap }, i) => ({
        label: why + ' (request ' + id + ')', data: at.map((x, j) => ({ x, y: gap[j] })), showLine: true,
        borderColor: faded(series_color(i), 0.55), backgroundColor: series_color(i), borderWidth: 1,
        pointRadius: 2, pointStyle: marks[i % marks.length],
      })),
    },
    options: base_options({
      x: plain_axis('since the first token', milliseconds, { min: 0 }),
      y: value_axis('pause', all, milliseconds),
    }, { callbacks: { label: (item) => item.dataset.label + ': ' + milliseconds(item.raw.y) + ' at ' + milliseconds(item.raw.x) } }, 'mark'),
  };
}
