#include "analysis/slices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/assertions/slo.hpp"
#include "analysis/figures/counts.hpp"
#include "analysis/figures/describe.hpp"
#include "analysis/figures/in_flight.hpp"
#include "analysis/figures/throughput.hpp"
#include "model/request_view.hpp"

namespace infermeter {

namespace {

constexpr std::uint32_t kSingleTurns = 10;  // later ones are one slice

std::uint64_t tokens_or_none(const std::optional<std::int64_t>& tokens) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, tokens.value_or(0)));
}

void add_tokens(const Records& answers, double tokens_per_event, Slice& slice) {
  double output = 0;
  for (const auto* record : answers) {
    slice.prompt_tokens += tokens_or_none(record->prompt_tokens);
    slice.cached_tokens += tokens_or_none(record->cached_tokens);
    const auto counts = count_tokens(*record);
    output += counts.counted ? counts.generated : counts.generated * tokens_per_event;
  }
  slice.output_tokens = static_cast<std::uint64_t>(std::llround(std::max(0.0, output)));
}

/// `all`: of every phase, for the rates; `answers`: those whose latencies the slice shows.
Slice make_slice(SliceKind by, std::string name, const Records& all, const Records& answers,
                 const SliceRules& rules) {
  const auto measured = only_measured(all);
  Slice slice;
  slice.by = by;
  slice.name = std::move(name);
  slice.requests = measured.size();
  slice.outcomes = count_outcomes(measured);
  slice.ok = slice.outcomes.empty() || slice.outcomes.front().outcome != Outcome::ok
                 ? 0
                 : slice.outcomes.front().count;
  const auto source = token_source_of(answers);
  slice.metrics =
      make_metrics(answers, sample_rules(rules.load, source, mean_in_flight_while_busy(measured))).metrics;
  add_tokens(answers, rules.tokens_per_event, slice);
  if (!rules.window) return slice;
  const auto over = rates(all, *rules.window, rules.tokens_per_event);
  slice.request_throughput = over.request;
  slice.output_throughput = over.output;
  return slice;
}

Slice make_slice(SliceKind by, std::string name, const Records& all, const SliceRules& rules) {
  return make_slice(by, std::move(name), all, timed_answers(only_measured(all)), rules);
}

bool any_measured(const Records& all) {
  return std::ranges::any_of(all, [](const auto* r) { return r->phase == Phase::measured; });
}

/// One list of records per group, filled by `group(record)`.
template <typename Group>
std::vector<Records> split(const Records& records, std::size_t groups, Group group) {
  std::vector<Records> out(groups);
  for (const auto* record : records) out[std::min<std::size_t>(group(*record), groups - 1)].push_back(record);
  return out;
}

void add_classes(const RunRecords& run, const SliceRules& rules, std::vector<Slice>& out) {
  const auto& classes = rules.load.classes;
  std::size_t groups = classes.size();
  for (const auto* record : run.measured) groups = std::max<std::size_t>(groups, record->traffic_class + 1U);
  if (groups < 2) return;
  const auto parts = split(run.all, groups, [](const auto& r) { return r.traffic_class; });
  for (std::size_t i = 0; i < groups; ++i) {
    const bool named = i < classes.size() && !classes[i].name.empty();
    auto& slice = out.emplace_back(make_slice(
        SliceKind::traffic_class, named ? classes[i].name : fmt::format("{}", i + 1), parts[i], rules));
    slice.slo = judge_slos(parts[i], classes, rules.window);
  }
}

void add_turns(const RunRecords& run, const SliceRules& rules, std::vector<Slice>& out) {
  const bool any = std::ranges::any_of(run.measured, [](const auto* r) { return r->turn > 0; });
  if (!any) return;
  Records turns;  // in a mix only requests of conversations
  std::ranges::copy_if(run.all, std::back_inserter(turns),
                       [](const auto* r) { return r->conversation.has_value(); });
  const auto parts = split(turns, kSingleTurns + 1, [](const auto& r) { return r.turn; });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!any_measured(parts[i])) continue;
    auto name = i < kSingleTurns ? fmt::format("{}", i + 1) : fmt::format("{}+", kSingleTurns + 1);
    out.push_back(make_slice(SliceKind::turn, std::move(name), parts[i], rules));
  }
}

bool was_sent(const RequestRecord& record) { return !is_unsent(record.outcome); }

/// What is known of the server's cache for a request.
enum class Cached : std::uint8_t {
  cold,   // no part of its prompt was sent before, and the prompt is new
  first,  // the user's own text, sent for the first time in this run: another one may have sent it
  warm,
};

/// Whether the server may have seen the start of the prompt before: the same prompt, the earlier turns, or
/// the prefix of its group; also in the warm-up, in a ramp, by priming or at an earlier load point.
class Warmth {
 public:
  explicit Warmth(std::span<const ClassLoad> classes) : classes_(classes) {}
  /// In order of intention.
  Cached of(const RequestRecord& record) {
    const auto* of = class_of(record, classes_);
    if (warm(record, of)) return Cached::warm;
    return of && !of->fresh ? Cached::first : Cached::cold;
  }

 private:
  bool warm(const RequestRecord& record, const ClassLoad* of) {
    if (record.repeat > 0 || record.turn > 0) return true;
    if (record.prefix_group == 0) return false;
    if (of && of->primed) return true;
    const auto group = std::pair(record.traffic_class, record.prefix_group);
    return was_sent(record) ? !seen_.insert(group).second : seen_.contains(group);
  }

  std::span<const ClassLoad> classes_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen_;
};

void add_cache(const RunRecords& run, const SliceRules& rules, std::vector<Slice>& out) {
  const auto shared = [](const auto* r) { return r->repeat > 0 || r->prefix_group > 0; };
  if (std::ranges::none_of(run.measured, shared)) return;
  constexpr std::array<const char*, 3> kNames{"cold", "first", "warm"};
  Warmth warmth(rules.load.classes);
  std::array<Records, 3> parts;
  for (const auto* record : run.all) parts[static_cast<std::size_t>(warmth.of(*record))].push_back(record);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (any_measured(parts[i])) out.push_back(make_slice(SliceKind::cache, kNames[i], parts[i], rules));
  }
}

void add_cancelled(const RunRecords& run, const SliceRules& rules, std::vector<Slice>& out) {
  Records picked, answered;
  for (const auto* record : run.all) {
    if (!is_picked(*record)) continue;
    picked.push_back(record);
    const bool ended = record->outcome == Outcome::cancelled || record->outcome == Outcome::ok;
    if (ended && record->phase == Phase::measured) answered.push_back(record);
  }
  if (!answered.empty()) out.push_back(make_slice(SliceKind::cancel, "cancelled", picked, answered, rules));
}

}  // namespace

std::vector<Slice> make_slices(const RunRecords& run, const SliceRules& rules) {
  std::vector<Slice> out;
  for (const auto add : {add_classes, add_turns, add_cache, add_cancelled}) add(run, rules, out);
  return out;
}

}  // namespace infermeter
