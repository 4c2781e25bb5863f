#include "analysis/gate/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/gate/figures.hpp"
#include "analysis/statistics/quantiles.hpp"
#include "base/text.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {

namespace {

std::optional<double> median_figure(std::span<const double> figures) {
  if (figures.empty()) return std::nullopt;
  std::vector<double> values(figures.begin(), figures.end());
  return median(values);
}

}  // namespace

double own_direction(const GatedMetric& metric, double worse_share) {
  return std::expm1(worse(metric, std::log1p(worse_share)));
}

std::string limit_words(const GatedMetric& metric, double worse_share) {
  return signed_percent(own_direction(metric, worse_share));
}

Judgement change_line(const GatedMetric& metric, const std::optional<WorseChange>& change,
                      std::span<const double> baseline, std::span<const double> candidate) {
  Judgement out;
  out.kind = JudgementKind::change;
  out.decision = Decision::undecided;
  out.text = label(metric);
  out.unit = name(known_figure(metric).unit);
  out.relative = true;
  out.by_interval = true;
  out.limit = own_direction(metric, metric.least);
  out.baseline = median_figure(baseline);
  out.candidate = median_figure(candidate);
  if (!change) return out;
  const auto own = [&](double worse_change) { return std::expm1(worse(metric, worse_change)); };
  out.value = own(change->estimate);
  if (change->low) out.low = own(*change->low);
  if (change->high) out.high = own(*change->high);
  if (known_figure(metric).more_is_better) std::swap(out.low, out.high);
  return out;
}

std::string change_reason(const GatedMetric& metric, Decision decision, const WorseChange& change) {
  if (decision == Decision::fail || !change.high) return {};
  const bool beyond = *change.high > std::log1p(metric.least);
  if (decision == Decision::pass)
    return beyond ? fmt::format("Significantly less than {}.", limit_words(metric, metric.most)) : "";
  return fmt::format("Neither significantly beyond {} nor significantly less than {}.",
                     limit_words(metric, metric.least), limit_words(metric, metric.most));
}

void doubt(Judgement& line) {
  line.decision = Decision::undecided;
  line.reason = "Too few good answers of the baseline to compare with.";
  line.needed.clear();
}

int rank(Decision decision) {
  if (decision == Decision::fail) return 0;
  return decision == Decision::undecided ? 1 : 2;
}

ExitCode exit_code_of(const Verdict& verdict) {
  if (!verdict.trustworthy) return ExitCode::untrustworthy;
  if (verdict.decision == Decision::fail) return ExitCode::gate_failed;
  return verdict.decision == Decision::undecided ? ExitCode::inconclusive : ExitCode::ok;
}

void conclude_verdict(Verdict& verdict) {
  auto& lines = verdict.judgements;
  std::ranges::stable_sort(lines, {}, [](const Judgement& line) { return rank(line.decision); });
  verdict.decision = lines.empty() ? Decision::undecided : lines.front().decision;
  verdict.exit_code = static_cast<int>(exit_code_of(verdict));
}

}  // namespace infermeter
