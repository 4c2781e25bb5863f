// Histogram and cumulative curve of one distribution, and the curves of several targets in one picture.

function outline(distribution) {
  const { edges, counts, count } = distribution;
  const points = [{ x: edges[0], y: 0 }];
  counts.forEach((samples, i) => points.push({ x: edges[i], y: samples / count }));
  points.push({ x: edges[edges.length - 1], y: 0 });
  return points;
}

function curve(distribution) {
  return distribution.cdf.map(([x, y]) => ({ x, y }));
}

function value_at(distribution, share) {
  const found = distribution.cdf.find(([, y]) => y >= share);
  return found ? found[0] : null;
}

// The bin or the share that the pointer is at.
function distribution_words(distribution) {
  return (item) => {
    if (item.datasetIndex === 1) return percent(item.raw.y) + ' within ' + milliseconds(item.raw.x);
    const bin = Math.min(Math.max(item.dataIndex - 1, 0), distribution.counts.length - 1);
    return percent(distribution.counts[bin] / distribution.count) + ' from ' + milliseconds(distribution.edges[bin]) +
      ' to ' + milliseconds(distribution.edges[bin + 1]);
  };
}

function has_one_value({ count, cdf }) {
  return count < 2 || cdf.length < 2 || cdf[0][0] === cdf[cdf.length - 1][0];
}

function distribution_picture(distribution) {
  if (!distribution || has_one_value(distribution)) return null;
  const { edges, count } = distribution;
  const bars = series_color(0), line = series_color(1);
  const options = base_options({
    x: log_axis('', edges[0], edges[edges.length - 1], milliseconds),
    y: plain_axis('share of ' + count.toLocaleString('en-US'), percent, { beginAtZero: true }),
    share: plain_axis('at or below', percent, { position: 'right', min: 0, max: 1, grid: { drawOnChartArea: false } }),
  }, { callbacks: { title: () => '', label: distribution_words(distribution) } });
  options.interaction = { mode: 'nearest', intersect: false, axis: 'x' };
  options.upright = [0.5, 0.95, 0.99].filter((share) => count * (1 - share) >= 1 || share === 0.5)
    .map((share) => {
      const [, low, high] = distribution.intervals.find(([of]) => of === share) || [];
      return { value: value_at(distribution, share), words: 'p' + 100 * share, low, high };
    });
  return {
    type: 'line',
    data: {
      datasets: [
        { data: outline(distribution), stepped: 'before', fill: 'origin', borderColor: bars, borderWidth: 1,
          backgroundColor: faded(bars, 0.35), pointRadius: 0, yAxisID: 'y', order: 2 },
        { data: curve(distribution), borderColor: line, borderWidth: 2, pointRadius: 0, yAxisID: 'share', order: 1 },
      ],
    },
    options,
    plugins: [upright_lines],
  };
}

function curves_picture(named) {
  const with_data = named.filter(({ distribution }) => distribution && !has_one_value(distribution));
  if (with_data.length < 2) return null;
  const least = Math.min(...with_data.map(({ distribution }) => distribution.edges[0]));
  const most = Math.max(...with_data.map(({ distribution }) => distribution.edges[distribution.edges.length - 1]));
  return {
    type: 'line',
    data: {
      datasets: with_data.map(({ name, target, distribution }) => ({
        label: name, data: curve(distribution), borderColor: series_color(target), borderDash: dashes[target % dashes.length],
        backgroundColor: series_color(target), borderWidth: 2, pointRadius: 0,
      })),
    },
    options: base_options({
      x: log_axis('', least, most, milliseconds),
      y: plain_axis('at or below', percent, { min: 0, max: 1 }),
    }, { callbacks: { title: () => '', label: (item) => item.dataset.label + ': ' + percent(item.raw.y) + ' within ' + milliseconds(item.raw.x) } }, 'line'),
  };
}
