#include <fmt/format.h>

#include <algorithm>

#include "analysis/checks/checks.hpp"
#include "infermeter/base/units.hpp"
#include "model/request_view.hpp"

namespace infermeter {

namespace {

constexpr double kLengthTolerance = 0.05;
constexpr double kMostOffLength = 0.05;     // share of answers
constexpr std::int64_t kStreamTokens = 20;  // shorter answers may well come in one read

struct AnswerLengths {
  std::uint64_t answers = 0, longer = 0, shorter = 0;
  std::uint64_t excused = 0;  // they ended by themselves, where the length was a limit and not a target
  bool exact = false;         // some lengths were forced
  double mean = 0, asked = 0;
};

/// The length that the request asked for; older records lack it, so the load point's is used. 0: none.
double asked_length(const RequestRecord& record, const LoadPoint& load) {
  return record.asked_output_tokens > 0 ? record.asked_output_tokens : load.output_tokens;
}

bool was_exact(const RequestRecord& record, const LoadPoint& load) {
  const auto* of = class_of(record, load.classes);
  return of ? of->exact_output : load.exact_output;
}

void add_length(const RequestRecord& record, double tokens, double asked, bool exact, AnswerLengths& out) {
  const double tolerance = std::max(1.0, kLengthTolerance * asked);
  ++out.answers;
  out.mean += tokens;
  out.asked += asked;
  out.exact = out.exact || exact;
  if (tokens > asked + tolerance) ++out.longer;
  if (tokens >= asked - tolerance) return;
  ++out.shorter;
  if (record.finish_reason == "stop" && !exact) ++out.excused;
}

AnswerLengths measure_lengths(const Records& ok, const LoadPoint& load) {
  AnswerLengths out;
  for (const auto* record : ok) {
    const double asked = asked_length(*record, load);
    const auto counts = count_tokens(*record);
    if (counts.counted && asked > 0)
      add_length(*record, counts.generated, asked, was_exact(*record, load), out);
  }
  if (out.answers == 0) return out;
  out.mean /= static_cast<double>(out.answers);
  out.asked /= static_cast<double>(out.answers);
  return out;
}

std::string lengths_advice(const AnswerLengths& lengths) {
  if (lengths.longer >= lengths.shorter)
    return "The server ignores the token limit; compare runs by TPOT and TTFT, not by E2E.";
  if (lengths.exact)
    return "The server does not support ignore_eos, so answers differ in length from run to run; compare "
           "runs by TPOT and TTFT, not by E2E or requests per second.";
  return "Answers ended before the limit for another reason than a stop: look at the finish reasons.";
}

/// Answers of items (vectors, documents) count only the prompt's tokens.
bool is_counted(const RequestRecord& record) {
  return record.items ? record.prompt_tokens.has_value() : count_tokens(record).counted;
}

bool all_items(const Records& ok) {
  return std::ranges::all_of(ok, [](const auto* record) { return record->items.has_value(); });
}

std::string items_evidence(const PointResult& point) {
  return fmt::format("{} prompt tokens counted by the server; there are no output tokens.",
                     format_count(point.prompt_tokens));
}

std::string tokens_evidence(const PointResult& point, std::uint64_t hidden) {
  auto text = fmt::format("{} tokens counted by the server ({}).", format_count(point.output_tokens),
                          name(point.token_source));
  if (hidden > 0)
    text += fmt::format(
        " {} of them no event carried (hidden reasoning): throughput counts them, TPOT, TPS and ITL do not.",
        format_count(hidden));
  return text;
}

}  // namespace

Check check_stream(const Facts& facts) {
  if (!facts.point.load.stream) return not_applicable(CheckKind::stream, "No stream was asked for.");
  std::uint64_t judged = 0, whole = 0;
  for (const auto* record : facts.run.measured) {
    const bool one_body = record->outcome == Outcome::not_streamed;
    if (record->outcome != Outcome::ok && !one_body) continue;
    const auto tokens = record->output_tokens.value_or(record->events);
    if (!one_body && tokens < kStreamTokens) continue;
    ++judged;
    if (one_body || record->flags.has(Flag::buffered_stream)) ++whole;
  }
  if (judged == 0) return not_applicable(CheckKind::stream, "No answer is long enough to judge (20 tokens).");
  auto evidence = fmt::format("{} answers came in one piece instead of a stream.", part_of(whole, judged));
  if (2 * whole <= judged) return passed(CheckKind::stream, std::move(evidence));
  return complaint(
      CheckKind::stream, CheckState::warning, std::move(evidence),
      "There is no ITL, TPOT and TPS, and TTFT is the time of the whole answer. Look for a "
      "proxy that buffers (nginx: proxy_buffering off, or X-Accel-Buffering: no), for compression, "
      "or a server that ignores \"stream\"; measure the server directly to find out which.");
}

Check check_lengths(const Facts& facts) {
  const auto& load = facts.point.load;
  const auto asked = [&](const auto* record) { return asked_length(*record, load) > 0; };
  if (load.output_tokens == 0 && std::ranges::none_of(facts.run.ok, asked))
    return not_applicable(CheckKind::lengths, "No length was asked for.");
  const auto found = measure_lengths(facts.run.ok, load);
  if (found.answers == 0) return not_applicable(CheckKind::lengths, "The server did not count its tokens.");
  const auto off = found.longer + found.shorter;
  // A limit is not a target: an answer that ends by itself below it is as requested.
  const auto wrong = off - found.excused;
  auto evidence =
      fmt::format("{} answers are more than 5 % off the {} tokens asked for; their mean is {}.",
                  part_of(off, found.answers), format_number(found.asked, 4), format_number(found.mean));
  if (found.excused > 0)
    evidence += fmt::format(" {} ended by themselves below that limit.", format_count(found.excused));
  if (static_cast<double>(wrong) <= kMostOffLength * static_cast<double>(found.answers))
    return passed(CheckKind::lengths, std::move(evidence));
  return complaint(CheckKind::lengths, CheckState::warning, std::move(evidence), lengths_advice(found));
}

Check check_tokens(const Facts& facts) {
  std::uint64_t uncounted = 0, odd = 0;
  double hidden = 0;
  for (const auto* record : facts.run.ok) {
    const auto counts = count_tokens(*record);
    if (!is_counted(*record)) ++uncounted;
    if (record->flags.has(Flag::odd_usage)) ++odd;
    hidden += counts.generated - counts.streamed;
  }
  if (facts.point.ok == 0) return not_applicable(CheckKind::tokens, "No request ended ok.");
  if (uncounted == 0 && all_items(facts.run.ok))
    return passed(CheckKind::tokens, items_evidence(facts.point));
  if (uncounted == 0)
    return passed(CheckKind::tokens, tokens_evidence(facts.point, static_cast<std::uint64_t>(hidden)));
  if (odd > 0)
    return complaint(
        CheckKind::tokens, CheckState::warning,
        fmt::format("{} answers have token counts that cannot be true (odd_usage): their events "
                    "are counted, which are not tokens.",
                    part_of(odd, facts.point.ok)),
        "The counts contradict each other or the limit of tokens: `usage` in requests.jsonl shows "
        "them.");
  return complaint(
      CheckKind::tokens, CheckState::warning,
      fmt::format("{} answers came without a token count: their events are counted, which are not tokens.",
                  part_of(uncounted, facts.point.ok)),
      "The server or a proxy drops \"usage\": see that it takes stream_options.include_usage. Do not compare "
      "rates per event with rates per token.");
}

}  // namespace infermeter
