#include "simulated_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

namespace infermeter::bench {

namespace {

constexpr std::size_t kRequests = 300;
constexpr double kSigma = 0.5, kCorrelation = 0.5;
constexpr double kRunCv = 0.027, kSessionCv = 0.05;
/// The drift is a slow wave around the mean: standard deviation 3 %; each run keeps nine tenths of the
/// previous drift.
constexpr double kDriftCv = 0.03, kDriftKept = 0.9;

Metric metric(std::string name, std::vector<Percentile> percentiles) {
  Metric out;
  out.name = std::move(name);
  out.unit = "ms";
  out.count = kRequests;
  out.mean = percentiles.front().value;
  out.percentiles = std::move(percentiles);
  return out;
}

/// The logarithm of a factor whose coefficient of variation is `cv`.
double log_factor(Random& random, double cv) { return cv * random.normal(); }

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

PointResult point_with(const RunFigures& figures) {
  PointResult point;
  point.load.concurrency = 8;
  point.load.requests = point.requests = point.ok = kRequests;
  point.outcomes = {{.outcome = Outcome::ok, .status = 0, .count = kRequests, .example = {}}};
  point.metrics = {metric("ttft", {{50, figures.ttft_p50, {}, {}}, {95, figures.ttft_p95, {}, {}}}),
                   metric("tpot", {{50, figures.tpot_p50, {}, {}}})};
  point.whole.window_s = 30;
  point.whole.output = figures.output_throughput;
  point.token_source = TokenSource::usage;
  return point;
}

DrawRun figure_noise(const FigureNoise& noise, Random& random) {
  return [=, &random](const Effect& effect) {
    const double slower = random.uniform() < 0.05 ? 1 + noise.tail : 1;
    const double machine = std::sqrt(noise.common) * random.normal();
    const auto off = [&](double cv) {
      return slower * std::exp(cv * (machine + std::sqrt(1 - noise.common) * random.normal()));
    };
    const RunFigures as;
    return RunFigures{.ttft_p50 = as.ttft_p50 * (1 + effect.ttft_p50) * off(noise.ttft_p50),
                      .ttft_p95 = as.ttft_p95 * (1 + effect.ttft_tail) * off(noise.ttft_p95),
                      .ttft_p99 = as.ttft_p99,
                      .tpot_p50 = as.tpot_p50 * (1 + effect.rest) * off(noise.tpot),
                      .output_throughput = as.output_throughput / (1 + effect.rest) / off(noise.throughput)};
  };
}

RequestNoise::RequestNoise(Random& random)
    : random_(random), session_(log_factor(random, kSessionCv)), drift_(log_factor(random, kDriftCv)) {}

std::vector<double> RequestNoise::requests(double median) {
  std::vector<double> out(kRequests);
  double state = random_.normal();
  for (auto& value : out) {
    value = median * std::exp(kSigma * state);
    state = kCorrelation * state + std::sqrt(1 - kCorrelation * kCorrelation) * random_.normal();
  }
  return out;
}

RunFigures RequestNoise::run(const Effect& effect) {
  drift_ = kDriftKept * drift_ + std::sqrt(1 - kDriftKept * kDriftKept) * log_factor(random_, kDriftCv);
  const double off = std::exp(session_ + drift_ + log_factor(random_, kRunCv));
  const RunFigures as;
  ttfts_ = requests(as.ttft_p50 * (1 + effect.ttft_p50) * off);
  auto ttfts = ttfts_, tpots = requests(as.tpot_p50 * (1 + effect.rest) * off);
  const double tpot_mean = mean(tpots);
  return {.ttft_p50 = sample_quantile(ttfts, 0.5),
          .ttft_p95 = sample_quantile(ttfts, 0.95),
          .ttft_p99 = sample_quantile(ttfts, 0.99),
          .tpot_p50 = sample_quantile(tpots, 0.5),
          .output_throughput = 1e4 / tpot_mean};
}

GateEnd simulate_gate(const GateRule& rule, const DrawRun& draw, const Effect& effect) {
  std::deque<PointResult> runs;  // grows without moving its elements: pairs point into it
  std::vector<GatePair> pairs;
  GateEnd end;
  const auto measure = [&](const Effect& of) { return &runs.emplace_back(point_with(draw(of))); };
  for (end.pairs = 1; end.pairs <= rule.looks.back(); ++end.pairs) {
    GatePair pair;
    if (end.pairs % 2 == 1) pair.baseline = measure({});
    pair.candidate = measure(effect);
    if (end.pairs % 2 == 0) pair.baseline = measure({});
    pairs.push_back(pair);
    if (std::ranges::find(rule.looks, end.pairs) == rule.looks.end()) continue;
    end.decision = judge_pairs(rule, pairs, end.pairs == rule.looks.back()).decision;
    if (end.decision != Decision::undecided) return end;
  }
  end.pairs = rule.looks.back();
  return end;
}

double sample_quantile(std::vector<double>& values, double q) {
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(at);
  std::ranges::nth_element(values, below);
  if (below + 1 == values.end()) return *below;
  const double above = *std::min_element(below + 1, values.end());
  return *below + (at - std::floor(at)) * (above - *below);
}

}  // namespace infermeter::bench
