// The run over time: three pictures on one time axis.

const axis_width = 66; // pixels, so that the three stand exactly beneath each other

function time_options(point, title, values, write, last) {
  const { from, step, in_flight } = point.timeline;
  const options = base_options({
    x: plain_axis(last ? 'seconds since the start of the run' : '', round_figure,
      { min: from, max: from + step * in_flight.length }),
    y: Object.assign(value_axis(title, values, write), { afterFit: (scale) => { scale.width = axis_width; } }),
  }, {});
  options.interaction = { mode: 'index', intersect: false };
  options.plugins.tooltip.callbacks = {
    title: (items) => items.length ? 'at ' + figure(items[0].raw.x) + ' s' : '',
    label: (item) => item.dataset.label + ': ' + (item.dataset.write || write)(item.raw.words ?? item.raw.y),
  };
  options.steady = point.steady;
  return options;
}

function stretches(point, values) {
  const { from, step } = point.timeline;
  return values.map((y, i) => ({ x: from + step * (i + 0.5), y }));
}

function time_line(label, data, color, more) {
  return Object.assign({ label, data, borderColor: color, backgroundColor: faded(color, 0.2), borderWidth: 1.5, pointRadius: 0 }, more);
}

function errors_line(point) {
  const data = stretches(point, point.timeline.in_flight)
    .map(({ x, y }, i) => ({ x, y: point.timeline.errors[i] > 0 ? y : null, words: point.timeline.errors[i] }));
  return {
    label: 'failed', data, showLine: false, pointStyle: 'crossRot', pointRadius: 6, borderColor: series_color(1), borderWidth: 2, write: figure,
  };
}

function in_flight_picture(point) {
  const { in_flight, errors } = point.timeline;
  if (in_flight.length === 0) return null;
  const datasets = [time_line('in flight', stretches(point, in_flight), series_color(2), { fill: 'origin', stepped: 'middle' })];
  const failed = errors.some((count) => count > 0);
  if (failed) datasets.unshift(errors_line(point));
  const options = time_options(point, 'in flight', [], figure, false);
  options.plugins.legend = legend(failed && 'mark');
  return { type: 'line', data: { datasets }, options, plugins: [steady_band] };
}

function output_picture(point) {
  const { tokens } = point.timeline;
  if (!tokens.some((value) => value > 0)) return null;
  return {
    type: 'line',
    data: { datasets: [time_line(point.tokens + '/s', stretches(point, tokens), series_color(0), { fill: 'origin', stepped: 'middle' })] },
    options: time_options(point, point.tokens + '/s out', [], figure, false),
    plugins: [steady_band],
  };
}

function first_token_picture(point) {
  const { ttft_p50, ttft_p95 } = point.timeline;
  const known = ttft_p95.filter((value) => value !== null);
  if (known.length === 0) return null;
  const radius = known.length < 0.8 * ttft_p95.length ? 2 : 0; // with holes the line alone would lose some
  const options = time_options(point, 'TTFT', known, milliseconds, true);
  options.plugins.legend = legend('line');
  return {
    type: 'line',
    data: {
      datasets: [
        time_line('TTFT p50', stretches(point, ttft_p50), series_color(0), { pointRadius: radius }),
        time_line('TTFT p95', stretches(point, ttft_p95), series_color(1), { borderDash: [5, 3], pointRadius: radius, pointStyle: 'rect' }),
      ],
    },
    options,
    plugins: [steady_band],
  };
}

function server_line(point, label, values, color, more) {
  return time_line(label, values.map((y, i) => ({ x: point.server.at[i], y })), color, Object.assign({ stepped: 'middle' }, more));
}

function has_levels(values) { return values.filter((value) => value !== null).length > 1; }

function server_requests_picture(point) {
  const { running, waiting } = point.server;
  if (!has_levels(running)) return null;
  const options = time_options(point, 'at the server', [], figure, false);
  options.plugins.legend = legend('line');
  const datasets = [server_line(point, 'running', running, series_color(2), { fill: 'origin' })];
  if (has_levels(waiting)) datasets.push(server_line(point, 'waiting', waiting, series_color(1), { borderDash: [5, 3] }));
  return { type: 'line', data: { datasets }, options, plugins: [steady_band] };
}

function server_cache_picture(point) {
  const { kv_cache } = point.server;
  if (!has_levels(kv_cache)) return null;
  const percent = (value) => figure(100 * value) + ' %';
  const options = time_options(point, 'KV cache', [], percent, true);
  if (Math.max(...kv_cache) > 0.8) options.scales.y.max = 1; // no room above full
  return {
    type: 'line',
    data: { datasets: [server_line(point, 'KV cache in use', kv_cache, series_color(0), { fill: 'origin' })] },
    options,
    plugins: [steady_band],
  };
}
