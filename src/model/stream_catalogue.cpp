#include <algorithm>

#include "model/catalogue.hpp"
#include "model/request_view.hpp"
#include "model/stream_speed.hpp"

namespace infermeter {

namespace {

using Out = FigureOutput;
using Tells = FigureTells;
using Unit = FigureUnit;
using Samples = std::vector<RequestSample>;

constexpr std::size_t kFewestEvents = 2;    // of a stream that has gaps and a speed
constexpr double kStallGaps = 5;            // a stall is longer than this many median gaps …
constexpr double kShortestStallUs = 250e3;  // … and than this

/// Tokens after the first instant and the time they took; nothing where all came at one instant. Events that
/// came with the first one are of its instant.
struct Speed {
  double ms = 0, tokens = 0;
};

std::optional<Speed> speed_of(const ChoiceStream& stream) {
  if (stream.arrivals_us.size() < kFewestEvents) return std::nullopt;
  const auto first = stream.arrivals_us.front();
  Speed speed{static_cast<double>(stream.arrivals_us.back() - first) / 1e3, stream.total};
  for (std::size_t j = 0; j < stream.tokens.size() && stream.arrivals_us[j] == first; ++j)
    speed.tokens -= stream.tokens[j];
  return speed.ms > 0 && speed.tokens > 0 ? std::optional(speed) : std::nullopt;
}

/// Calls f(stream) for each choice whose gaps are all known.
template <typename F>
void for_whole_streams(RequestView& request, F f) {
  for (const auto& stream : request.streams()) {
    if (stream.whole && stream.arrivals_us.size() >= kFewestEvents) f(stream);
  }
}

double gap_us(const ChoiceStream& stream, std::size_t j) {
  return static_cast<double>(stream.arrivals_us[j] - stream.arrivals_us[j - 1]);
}

double largest_gap_us(const ChoiceStream& stream) {
  double largest = 0;
  for (std::size_t j = 1; j < stream.arrivals_us.size(); ++j) largest = std::max(largest, gap_us(stream, j));
  return largest;
}

double median(std::vector<double>& values) {
  std::ranges::sort(values);
  const double low = values[(values.size() - 1) / 2], high = values[values.size() / 2];
  return low + (high - low) / 2;
}

/// Gaps of 0 (events of one read) are left out of the median; else a burst would make every pause between
/// bursts a stall.
double count_stalls(const ChoiceStream& stream) {
  std::vector<double> gaps;
  for (std::size_t j = 1; j < stream.arrivals_us.size(); ++j) {
    if (const double gap = gap_us(stream, j); gap != 0) gaps.push_back(gap);
  }
  const double limit = std::max(kStallGaps * median(gaps), kShortestStallUs);
  return static_cast<double>(std::ranges::count_if(gaps, [&](double gap) { return gap > limit; }));
}

/// The share of the visible tokens that came after the first visible instant; nothing where it is unknown.
std::optional<double> later_share(RequestView& request) {
  const auto& record = request.record();
  if (!has_arrivals(record)) {
    if (record.first_output_us != record.first_token_us || record.events < kFewestEvents) return std::nullopt;
    return 1 - 1.0 / record.events;
  }
  const auto& counts = request.counts();
  double all = 0, later = 0;
  std::int64_t at = *record.first_token_us;
  for (std::size_t j = 0; j < record.events; ++j) {
    if (j > 0) at += record.gaps_us[j - 1];
    if (at < *record.first_output_us) continue;
    const double tokens = event_tokens(record, counts, j);
    all += tokens;
    if (at > *record.first_output_us) later += tokens;
  }
  return all > 0 ? std::optional(later / all) : std::nullopt;
}

void add_token_times(const ChoiceStream& stream, std::vector<StreamGap>& out) {
  std::int64_t since = stream.arrivals_us.front();
  double tokens = 0;
  const std::size_t k = stream.arrivals_us.size();
  std::size_t j = 1;
  while (j < k && stream.arrivals_us[j] == since) ++j;  // the rest of the first instant
  for (; j < k; ++j) {
    tokens += stream.tokens[j];
    const auto at = stream.arrivals_us[j];
    if (tokens <= 0 || (j + 1 < k && stream.arrivals_us[j + 1] == at)) continue;
    out.push_back({static_cast<double>(at - since) / 1e3 / tokens, static_cast<std::uint32_t>(tokens), at});
    since = at;
    tokens = 0;
  }
}

/// What is not known of the tokens leaves the text its time, unless all of it came at once.
bool paces_text(SpeedDoubt doubt) {
  return doubt != SpeedDoubt::one_piece && doubt != SpeedDoubt::burst && doubt != SpeedDoubt::in_ttft;
}

/// How fast one stream shows text, independent of tokenizers. The characters of single events are not kept:
/// the visible ones are distributed over the events from the first visible one on, by their tokens. Those of
/// the first visible instant are left out, as `tps` leaves out the first event's tokens. Nothing without
/// text, without a second visible instant, or where reasoning was streamed before the text and gaps were not
/// kept.
void chars_per_second(RequestView& request, Samples& out) {
  const auto& record = request.record();
  if (record.flags.has(Flag::uncarried_tokens) || !paces_text(request.doubt())) return;
  if (record.output_chars == 0 || !record.first_output_us || !record.last_token_us) return;
  const auto span_us = *record.last_token_us - *record.first_output_us;
  if (span_us <= 0) return;
  const auto later = later_share(request);
  if (!later || *later <= 0) return;
  const double chars = static_cast<double>(record.output_chars) / static_cast<double>(choice_count(record));
  out.push_back({chars * *later, static_cast<double>(span_us) / 1e6});
}

void ttst(RequestView& request, Samples& out) {
  for_whole_streams(request, [&](const auto& stream) { out.push_back({gap_us(stream, 1) / 1e3}); });
}

void tpot(RequestView& request, Samples& out) {
  if (request.doubt() != SpeedDoubt::none) return;
  for (const auto& stream : request.streams()) {
    if (const auto speed = speed_of(stream)) out.push_back({speed->ms / speed->tokens});
  }
}

void tps(RequestView& request, Samples& out) {
  if (request.doubt() != SpeedDoubt::none) return;
  for (const auto& stream : request.streams()) {
    if (const auto speed = speed_of(stream)) out.push_back({speed->tokens, speed->ms / 1e3});
  }
}

void max_gap(RequestView& request, Samples& out) {
  for_whole_streams(request, [&](const auto& stream) { out.push_back({largest_gap_us(stream) / 1e3}); });
}

void stalls(RequestView& request, Samples& out) {
  for_whole_streams(request, [&](const auto& stream) {
    out.push_back({largest_gap_us(stream) > kShortestStallUs ? count_stalls(stream) : 0});
  });
}

/// Every gap between neighbouring events of a choice.
void icl(RequestView& request, std::vector<StreamGap>& out) {
  for_whole_streams(request, [&](const auto& stream) {
    for (std::size_t j = 1; j < stream.arrivals_us.size(); ++j)
      out.push_back({gap_us(stream, j) / 1e3, 1, stream.arrivals_us[j]});
  });
}

/// Time per token, weighted by tokens. Events of one instant count as one with the sum of their tokens;
/// events without a token are part of the next one's gap. Nothing where the tokens of an event are unknown.
void itl(RequestView& request, std::vector<StreamGap>& out) {
  if (!request.counts().per_event_known || request.doubt() != SpeedDoubt::none) return;
  for_whole_streams(request, [&](const auto& stream) { add_token_times(stream, out); });
}

/// Places that show times between events; the same places show those between tokens.
const std::vector<ShownAt> kOfGaps{{Out::table},
                                   {Out::sweep, "p50", 0, 4},
                                   {Out::sweep, "p95", 0, 12},
                                   {Out::slices, "p50", 0, 4},
                                   {Out::slices, "p95", 0, 9},
                                   {Out::targets, "p50", 0, 11, true},
                                   {Out::targets, "p95", 0, 22, true},
                                   {Out::markdown, "p50"},
                                   {Out::compare, "p50 p95", 2},
                                   {Out::differences, "p50 p95"},
                                   {Out::csv},
                                   {Out::charts}};

}  // namespace

/// Gaps between the events of a stream, and its speed.
void add_stream_rows(Rows& rows) {
  rows.push_back({.name = "ttst",
                  .label = "TTST",
                  .formula = "t₂ − t₁",
                  .peers = "AIPerf TTST",
                  .of_streams = true,
                  .span = FigureSpan::gaps,
                  .of_request = ttst,
                  .shown = {{Out::csv}}});
  rows.push_back({.name = "icl",
                  .level = FigureLevel::event,
                  .label = "ICL",
                  .formula = "tⱼ − tⱼ₋₁, one sample per gap",
                  .peers = "\"ITL\" of vLLM bench and SGLang; AIPerf ICL",
                  .headline = true,
                  .of_streams = true,
                  .tells = Tells::without_itl,
                  .span = FigureSpan::gaps,
                  .of_stream = icl,
                  .shown = kOfGaps});
  rows.push_back({.name = "itl",
                  .level = FigureLevel::token,
                  .label = "ITL",
                  .formula = "(tⱼ − tⱼ₋₁) / mⱼ, counted mⱼ times",
                  .absent =
                      "How many tokens an event carries is not known, so that there is no itl; icl (a gap "
                      "between events) and tpot (a token, over the whole answer) are known.",
                  .headline = true,
                  .of_tokens = true,
                  .of_streams = true,
                  .of_speed = true,
                  .span = FigureSpan::gaps,
                  .of_stream = itl,
                  .shown = kOfGaps});
  rows.push_back({.name = "tpot",
                  .label = "TPOT",
                  .event_label = "Time per event",
                  .formula = "(L − F) / (N − m₁), one sample per request",
                  .peers = "TPOT of vLLM bench and MLPerf (with m₁ = 1); AIPerf's \"ITL\". guidellm's TPOT "
                           "includes TTFT",
                  .of_tokens = true,
                  .of_streams = true,
                  .of_speed = true,
                  .span = FigureSpan::stream,
                  .of_request = tpot,
                  .shown = {{Out::compare_main, "p50"},
                            {Out::table, "", 1},
                            {Out::targets, "p50", 1, 11, true},
                            {Out::markdown, "p50", 1, 0, true},
                            {Out::compare, "p50 p95"},
                            {Out::differences, "p50 p95"},
                            {Out::csv},
                            {Out::requests_csv},
                            {Out::charts, "", 1}}});
  rows.push_back({.name = "tps",
                  .unit = Unit::tokens_per_second,
                  .label = "TPS",
                  .event_label = "Events/s",
                  .head = "TPS",
                  .under = "stream",
                  .formula = "(N − m₁) / (L − F)",
                  .peers = "AIPerf output token throughput per user",
                  .more_is_better = true,
                  .low_tail = true,
                  .of_tokens = true,
                  .of_streams = true,
                  .of_speed = true,
                  .span = FigureSpan::stream,
                  .of_request = tps,
                  .shown = {{Out::table, "", 1},
                            {Out::sweep, "p50", 1, 8},
                            {Out::targets, "p50", 3, 4, true},
                            {Out::compare, "p50", 1},
                            {Out::differences, "p50"},
                            {Out::csv},
                            {Out::requests_csv, "", 1}}});
  rows.push_back({.name = "chars_per_second",
                  .unit = Unit::chars_per_second,
                  .label = "Chars/s",
                  .short_label = "Text",
                  .head = "chars/s",
                  .formula = "visible characters after the first visible instant / (L − first output)",
                  .absent = "No answer has text that came in more than one piece.",
                  .more_is_better = true,
                  .low_tail = true,
                  .of_streams = true,
                  .tells = Tells::across_models,
                  .span = FigureSpan::stream,
                  .of_request = chars_per_second,
                  .shown = {{Out::wide, "", 1},
                            {Out::targets, "p50", 3, 17, true},
                            {Out::compare, "p50", 3},
                            {Out::differences, "p50"},
                            {Out::csv, "", 1}}});
}

/// Figures of a whole stream.
void add_pause_rows(Rows& rows) {
  rows.push_back({.name = "max_gap",
                  .label = "Longest gap",
                  .formula = "the largest gap",
                  .of_streams = true,
                  .span = FigureSpan::gaps,
                  .of_request = max_gap,
                  .shown = {{Out::csv}, {Out::requests_csv}}});
  rows.push_back({.name = "stalls",
                  .unit = Unit::count,
                  .label = "Stalls",
                  .formula = "number of gaps over five times the answer's median gap and over 250 ms",
                  .of_streams = true,
                  .span = FigureSpan::gaps,
                  .of_request = stalls,
                  .shown = {{Out::csv}}});
}

}  // namespace infermeter
