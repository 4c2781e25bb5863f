#include "analysis/gate/guards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "infermeter/base/units.hpp"
#include "infermeter/model/figures.hpp"

namespace infermeter {

namespace {

/// Of one side's runs, pooled.
struct Tally {
  std::uint64_t requests = 0, failed = 0, planned = 0, answered = 0;
  std::string most_common;  // the class of its failures, with an example
};

/// A request that we cancelled as planned counts as answered.
bool is_answer(const OutcomeCount& count) {
  return count.outcome == Outcome::ok || count.outcome == Outcome::cancelled;
}

/// The number of requests that should be answered. Where time ends the run, or conversations are counted,
/// this is unknown in advance, so it is the number measured.
std::uint64_t planned(const PointResult& point) {
  const LoadPoint load = own_part(point.load);
  if (load.conversations) return point.requests;
  if (load.open_loop && load.scheduled_requests > 0) return load.scheduled_requests;
  return load.requests && !load.duration_s ? *load.requests : point.requests;
}

std::string words(const OutcomeCount& count) {
  std::string text(name(count.outcome));
  if (count.status != 0) text += fmt::format(" {}", count.status);
  return count.example.empty() ? text : fmt::format("{} ({})", text, count.example);
}

Tally tally(std::span<const PointResult* const> runs) {
  Tally out;
  std::map<std::pair<Outcome, int>, std::uint64_t> by_class;
  std::uint64_t most = 0;
  for (const auto* run : runs) {
    out.requests += run->requests;
    out.planned += planned(*run);
    for (const auto& count : run->outcomes) {
      if (is_answer(count)) out.answered += count.count;
      if (!is_error(count.outcome, count.status)) continue;
      out.failed += count.count;
      const auto sum = by_class[{count.outcome, count.status}] += count.count;
      if (sum > most) out.most_common = words(count);
      most = std::max(most, sum);
    }
  }
  return out;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

Judgement guard(std::string text) {
  Judgement out;
  out.kind = JudgementKind::guard;
  out.text = std::move(text);
  out.unit = "share";
  return out;
}

/// Of two sides with equal error rates, either may fail more often by chance: within three standard
/// deviations of the difference, and one or two failures prove nothing.
bool more_than_chance(std::uint64_t baseline, std::uint64_t candidate) {
  constexpr std::uint64_t kFewest = 3;
  if (candidate < baseline + kFewest) return false;
  const auto all = static_cast<double>(baseline + candidate);
  return baseline == 0 || static_cast<double>(candidate - baseline) > 3 * std::sqrt(all);
}

/// `part_of_all`: the share of the requests until the first look that were measured so far.
Judgement judge_errors(const GateRule& rule, const Tally& baseline, const Tally& candidate,
                       double part_of_all) {
  auto out = guard("error_rate");
  out.baseline = share(baseline.failed, baseline.requests);
  out.candidate = share(candidate.failed, candidate.requests);
  out.value = *out.candidate - *out.baseline;
  out.limit = rule.error_share;
  if (*out.value * part_of_all <= rule.error_share) return out;
  if (!more_than_chance(baseline.failed, candidate.failed)) return out;
  out.decision = Decision::fail;
  out.reason =
      fmt::format("{} of the candidate's {} requests failed, {} of the baseline's {}; most: {}.",
                  format_count(candidate.failed), format_count(candidate.requests),
                  format_count(baseline.failed), format_count(baseline.requests), candidate.most_common);
  return out;
}

std::uint64_t missing(const Tally& side) { return side.planned - std::min(side.planned, side.answered); }

std::string short_words(std::string_view side, const Tally& tally) {
  return fmt::format("{} of the {}'s {} planned requests had no good answer.", format_count(missing(tally)),
                     side, format_count(tally.planned));
}

/// A line only where answers are missing.
void judge_answers(const GateRule& rule, const Tally& baseline, const Tally& candidate, double part_of_all,
                   Guards& guards) {
  const double of_baseline = share(missing(baseline), baseline.planned),
               of_candidate = share(missing(candidate), candidate.planned);
  guards.baseline_short = of_baseline * part_of_all > rule.error_share;
  const bool fails = (of_candidate - of_baseline) * part_of_all > rule.error_share &&
                     more_than_chance(missing(baseline), missing(candidate));
  if (!fails && !guards.baseline_short) return;
  auto out = guard("ok");
  out.decision = fails ? Decision::fail : Decision::undecided;
  out.baseline = 1 - of_baseline;
  out.candidate = out.value = 1 - of_candidate;
  out.limit = 1 - of_baseline - rule.error_share;
  out.reason = fails ? short_words("candidate", candidate)
                     : short_words("baseline", baseline) + " There is nothing to compare with.";
  guards.judgements.push_back(std::move(out));
}

constexpr double kMostLengthChange = 0.05;
constexpr double kMostCacheChange = 0.10;

/// Sums over one side's ok answers.
struct Work {
  double ok = 0, prompt = 0, output = 0, cached = 0;
  bool tells_cache = false;
};

Work work_of(const std::vector<const PointResult*>& runs) {
  Work work;
  for (const auto* run : runs) {
    work.ok += static_cast<double>(run->ok);
    work.prompt += static_cast<double>(run->prompt_tokens);
    work.output += static_cast<double>(run->output_tokens);
    work.cached += static_cast<double>(run->cached_tokens);
    work.tells_cache = work.tells_cache || run->cache.has_value();
  }
  return work;
}

void compare_length(std::string_view what, double baseline, double candidate, std::vector<std::string>& out) {
  if (baseline <= 0 || candidate <= 0 || std::abs(candidate / baseline - 1) <= kMostLengthChange) return;
  out.push_back(
      fmt::format("{} are {} tokens long on average of the candidate, {} of the baseline: not the same work.",
                  what, format_number(candidate), format_number(baseline)));
}

void compare_caches(const Work& baseline, const Work& candidate, std::vector<std::string>& out) {
  if (!baseline.tells_cache || !candidate.tells_cache || baseline.prompt <= 0 || candidate.prompt <= 0)
    return;
  const double before = baseline.cached / baseline.prompt, now = candidate.cached / candidate.prompt;
  if (std::abs(now - before) <= kMostCacheChange) return;
  out.push_back(
      fmt::format("The candidate's prefix cache held {:.0f} % of the prompt tokens, the baseline's {:.0f} %.",
                  100 * now, 100 * before));
}

void move(Metric& metric, const std::string& statistic, double by) {
  if (statistic == "mean") metric.mean += by;
  if (statistic == "min") metric.min += by;
  if (statistic == "max") metric.max += by;
  for (auto& one : metric.percentiles) {
    if (percentile_of(statistic) == one.percentile) one.value += by;
  }
}

/// Slots that stood idle in the client: by Little's law, at the same throughput each answer would have taken
/// at most this time longer without them, or at the same times the throughput would have been greater by this
/// share.
struct IdleSlots {
  double queue_ms = 0, share = 0;
};

IdleSlots idle_slots(const PointResult& run) {
  const auto* queue = run.find("client_queue");
  const auto* e2e = run.find("e2e");
  if (run.load.open_loop || !queue || !e2e || e2e->mean <= 0) return {};
  return {queue->mean, queue->mean / e2e->mean};
}

void speed_up(PointResult& run, double share) {
  const auto scale = [&](Rates& rates) {
    for (double* rate : {&rates.request, &rates.input, &rates.output, &rates.total}) *rate *= 1 + share;
  };
  scale(run.whole);
  if (run.steady) scale(*run.steady);
  if (run.slo) run.slo->goodput *= 1 + share;
}

}  // namespace

std::string why_set_aside(const PointResult* run) {
  if (!run) return "not measured";
  bool capped = false;
  for (const auto& check : run->validity.checks) {
    if (run->validity.trustworthy || check.state != CheckState::failed) continue;
    // With a cap on requests in flight the server is what does not keep up, and that is judged.
    capped = check.kind == CheckKind::generator && run->load.max_in_flight > 0;
    if (!capped) return fmt::format("not to be trusted: {}", check.evidence);
  }
  if (!run->validity.trustworthy && !capped) return "not to be trusted";
  return run->validity.partial ? "interrupted" : "";
}

bool has_bounded_errors(const PointResult& run) {
  if (run.validity.trustworthy || run.validity.partial || !run.possible_errors) return false;
  return std::ranges::all_of(run.validity.checks, [&](const Check& check) {
    if (check.state != CheckState::failed || check.kind == CheckKind::client) return true;
    return check.kind == CheckKind::generator && !run.load.open_loop && run.find("client_queue") &&
           run.find("e2e");
  });
}

PointResult moved_by_errors(const PointResult& run, const GateRule& rule, bool slower) {
  PointResult moved = run;
  moved.validity.trustworthy = true;
  const IdleSlots idle = idle_slots(run);
  if (!slower) speed_up(moved, idle.share);
  for (const auto& gated : rule.metrics) {
    const auto metric = std::ranges::find(moved.metrics, gated.metric, &Metric::name);
    if (metric == moved.metrics.end()) continue;
    const auto* error = run.error_of(gated.metric, gated.statistic);
    const auto& figure = *find_figure(gated.metric);
    const bool up = slower != figure.more_is_better;
    double by = !error ? 0 : up ? error->more : -error->less;
    if (slower && !figure.more_is_better)
      by += figure.span == FigureSpan::to_event ? idle.queue_ms : idle.share * metric->mean;
    move(*metric, gated.statistic, by);
  }
  return moved;
}

bool too_many_set_aside(std::size_t set_aside, std::size_t counted, std::size_t allowed) {
  return set_aside > std::max(allowed, counted);
}

Guards judge_guards(const GateRule& rule, const GateSides& sides, std::size_t expected_runs) {
  const auto baseline = tally(sides.baseline), candidate = tally(sides.candidate);
  const auto runs = std::min(sides.baseline.size(), sides.candidate.size());
  const double part_of_all =
      runs >= expected_runs ? 1 : static_cast<double>(runs) / static_cast<double>(expected_runs);
  Guards guards;
  guards.judgements.push_back(judge_errors(rule, baseline, candidate, part_of_all));
  judge_answers(rule, baseline, candidate, part_of_all, guards);
  return guards;
}

std::vector<std::string> unequal_work(const GateSides& sides) {
  const auto baseline = work_of(sides.baseline), candidate = work_of(sides.candidate);
  std::vector<std::string> out;
  if (baseline.ok <= 0 || candidate.ok <= 0) return out;
  compare_length("Prompts", baseline.prompt / baseline.ok, candidate.prompt / candidate.ok, out);
  compare_length("Answers", baseline.output / baseline.ok, candidate.output / candidate.ok, out);
  compare_caches(baseline, candidate, out);
  return out;
}

}  // namespace infermeter
