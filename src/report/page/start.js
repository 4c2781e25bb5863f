// Draws the charts, again when the point, the colours or the paper change.

const data = JSON.parse(document.getElementById('data').textContent);
const drawn = new Map(); // canvas → chart

function element(id) {
  return document.getElementById(id);
}

// A figure without data is not shown. True where it is.
function draw(canvas, config) {
  if (drawn.has(canvas)) drawn.get(canvas).destroy();
  drawn.delete(canvas);
  canvas.parentElement.hidden = !config;
  if (config) drawn.set(canvas, new Chart(canvas, config));
  return Boolean(config);
}

function draw_figure(id, config) {
  const place = element(id);
  place.hidden = !config; // shown before it is drawn: a hidden canvas has no size
  draw(place.querySelector('canvas'), config);
  const canvas = place.querySelector('canvas');
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', place.querySelector('h3').textContent);
}

function distribution_of(point, ...metrics) {
  for (const metric of metrics) {
    const found = point.distributions.find((one) => one.metric === metric);
    if (found) return found;
  }
  return null;
}

const of_first_token = (point) => distribution_of(point, 'ttft_response', 'ttft');
const of_gaps = (point) => distribution_of(point, 'itl', 'icl', 'tpot');

function draw_sweep() {
  const loads = new Set(data.sweep.map((row) => row.point));
  draw_figure('lengths', lengths_picture(data));
  element('of_sweep').hidden = loads.size < 2;
  if (loads.size < 2) return;
  element('speeds_title').textContent = data.per_gpu ? 'Tokens/s per GPU against tokens/s per user' : 'Total tokens/s against tokens/s per user';
  draw_figure('load_curve', load_curve_picture(data));
  draw_figure('speeds', speeds_picture(data));
}

function draw_gate() {
  element('gate').querySelector('.canvas').style.height = 60 + 44 * data.gate.length + 'px';
  draw_figure('gate', gate_picture(data));
}

function draw_targets(point) {
  const same_load = data.points.filter((other) => other.point === point.point);
  element('of_targets').hidden = same_load.length < 2;
  if (same_load.length < 2) return;
  const curves = (pick) => same_load.map((other) => ({ name: data.targets[other.target], target: other.target, distribution: pick(other) }));
  const metric = of_gaps(point);
  if (metric) element('targets_gap_title').textContent = metric.title;
  draw_figure('targets_ttft', curves_picture(curves(of_first_token)));
  draw_figure('targets_gap', curves_picture(curves((other) => metric && distribution_of(other, metric.metric))));
}

function draw_timeline(point) {
  element('timeline').hidden = point.timeline.in_flight.length < 2;
  if (point.timeline.in_flight.length < 2) return;
  draw(element('in_flight'), in_flight_picture(point));
  draw(element('output'), output_picture(point));
  draw(element('first_token'), first_token_picture(point));
  draw(element('server_requests'), server_requests_picture(point));
  draw(element('server_cache'), server_cache_picture(point));
}

function draw_point(point) {
  draw_targets(point);
  const gaps = of_gaps(point), first = of_first_token(point);
  element('ttft_title').textContent = first && first.metric === 'ttft_response' ? ', incl. schedule delay' : '';
  element('gap_title').textContent = gaps ? { itl: 'Time between tokens (ITL)', icl: 'Time between events (ICL)' }[gaps.metric] || 'Time per token (' + gaps.title + ')' : '';
  draw_figure('ttft', distribution_picture(first));
  draw_figure('gap', distribution_picture(gaps));
  element('gap_missing').hidden = point.gaps_kept;
  draw_figure('whole', distribution_picture(distribution_of(point, 'e2e_response', 'e2e')));
  draw_figure('prompts', prompts_picture(point));
  draw_timeline(point);
  element('waterfall').querySelector('.canvas').style.height = Math.min(544, 90 + 12 * point.waterfall.length) + 'px';
  draw_figure('waterfall', waterfall_picture(point));
  draw_figure('streams', streams_picture(point));
  element('streams_missing').hidden = point.gaps_kept;
  if (!point.gaps_kept) element('streams').hidden = false;
}

function draw_all() {
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  draw_gate();
  draw_sweep();
  if (data.points.length > 0) draw_point(data.points[element('point').selectedIndex]);
  document.documentElement.dataset.charts = drawn.size;
}

function list_points() {
  const select = element('point');
  data.points.forEach((point) => select.add(new Option(point.name)));
  select.selectedIndex = Math.max(0, data.points.findIndex((point) => data.sweep.some((row) => row.knee && row.point === point.point && row.target === point.target)));
  element('choice').hidden = data.points.length < 2;
  select.addEventListener('change', draw_all);
}

// On paper colours are those for white, and what is folded is open.
function print_begins() {
  printing = true;
  document.querySelectorAll('details:not([open])').forEach((details) => {
    details.open = true;
    details.dataset.folded = '';
  });
  draw_all();
}

function print_ends() {
  printing = false;
  document.querySelectorAll('details[data-folded]').forEach((details) => {
    details.open = false;
    delete details.dataset.folded;
  });
  draw_all();
}

if (data.points.length + data.gate.length > 0) {
  element('charts').hidden = false;
  list_points();
  draw_all();
  dark_wanted.addEventListener('change', draw_all);
  window.addEventListener('beforeprint', print_begins);
  window.addEventListener('afterprint', print_ends);
}
