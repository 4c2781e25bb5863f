// The check `speed`: whether the tokens between the first and the last event of a stream are known.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/checks/checks.hpp"
#include "analysis/figures/speed_evidence.hpp"
#include "infermeter/base/units.hpp"
#include "model/request_view.hpp"
#include "model/stream_speed.hpp"

namespace infermeter {

namespace {

constexpr double kFewUnknown = 0.05;  // share of answers: a pause of the machine may look like a tail
constexpr std::string_view kNoSpeed = "ITL, TPOT and TPS";

/// How the answers were counted, and why some were not.
struct SpeedCounts {
  std::uint64_t answers = 0, unknown = 0;
  std::uint64_t each = 0,
                spread = 0;  // tokens per event known; N spread over the events, as their text confirms
  std::uint64_t untold = 0;  // N spread over the events, and no text is known
  std::array<std::uint64_t, kNamesOf<SpeedDoubt>.size()> doubts{};
};

SpeedCounts count_speeds(const Records& ok) {
  SpeedCounts out;
  const auto evidence = speed_evidence(ok);
  for (const auto* record : ok) {
    if (record->events < 2 || record->flags.has(Flag::uncarried_tokens)) continue;
    const auto counts = count_tokens(*record);
    const auto doubt = doubt_of_speed(*record, counts, evidence);
    ++out.answers;
    ++out.doubts[static_cast<std::size_t>(doubt)];
    if (doubt != SpeedDoubt::none) {
      ++out.unknown;
    } else if (counts.counted) {
      ++(counts.per_event_known ? out.each : record->evidence->text_bytes > 0 ? out.spread : out.untold);
    }
  }
  return out;
}

SpeedDoubt main_doubt(const SpeedCounts& counts) {
  const auto most = std::max_element(counts.doubts.begin() + 1, counts.doubts.end());
  return static_cast<SpeedDoubt>(most - counts.doubts.begin());
}

/// "58 of 60 answers came in one piece, 2 went on …".
std::string reasons(const SpeedCounts& counts) {
  std::string text;
  for (std::size_t i = 1; i < counts.doubts.size(); ++i) {
    if (counts.doubts[i] == 0) continue;
    const auto doubt = static_cast<SpeedDoubt>(i);
    text += text.empty()
                ? fmt::format("{} answers {}", part_of(counts.doubts[i], counts.answers), words_for(doubt))
                : fmt::format("; {} {}", format_count(counts.doubts[i]), words_for(doubt));
  }
  return text;
}

std::string unknown_evidence(const SpeedCounts& counts) {
  if (2 * counts.unknown > counts.answers)
    return fmt::format("{} are left out: {}.", kNoSpeed, reasons(counts));
  return fmt::format("{} are of {} answers: {}.", kNoSpeed,
                     part_of(counts.answers - counts.unknown, counts.answers), reasons(counts));
}

std::string known_evidence(const SpeedCounts& counts) {
  const auto counted = counts.each + counts.spread + counts.untold;
  if (counted == 0) return "The events of a stream have a speed, not its tokens.";
  auto text = fmt::format("Tokens per event are known for {} answers", part_of(counts.each, counted));
  if (counts.spread > 0)
    text += fmt::format("; of {} the count fits their text and events", format_count(counts.spread));
  if (counts.untold > 0)
    text += fmt::format("; of {} only the sum is known, which nothing speaks against",
                        format_count(counts.untold));
  return text + ".";
}

std::string_view advice_for(SpeedDoubt doubt) {
  switch (doubt) {
    case SpeedDoubt::one_piece:
      return "Look for a proxy or a server that holds the stream back (check `stream`).";
    case SpeedDoubt::burst:
      return "Look for a proxy or a server that holds the stream back (check `stream`). If the server is "
             "that "
             "fast, answers of different lengths show it (--output-tokens uniform:32,256).";
    case SpeedDoubt::in_ttft:
      return "Look for hidden reasoning, or for a proxy or a server that holds the stream back; compare by "
             "E2E "
             "and normalized_latency.";
    case SpeedDoubt::server_time:
      return "Compare with the server's own time (server_decode).";
    default:
      return "Let the server count each event, if it can: --extra-body "
             "'{\"stream_options\":{\"include_usage\":true,\"continuous_usage_stats\":true}}', or compare by "
             "E2E, "
             "normalized_latency and ICL.";
  }
}

}  // namespace

Check check_speed(const Facts& facts) {
  if (!facts.point.load.stream) return not_applicable(CheckKind::speed, "No stream was asked for.");
  const auto counts = count_speeds(facts.run.ok);
  if (counts.answers == 0) return not_applicable(CheckKind::speed, "No answer has two events with tokens.");
  if (counts.unknown == 0) return passed(CheckKind::speed, known_evidence(counts));
  auto evidence = unknown_evidence(counts);
  if (static_cast<double>(counts.unknown) <= kFewUnknown * static_cast<double>(counts.answers))
    return passed(CheckKind::speed, std::move(evidence));
  return complaint(CheckKind::speed, CheckState::warning, std::move(evidence),
                   std::string(advice_for(main_doubt(counts))));
}

}  // namespace infermeter
