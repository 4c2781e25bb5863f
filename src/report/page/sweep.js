// Several loads: what more load brings, and what it costs.

function rows_by_target(data) {
  return data.targets.map((name, target) => ({ name, target, rows: data.sweep.filter((row) => row.target === target) }));
}

function named(words, name, several) {
  return several ? name + ', ' + words : words;
}

function load_line(rows, target, key, label, more) {
  const color = series_color(target);
  const shown = rows.filter((row) => row[key] !== null && row.output > 0);
  return Object.assign({
    label, data: shown.map((row) => ({ x: row.output, y: row[key], load: row.load })), showLine: true,
    borderColor: color, backgroundColor: color, borderWidth: 2, pointStyle: marks[target % marks.length],
    pointRadius: shown.map((row) => (row.knee ? 7 : 3.5)), pointBorderWidth: shown.map((row) => (row.knee ? 3 : 1)),
    pointBackgroundColor: shown.map((row) => (row.knee ? palette().paper : color)),
  }, more(shown));
}

function load_curve_picture(data) {
  const several = data.targets.length > 1;
  const datasets = rows_by_target(data).flatMap(({ name, target, rows }) => [
    load_line(rows, target, 'ttft_p50', named('TTFT p50', name, several), (shown) => ({ words_at: shown.map((row) => (row.knee ? row.load + ', knee' : row.load)) })),
    load_line(rows, target, 'ttft_p95', named('TTFT p95', name, several), () => ({ borderDash: [5, 3], borderWidth: 1.25, pointRadius: 2.5 })),
  ]).filter(({ data: points }) => points.length > 0);
  if (datasets.length === 0) return null;
  return {
    type: 'scatter',
    data: { datasets },
    options: base_options({
      x: plain_axis('tokens/s out', figure, { beginAtZero: true, grace: '6%' }),
      y: value_axis('TTFT', datasets.flatMap((set) => set.data.map(({ y }) => y)), milliseconds),
    }, { callbacks: { label: (item) => item.dataset.label + ' at ' + item.raw.load + ': ' + milliseconds(item.raw.y) + ', ' + figure(item.raw.x) + ' tokens/s' } }, 'line'),
    plugins: [point_words],
  };
}

function front(data) {
  const best = data.sweep.filter((row) => row.pareto).sort((a, b) => a.per_user - b.per_user);
  return {
    label: 'Pareto front', data: best.map((row) => ({ x: row.per_user, y: row.per_owner, load: row.load })), showLine: true,
    borderColor: faded(palette().dim, 0.6), borderWidth: 1.5, pointRadius: 0, pointHitRadius: 0, order: 2,
  };
}

function speeds_picture(data) {
  const several = data.targets.length > 1;
  const datasets = rows_by_target(data).map(({ name, target, rows }) => {
    const shown = rows.filter((row) => row.per_user !== null);
    const color = series_color(target);
    return {
      label: name, data: shown.map((row) => ({ x: row.per_user, y: row.per_owner, load: row.load })),
      borderColor: color, pointBorderWidth: 2, pointRadius: 5, pointStyle: marks[target % marks.length],
      backgroundColor: color, pointBackgroundColor: shown.map((row) => (row.pareto ? color : palette().paper)), words_at: shown.map((row) => row.load), order: 1,
    };
  }).filter(({ data: points }) => points.length > 0);
  if (datasets.length === 0) return null;
  return {
    type: 'scatter',
    data: { datasets: [...datasets, front(data)] },
    options: base_options({
      x: plain_axis('tokens/s of one stream (median)', figure, { beginAtZero: true, grace: '8%' }),
      y: plain_axis(data.per_gpu ? 'tokens/s per GPU' : 'total tokens/s', figure, { beginAtZero: true, grace: '8%' }),
    }, { callbacks: { label: (item) => item.dataset.label + ' at ' + item.raw.load + ': ' + figure(item.raw.y) + ' tokens/s, ' + figure(item.raw.x) + ' a stream' } }, several && 'mark'),
    plugins: [point_words],
  };
}
