#include "analysis/findings/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analysis/checks/checks.hpp"
#include "analysis/statistics/intervals.hpp"
#include "analysis/statistics/quantiles.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {

namespace {

constexpr std::size_t kFewestForCold = 20;  // with so many a slow start is chance less than 1 time in 20
constexpr double kColdFactor = 3;           // times the median of the later half
constexpr double kNotable = 0.01;           // share of answers, for facts that each answer proves by itself
constexpr double kFrequent = 0.05;          // for facts that may occur by chance: the share's lower bound
constexpr double kManyPacked = 0.2;         // share of events
constexpr double kManyCached = 0.1;         // share of prompt tokens

using MaybeFinding = std::optional<Finding>;

std::uint64_t count_flag(const Records& records, Flag flag) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(records, [&](const auto* record) { return record->flags.has(flag); }));
}

bool notable(std::uint64_t count, std::uint64_t whole) {
  return count > 0 && static_cast<double>(count) >= kNotable * static_cast<double>(whole);
}

bool warned(const PointResult& point, CheckKind check) {
  const auto& checks = point.validity.checks;
  const auto it = std::ranges::find(checks, check, &Check::kind);
  return it != checks.end() && it->state == CheckState::warning;
}

/// Time to the first token (to the whole answer without a stream), in order of the start.
std::vector<double> first_waits_ms(const Records& ok) {
  Records records = ok;
  std::ranges::stable_sort(records, {}, &RequestRecord::sent_us);
  std::vector<double> out;
  for (const auto* record : records) {
    const Micros until = record->first_token_us ? record->first_token_us : record->end_us;
    if (record->sent_us && until) out.push_back(static_cast<double>(*until - *record->sent_us) / 1e3);
  }
  return out;
}

/// The number of consecutive requests at the front that took longer than `limit`.
std::size_t leading_above(const std::vector<double>& values, double limit) {
  const auto first = std::ranges::find_if(values, [&](double value) { return value <= limit; });
  return static_cast<std::size_t>(first - values.begin());
}

bool shares_prompts(const Records& ok) {
  return std::ranges::any_of(
      ok, [](const auto* r) { return r->repeat > 0 || r->prefix_group > 0 || r->turn > 0; });
}

/// The load was asked to repeat texts, so cached tokens are intended. A user's own text is repeated because
/// there are not enough of it.
bool is_meant_to_share(const PointResult& point, const Records& ok) {
  return std::ranges::any_of(ok, [&](const auto* r) {
    const auto* of = class_of(*r, point.load.classes);
    return r->prefix_group > 0 || r->turn > 0 || (r->repeat > 0 && (!of || of->fresh));
  });
}

MaybeFinding cold_start(const PointResult& point, const RunRecords& run) {
  if (shares_prompts(run.ok)) return std::nullopt;  // first sendings are cold then, and are shown separately
  const auto waits = first_waits_ms(run.ok);
  if (waits.size() < kFewestForCold) return std::nullopt;
  std::vector<double> later(waits.begin() + static_cast<std::ptrdiff_t>(waits.size() / 2), waits.end());
  const double usual = median(later);
  const auto cold = leading_above(waits, std::max(kColdFactor * usual, quantile(later, 0.99)));
  if (cold == 0 || cold > waits.size() / 4 || usual <= 0) return std::nullopt;
  double sum = 0;
  for (std::size_t i = 0; i < cold; ++i) sum += waits[i];
  const auto times = format_number(sum / static_cast<double>(cold) / usual, 2);
  const auto who = cold == 1 ? std::string("The first request") : fmt::format("The first {} requests", cold);
  const bool together = !point.load.open_loop && point.warmup_requests == 0 && point.load.concurrency > 1 &&
                        cold <= point.load.concurrency;
  return Finding{
      "cold_start",
      fmt::format("{} took {} times as long{} as later ones: {}. --warmup 10s keeps them out.", who, times,
                  point.load.stream ? " to the first token" : "",
                  together ? "all slots started at once, or the server was cold" : "the server was cold")};
}

MaybeFinding buffered(const PointResult& point, const RunRecords& run) {
  const auto count = count_flag(run.ok, Flag::buffered_stream);
  if (count == 0 || warned(point, CheckKind::stream) || !point.load.stream) return std::nullopt;
  if (wilson(count, point.ok).low.value_or(0) < kFrequent) return std::nullopt;
  return Finding{
      "buffered_stream",
      fmt::format("{} answers came in one piece (over 90 % of their events in one read), the others as "
                  "a stream: look for a proxy that buffers some answers, or one of several servers "
                  "behind the address that does not stream.",
                  part_of(count, point.ok))};
}

/// Only where the client read promptly: then the server or a proxy sent them together.
MaybeFinding packed(const PointResult& point, const RunRecords&) {
  if (point.packed_share < kManyPacked || point.late_share > kNotable || warned(point, CheckKind::stream))
    return std::nullopt;
  return Finding{
      "packed_events",
      fmt::format("{} of the events arrived together with others in one read although the client was "
                  "prompt: the server or a proxy sends them in bursts, so ICL shows pauses and zeros; "
                  "TPOT is not affected. Look at the server's stream interval, and at proxies that "
                  "collect before they send.",
                  percent(point.packed_share))};
}

/// Requests may have different limits, and each of several choices has the limit of all of them together;
/// records of older versions lack theirs.
std::string limit_words(const PointResult& point, const Records& ok, Flag flag) {
  std::optional<std::uint32_t> limit;
  for (const auto* record : ok) {
    if (!record->flags.has(flag)) continue;
    const auto own = record->asked_output_tokens > 0 ? record->asked_output_tokens : point.load.output_tokens;
    if (limit.value_or(own) != own) return "the limit";
    limit = own;
  }
  if (limit.value_or(0) == 0) return "the limit";
  return fmt::format("the limit of {} tokens", format_count(*limit));
}

MaybeFinding limit_ignored(const PointResult& point, const RunRecords& run) {
  const auto count = count_flag(run.ok, Flag::limit_ignored);
  if (!notable(count, point.ok)) return std::nullopt;
  std::int64_t longest = 0;
  for (const auto* record : run.ok) longest = std::max(longest, record->output_tokens.value_or(0));
  return Finding{
      "limit_ignored",
      fmt::format("{} answers are longer than {} they were given (the longest {}): "
                  "the server does not honour the field, or counts reasoning apart. Set its own limit "
                  "with --extra-body.",
                  part_of(count, point.ok), limit_words(point, run.ok, Flag::limit_ignored),
                  format_count(static_cast<std::uint64_t>(longest)))};
}

/// Forced lengths make the model continue past its end of turn, so a marker is not a fault.
MaybeFinding end_marker(const PointResult& point, const RunRecords& run) {
  const auto count = count_flag(run.ok, Flag::end_marker);
  if (!notable(count, point.ok) || point.load.exact_output) return std::nullopt;
  return Finding{
      "end_marker",
      fmt::format("{} answers hold an end-of-turn marker such as <|im_end|> in their text: the server's "
                  "chat template or stop tokens do not fit the model, and answers run longer than they "
                  "should. Check both on the server.",
                  part_of(count, point.ok))};
}

MaybeFinding only_reasoning(const PointResult& point, const RunRecords& run) {
  if (!notable(point.only_reasoning, point.ok)) return std::nullopt;
  return Finding{
      "only_reasoning",
      fmt::format("{} answers hold reasoning only: it used up {} before the first "
                  "visible one, so TTFO is that of the others. Raise --output-tokens, or lower the "
                  "reasoning effort with --extra-body.",
                  part_of(point.only_reasoning, point.ok), limit_words(point, run.ok, Flag::only_reasoning))};
}

MaybeFinding uncarried_tokens(const PointResult& point, const RunRecords& run) {
  const auto count = count_flag(run.ok, Flag::uncarried_tokens);
  if (!notable(count, point.ok)) return std::nullopt;
  return Finding{
      "uncarried_tokens",
      fmt::format("{} answers count tokens that came in no event, so they give no TTFT, TPOT and TPS: their "
                  "text is in a field that infermeter does not know, or the server kept it back. --save-text "
                  "shows what was read.",
                  part_of(count, point.ok))};
}

MaybeFinding odd_event(const PointResult& point, const RunRecords& run) {
  const auto count = count_flag(run.ok, Flag::odd_event);
  if (count == 0) return std::nullopt;
  const auto odd = std::ranges::find_if(run.ok, [](const auto* r) { return r->flags.has(Flag::odd_event); });
  return Finding{"odd_event",
                 fmt::format("{} answers hold an event that cannot be read, and what it carried is "
                             "missing ({}).",
                             part_of(count, point.ok), (*odd)->error)};
}

MaybeFinding prefix_cache(const PointResult& point, const RunRecords& run) {
  if (is_meant_to_share(point, run.ok) || warned(point, CheckKind::cold)) return std::nullopt;
  std::uint64_t cached = 0, prompt = 0;
  for (const auto* record : run.ok) {
    if (!record->cached_tokens || !record->prompt_tokens) continue;
    cached += static_cast<std::uint64_t>(std::max<std::int64_t>(0, *record->cached_tokens));
    prompt += static_cast<std::uint64_t>(std::max<std::int64_t>(0, *record->prompt_tokens));
  }
  if (prompt == 0 || static_cast<double>(cached) < kManyCached * static_cast<double>(prompt))
    return std::nullopt;
  const double share = static_cast<double>(cached) / static_cast<double>(prompt);
  const auto* ttft = point.find("ttft");
  return Finding{
      "prefix_cache",
      fmt::format("{} of the prompt tokens came from the server's prefix cache, by its own count: {} is "
                  "that of a warm cache. Synthetic prompts with a new nonce, as by default, "
                  "measure a cold one.",
                  percent(share), ttft ? "TTFT" : "E2E")};
}

}  // namespace

std::vector<Finding> find_out(const PointResult& point, const RunRecords& run) {
  std::vector<Finding> findings;
  if (run.ok.empty()) return findings;
  for (const auto rule : {cold_start, find_waves, buffered, packed, limit_ignored, end_marker, only_reasoning,
                          uncarried_tokens, odd_event, prefix_cache, find_prompts_again}) {
    if (auto finding = rule(point, run)) findings.push_back(std::move(*finding));
  }
  return findings;
}

}  // namespace infermeter
