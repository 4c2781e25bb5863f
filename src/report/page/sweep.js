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
  if (Math.max(0, ...datasets.map((set) => set.data.length)) < 2) return null;
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
  if (Math.max(0, ...datasets.map((set) => set.data.length)) < 2) return null;
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

// What a longer prompt costs, over all points: a line for each target and load level.
function length_lines(data) {
  const lines = new Map();
  for (const row of data.lengths) {
    const key = row.target + ' ' + row.level;
    if (!lines.has(key)) lines.set(key, []);
    lines.get(key).push(row);
  }
  return [...lines.values()].map((rows) => rows.sort((a, b) => a.tokens - b.tokens));
}

function length_set(rows, index, key, label, more) {
  const color = series_color(index);
  return Object.assign({
    label, data: rows.filter((row) => row[key] !== null).map((row) => ({ x: row.tokens, y: row[key], load: row.load })), showLine: true,
    borderColor: color, backgroundColor: color, borderWidth: 2, pointRadius: 3.5, pointStyle: marks[index % marks.length],
  }, more);
}

function fit_sets(data, least, most) {
  return data.fits.map(({ target, a, b, c }) => ({
    label: named('fit', data.targets[target], data.targets.length > 1), showLine: true, pointRadius: 0, pointHitRadius: 0, borderWidth: 1, borderDash: [2, 2], borderColor: palette().dim, order: 3,
    data: Array.from({ length: 41 }, (_, i) => least * (most / least) ** (i / 40)).map((x) => ({ x, y: a + b * x + c * x * x })).filter(({ y }) => y > 0),
  }));
}

function lengths_picture(data) {
  const tokens = data.lengths.map((row) => row.tokens);
  const least = Math.min(...tokens), most = Math.max(...tokens);
  if (tokens.length < 2 || most / least < 1.5) return null;
  const several = data.targets.length > 1, lines = length_lines(data);
  const levels = new Set(data.lengths.map((row) => row.level)).size > 1;
  const datasets = lines.flatMap((rows, i) => {
    const name = [several && data.targets[rows[0].target], levels && rows[0].level].filter(Boolean).join(', ');
    return [length_set(rows, i, 'ttft_p50', named('p50', name, name !== ''), {}), length_set(rows, i, 'ttft_p95', named('p95', name, name !== ''), { borderDash: [5, 3], borderWidth: 1.25, pointRadius: 2.5 })];
  }).filter((set) => set.data.length > 0);
  return {
    type: 'scatter',
    data: { datasets: [...datasets, ...fit_sets(data, least, most)] },
    options: base_options({
      x: log_axis('prompt tokens', least / 1.1, most * 1.1, figure),
      y: value_axis('TTFT', datasets.flatMap((set) => set.data.map(({ y }) => y)), milliseconds),
    }, { callbacks: { label: (item) => item.dataset.label + ', ' + figure(item.raw.x) + ' tokens: ' + milliseconds(item.raw.y) } }, 'line'),
  };
}
