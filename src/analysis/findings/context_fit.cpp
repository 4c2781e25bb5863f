#include "analysis/findings/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/statistics/least_squares.hpp"
#include "analysis/statistics/quantiles.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {

namespace {

constexpr std::size_t kFewestLengths = 4;
constexpr double kLeastSpan = 4;  // longest length over shortest, for lengths that were swept
constexpr double kLeastSpanDrawn =
    8;  // for lengths that were only drawn: TTFT then varies for other reasons too
constexpr std::size_t kFewestDrawn = 100;
constexpr double kWorstFit = 0.1;        // relative, at any of the medians
constexpr std::size_t kFewestOfOne = 2;  // requests, for a median
constexpr double kLengthsPerOctave = 8;
constexpr double kAlike = 1.03;
constexpr double kMostCached = 0.1;    // of the prompt
constexpr double kFlatMustHelp = 0.5;  // a flat start must halve the squared errors
constexpr double kNotableShare = 0.2;  // of the longest TTFT, by the n² term
constexpr double kAboutLinear = 0.1;

struct Fitted {
  Polynomial curve;      // in lengths over the longest
  double flat_ms = 0;    // c0
  double squares = 0;    // of relative errors
  double max_error = 0;  // relative
  double half_width = 0;
};

double value_at(const Fitted& fit, double x) { return std::max(fit.flat_ms, fit.curve.at(x)); }

/// The first `flat` medians have one height; the others lie on a parabola, or on a line where the parabola
/// would bend down.
Fitted fit_with_flat_start(std::span<const WeightedPoint> points, std::size_t flat) {
  Fitted fit;
  const auto rest = points.subspan(flat);
  fit.curve = fit_polynomial(rest, 2);
  if (fit.curve.coefficients[2] < 0) {
    fit.curve = fit_polynomial(rest, 1);
    fit.half_width = 0;
  } else {
    fit.half_width = fit.curve.half_width;
  }
  double weights = 0;
  for (const auto& point : points.first(flat)) {
    fit.flat_ms += point.weight * point.y;
    weights += point.weight;
  }
  if (weights > 0) fit.flat_ms /= weights;
  for (const auto& point : points) {
    const double error = std::abs(value_at(fit, point.x) / point.y - 1);
    fit.squares += error * error;
    fit.max_error = std::max(fit.max_error, error);
  }
  return fit;
}

std::vector<WeightedPoint> weighted(std::span<const LengthMedian> medians) {
  std::vector<WeightedPoint> points;
  const double longest = medians.back().tokens;
  for (const auto& median : medians)
    points.push_back({median.tokens / longest, median.ttft_ms, 1 / (median.ttft_ms * median.ttft_ms)});
  return points;
}

Fitted best_fit(std::span<const WeightedPoint> points) {
  Fitted best = fit_with_flat_start(points, 0);
  for (std::size_t flat = 2; flat + kFewestLengths <= points.size(); ++flat) {
    const auto fit = fit_with_flat_start(points, flat);
    if (fit.squares < kFlatMustHelp * best.squares) best = fit;
  }
  return best;
}

/// "512", "2k", "100k".
std::string length_words(double tokens) {
  if (tokens < 1000) return fmt::format("{:.0f}", tokens);
  return fmt::format("{:.3g}k", tokens / 1000);
}

std::string growth_words(double ttft_growth, double length_growth) {
  const double beyond = ttft_growth / length_growth;
  if (beyond > 1 + kAboutLinear) return fmt::format("{} times more than linearly", format_number(beyond, 2));
  if (beyond < 1 - kAboutLinear) return "less than linearly";
  return "in step with the length";
}

std::string words_of(std::span<const LengthMedian> medians, double squared_share, bool superlinear) {
  const auto &first = medians.front(), &last = medians.back();
  const double growth = last.ttft_ms / first.ttft_ms;
  auto text = fmt::format("From {} to {} tokens TTFT grows {}-fold, {}", length_words(first.tokens),
                          length_words(last.tokens), format_number(growth, growth < 10 ? 2 : 3),
                          growth_words(growth, last.tokens / first.tokens));
  if (superlinear)
    text += fmt::format(": {} % of the longest is the part that grows with the square of the length",
                        format_number(100 * squared_share, 2));
  return text + ".";
}

bool read_anew(const RequestRecord& r) {
  if (!r.sent_us || !r.first_token_us || r.prompt_tokens.value_or(0) <= 0) return false;
  const double cached = static_cast<double>(r.cached_tokens.value_or(0));
  return r.turn == 0 && r.repeat == 0 && cached <= kMostCached * static_cast<double>(*r.prompt_tokens);
}

/// Only the points of a target with the lowest load: another load has another queue.
Records least_loaded(const RunResult& run, const RunPlaces& places, std::uint32_t target) {
  const auto load_of = [](const LoadPoint& load) {
    return load.open_loop ? load.rate : static_cast<double>(load.concurrency);
  };
  std::optional<double> least;
  for (const auto& point : run.points) {
    if (point.target == target) least = std::min(least.value_or(load_of(point.load)), load_of(point.load));
  }
  Records out;
  for (const auto& point : run.points) {
    const auto it = places.find({point.point, point.target});
    if (point.target != target || it == places.end() || load_of(point.load) > *least) continue;
    const auto ok = timed_answers(it->second);
    out.insert(out.end(), ok.begin(), ok.end());
  }
  return out;
}

/// Whether the run is about prompt lengths.
bool lengths_were_swept(const RunResult& run) {
  if (run.scenario == "context-sweep") return true;
  return std::ranges::any_of(
      run.points, [&](const auto& point) { return point.load.shape != run.points.front().load.shape; });
}

bool spans_enough(const RunResult& run, std::span<const LengthMedian> medians, std::size_t answers) {
  if (medians.size() < kFewestLengths) return false;
  const double span = medians.back().tokens / medians.front().tokens;
  return lengths_were_swept(run) ? span >= kLeastSpan : span >= kLeastSpanDrawn && answers >= kFewestDrawn;
}

}  // namespace

ContextFit fit_context(std::span<const LengthMedian> medians) {
  const auto fit = best_fit(weighted(medians));
  const double longest = medians.back().tokens;
  const auto& [a, b, c] = fit.curve.coefficients;
  ContextFit out{.a = a, .b = b / longest, .c = c / (longest * longest), .max_error = fit.max_error};
  const double share = c / value_at(fit, 1);
  out.superlinear = share > kNotableShare && c > fit.half_width;
  out.text = words_of(medians, share, out.superlinear);
  return out;
}

std::vector<LengthMedian> length_medians(const Records& ok) {
  struct Group {
    std::vector<double> tokens, ttft_ms;
  };
  std::map<std::int64_t, Group> groups;
  for (const auto* record : ok) {
    if (!read_anew(*record)) continue;
    const auto tokens = static_cast<double>(*record->prompt_tokens);
    const double length = record->asked_input_tokens > 0 ? record->asked_input_tokens : tokens;
    auto& group = groups[std::llround(kLengthsPerOctave * std::log2(length))];
    group.tokens.push_back(tokens);
    group.ttft_ms.push_back(static_cast<double>(*record->first_token_us - *record->sent_us) / 1e3);
  }
  std::vector<LengthMedian> out;
  for (auto& [length, group] : groups) {
    if (group.tokens.size() < kFewestOfOne) continue;
    const LengthMedian found{median(group.tokens), median(group.ttft_ms)};
    if (found.ttft_ms > 0) out.push_back(found);
  }
  std::ranges::sort(out, {}, &LengthMedian::tokens);
  // Two groups whose prompts have nearly the same length are one length.
  const auto alike = [](const auto& a, const auto& b) { return b.tokens < kAlike * a.tokens; };
  out.erase(std::ranges::unique(out, alike).begin(), out.end());
  return out;
}

std::vector<ContextFit> find_context_fits(const RunResult& run, const RunPlaces& places) {
  std::vector<std::uint32_t> targets;
  for (const auto& point : run.points) targets.push_back(point.target);
  std::ranges::sort(targets);
  targets.erase(std::ranges::unique(targets).begin(), targets.end());
  std::vector<ContextFit> out;
  for (const auto target : targets) {
    const auto answers = least_loaded(run, places, target);
    const auto medians = length_medians(answers);
    if (!spans_enough(run, medians, answers.size())) continue;
    auto fit = fit_context(medians);
    if (fit.max_error > kWorstFit) continue;
    fit.target = target;
    out.push_back(std::move(fit));
  }
  return out;
}

}  // namespace infermeter
