#include <algorithm>

#include "model/catalogue.hpp"
#include "model/request_view.hpp"

namespace infermeter {

namespace {

using Out = FigureOutput;
using Tells = FigureTells;
using Unit = FigureUnit;
using Samples = std::vector<RequestSample>;

constexpr std::size_t kFewestEvents = 2;    // of a stream that has gaps and a speed
constexpr double kStallGaps = 5;            // a stall is longer than so many median gaps …
constexpr double kShortestStallUs = 250e3;  // … and than this

Micros first_known(Micros instant, Micros otherwise) { return instant ? instant : otherwise; }

std::optional<double> ms_between(Micros from, Micros to) {
  if (!from || !to) return std::nullopt;
  return static_cast<double>(*to - *from) / 1e3;
}

void add(const std::optional<double>& value, Samples& out) {
  if (value) out.push_back({.above = *value});
}

using R = RequestRecord;

template <Micros R::* from, Micros R::* to>
void between(RequestView& request, Samples& out) {
  add(ms_between(request.record().*from, request.record().*to), out);
}

template <std::optional<double> ServerTimes::* time>
void by_server(RequestView& request, Samples& out) {
  add((*request.record().server_times).*time, out);
}

/// Tokens after the first event and the time they took; nothing where all came at one instant.
struct Speed {
  double ms = 0, tokens = 0;
};

std::optional<Speed> speed_of(const ChoiceStream& stream) {
  if (stream.arrivals_us.size() < kFewestEvents) return std::nullopt;
  const Speed speed{static_cast<double>(stream.arrivals_us.back() - stream.arrivals_us.front()) / 1e3,
                    stream.total - stream.tokens.front()};
  return speed.ms > 0 && speed.tokens > 0 ? std::optional(speed) : std::nullopt;
}

/// Calls f(stream) for each choice whose every gap is known.
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

/// Gaps of 0 (events of one read) stay out of the median, or a burst would make every pause between bursts a
/// stall.
double count_stalls(const ChoiceStream& stream) {
  std::vector<double> gaps;
  for (std::size_t j = 1; j < stream.arrivals_us.size(); ++j) {
    if (const double gap = gap_us(stream, j); gap != 0) gaps.push_back(gap);
  }
  const double limit = std::max(kStallGaps * median(gaps), kShortestStallUs);
  return static_cast<double>(std::ranges::count_if(gaps, [&](double gap) { return gap > limit; }));
}

/// The share of the visible tokens that came after the first visible instant; nothing where it is not known.
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

/// Time in the client: from the wish to the first byte, without the setting up of a connection. `sent` of a
/// request that was tried again is the last try's: between the two lies a failed answer, not a queue.
void client_queue(RequestView& request, Samples& out) {
  const auto& r = request.record();
  if (r.tries > 1) return;
  const auto whole = ms_between(r.intended_us, r.sent_us);
  if (!whole) return;
  const Micros set_up = first_known(r.tls_us, first_known(r.connected_us, r.dns_us));
  add(*whole - ms_between(r.started_us, set_up).value_or(0), out);
}

void connect(RequestView& request, Samples& out) {
  const auto& r = request.record();
  add(ms_between(first_known(r.dns_us, r.started_us), r.connected_us), out);
}

/// How fast one stream shows text, which tokenizers do not change. The characters of single events are not
/// kept: the visible ones are dealt out to the events from the first visible one on by their tokens, and
/// those of its instant are left out, as the first event's tokens are in `tps`. Nothing without text, without
/// a second visible instant, or where reasoning was streamed before the text and gaps were not kept.
void chars_per_second(RequestView& request, Samples& out) {
  const auto& record = request.record();
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
  for (const auto& stream : request.streams()) {
    if (const auto speed = speed_of(stream)) out.push_back({speed->ms / speed->tokens});
  }
}

/// Nothing where the server did not count.
void normalized_latency(RequestView& request, Samples& out) {
  const auto& r = request.record();
  const auto e2e = ms_between(r.sent_us, r.end_us);
  if (e2e && request.counts().counted && request.counts().generated > 0)
    out.push_back({*e2e / request.counts().generated});
}
void tps(RequestView& request, Samples& out) {
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

/// Time per token, weighted by tokens. Events of one instant are one with the sum of their tokens, events
/// without a token are part of the next one's gap. None where the tokens of an event are not known.
void itl(RequestView& request, std::vector<StreamGap>& out) {
  if (!request.counts().per_event_known) return;
  for_whole_streams(request, [&](const auto& stream) { add_token_times(stream, out); });
}

constexpr std::string_view kNotByServer = "The server does not report this time.";

/// Up to the first token.
void add_first(Rows& rows) {
  rows.push_back(
      {.name = "client_queue",
       .label = "Client queue",
       .formula = "(S − T) − (dns + connect + tls)",
       .peers = "vLLM bench `client_queue_time`, inference-perf `schedule_delay`, LoadGen issue delay",
       .of_request = client_queue,
       .shown = {{Out::table, "", -2}, {Out::compare, "p95", -3}, {Out::csv}, {Out::requests_csv}}});
  rows.push_back({.name = "dns",
                  .label = "DNS",
                  .formula = "name resolved − D",
                  .of_set_up = true,
                  .of_request = between<&R::started_us, &R::dns_us>,
                  .shown = {{Out::csv}}});
  rows.push_back({.name = "connect",
                  .label = "Connect",
                  .formula = "connected − name resolved",
                  .peers = "k6 `http_req_connecting`",
                  .of_set_up = true,
                  .of_request = connect,
                  .shown = {{Out::csv}}});
  rows.push_back({.name = "tls",
                  .label = "TLS",
                  .formula = "encrypted − connected",
                  .peers = "k6 `http_req_tls_handshaking`",
                  .of_set_up = true,
                  .of_request = between<&R::connected_us, &R::tls_us>,
                  .shown = {{Out::csv}}});
  rows.push_back({.name = "upload",
                  .label = "Upload",
                  .formula = "uploaded − S",
                  .peers = "k6 `http_req_sending`",
                  .of_request = between<&R::sent_us, &R::uploaded_us>,
                  .shown = {{Out::csv}}});
  rows.push_back({.name = "ttfb",
                  .label = "TTFB",
                  .formula = "headers − S",
                  .peers = "k6 `http_req_waiting`",
                  .to_first_token = true,
                  .holds_prefill = true,
                  .of_request = between<&R::sent_us, &R::headers_us>,
                  .shown = {{Out::csv}, {Out::requests_csv}}});
  rows.push_back({.name = "ttft",
                  .label = "TTFT",
                  .formula = "F − S",
                  .peers = "AIPerf and SGLang TTFT. vLLM bench stops its clock at the empty role-only event, "
                           "where the server sends one",
                  .response = "ttft_response",
                  .headline = true,
                  .of_streams = true,
                  .to_first_token = true,
                  .holds_prefill = true,
                  .of_request = between<&R::sent_us, &R::first_token_us>,
                  .shown = {{Out::slices, "p50", 0, 1},
                            {Out::slices, "p95", 0, 2},
                            {Out::compare_main, "p50 p95"},
                            {Out::table},
                            {Out::sweep, "p50", 0, 1},
                            {Out::sweep, "p95", 0, 5},
                            {Out::sweep, "p99", 0, 13},
                            {Out::targets, "p50", 0, 1, true},
                            {Out::targets, "p95", 0, 10, true},
                            {Out::markdown, "p50", 0, 0, true},
                            {Out::markdown, "p95"},
                            {Out::compare, "mean p50 p95 p99"},
                            {Out::differences, "p50 p95"},
                            {Out::csv},
                            {Out::requests_csv},
                            {Out::charts}}});
  rows.push_back({.name = "ttft_response",
                  .label = "TTFT from intended",
                  .short_label = "TTFT intended",
                  .formula = "F − T",
                  .peers = "latency from the intended time, as in wrk2 and LoadGen",
                  .headline = true,
                  .of_streams = true,
                  .to_first_token = true,
                  .holds_prefill = true,
                  .tells = Tells::from_intended,
                  .of_request = between<&R::intended_us, &R::first_token_us>,
                  .shown = {{Out::compare_main, "p50 p95"},
                            {Out::table, "", -1},
                            {Out::compare, "mean p50 p95 p99", -1},
                            {Out::differences, "p50 p95"},
                            {Out::csv},
                            {Out::requests_csv},
                            {Out::charts, "", -1}}});
  rows.push_back({.name = "ttfo",
                  .label = "TTFO",
                  .formula = "first output − S",
                  .peers = "AIPerf TTFO",
                  .of_streams = true,
                  .to_first_token = true,
                  .holds_prefill = true,
                  .tells = Tells::reasons_first,
                  .of_request = between<&R::sent_us, &R::first_output_us>,
                  .shown = {{Out::table},
                            {Out::targets, "p50", 0, 5},
                            {Out::targets, "p95", 0, 14},
                            {Out::compare, "p50 p95"},
                            {Out::differences, "p50 p95"},
                            {Out::csv},
                            {Out::requests_csv}}});
}

/// Where times between events stand, and in the same place those between tokens.
const std::vector<ShownAt> kOfGaps{{Out::table},
                                   {Out::sweep, "p50", 0, 4},
                                   {Out::sweep, "p95", 0, 12},
                                   {Out::slices, "p50", 0, 4},
                                   {Out::slices, "p95", 0, 9},
                                   {Out::targets, "p50", 0, 2, true},
                                   {Out::targets, "p95", 0, 12, true},
                                   {Out::markdown, "p50"},
                                   {Out::compare, "p50 p95", 2},
                                   {Out::differences, "p50 p95"},
                                   {Out::csv},
                                   {Out::charts}};

/// Between the events of a stream, and how fast it is.
void add_streams(Rows& rows) {
  rows.push_back({.name = "ttst",
                  .label = "TTST",
                  .formula = "t₂ − t₁",
                  .peers = "AIPerf TTST",
                  .of_streams = true,
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
                  .of_request = tpot,
                  .shown = {{Out::compare_main, "p50"},
                            {Out::table, "", 1},
                            {Out::targets, "p50", 1, 2, true},
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
                  .of_request = tps,
                  .shown = {{Out::table, "", 1},
                            {Out::sweep, "p50", 1, 8},
                            {Out::targets, "p50", 3, 7, true},
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
                  .of_request = chars_per_second,
                  .shown = {{Out::wide, "", 1},
                            {Out::targets, "p50", 3, 15, true},
                            {Out::compare, "p50", 3},
                            {Out::differences, "p50"},
                            {Out::csv, "", 1}}});
}

/// Up to the end of the answer, and what its whole stream was like.
void add_whole(Rows& rows) {
  rows.push_back({.name = "e2e",
                  .label = "E2E",
                  .formula = "E − S",
                  .peers = "vLLM bench E2EL, which ends at the last event with `choices`",
                  .response = "e2e_response",
                  .headline = true,
                  .holds_prefill = true,
                  .of_request = between<&R::sent_us, &R::end_us>,
                  .shown = {{Out::slices, "p50", 1, 6},
                            {Out::slices, "p95", 1, 8},
                            {Out::table, "", 3},
                            {Out::sweep, "p50", 2, 9},
                            {Out::sweep, "p95", 2, 11},
                            {Out::targets, "p50", 2, 6, true},
                            {Out::markdown, "p50", 2},
                            {Out::compare, "p50 p95", 5},
                            {Out::differences, "p50 p95"},
                            {Out::csv},
                            {Out::requests_csv},
                            {Out::charts, "", 2}}});
  rows.push_back(
      {.name = "e2e_response",
       .label = "E2E from intended",
       .short_label = "E2E intended",
       .formula = "E − T",
       .headline = true,
       .holds_prefill = true,
       .tells = Tells::from_intended,
       .of_request = between<&R::intended_us, &R::end_us>,
       .shown = {{Out::table, "", 2}, {Out::compare, "p50 p95", 4}, {Out::csv}, {Out::requests_csv}}});
  rows.push_back({.name = "normalized_latency",
                  .label = "Normalized latency",
                  .formula = "(E − S) / N",
                  .peers = "normalized latency of the papers on Orca and vLLM",
                  .absent = "The server did not count the tokens.",
                  .of_tokens = true,
                  .of_request = normalized_latency,
                  .shown = {{Out::wide, "", 4}, {Out::csv, "", 1}, {Out::requests_csv, "", 1}}});
  rows.push_back({.name = "tail",
                  .label = "Tail",
                  .formula = "E − L",
                  .of_streams = true,
                  .of_request = between<&R::last_token_us, &R::end_us>,
                  .shown = {{Out::csv}, {Out::requests_csv}}});
  rows.push_back({.name = "max_gap",
                  .label = "Longest gap",
                  .formula = "the largest gap",
                  .of_streams = true,
                  .of_request = max_gap,
                  .shown = {{Out::csv}, {Out::requests_csv}}});
  rows.push_back({.name = "stalls",
                  .unit = Unit::count,
                  .label = "Stalls",
                  .formula = "number of gaps longer than both five times the answer's median gap and 250 ms",
                  .of_streams = true,
                  .of_request = stalls,
                  .shown = {{Out::csv}}});
}

void add_server_times(Rows& rows) {
  const auto add = [&](Figure figure) {
    figure.absent = kNotByServer;
    figure.by_server = true;
    figure.in_slo = false;
    rows.push_back(std::move(figure));
  };
  add({.name = "server_queue",
       .label = "Server queue",
       .formula = "wait before the prefill began, by the server's clock",
       .of_request = by_server<&ServerTimes::queue_ms>});
  add({.name = "server_prefill",
       .label = "Server prefill",
       .formula = "from there to the first token, by the server's clock",
       .holds_prefill = true,
       .of_request = by_server<&ServerTimes::prefill_ms>});
  add({.name = "server_decode",
       .label = "Server decode",
       .formula = "from the first token to the last, by the server's clock",
       .of_request = by_server<&ServerTimes::decode_ms>});
  add({.name = "server_ttft",
       .label = "Server TTFT",
       .formula = "from arrival at the server to the first token, by the server's clock",
       .holds_prefill = true,
       .of_request = by_server<&ServerTimes::ttft_ms>});
}

}  // namespace

void add_request_rows(std::vector<Figure>& rows) {
  for (auto* add : {add_first, add_streams, add_whole, add_server_times}) add(rows);
}

}  // namespace infermeter
