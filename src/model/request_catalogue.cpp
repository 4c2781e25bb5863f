#include "model/catalogue.hpp"
#include "model/request_view.hpp"

namespace infermeter {

namespace {

using Out = FigureOutput;
using Tells = FigureTells;
using Unit = FigureUnit;
using Samples = std::vector<RequestSample>;

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

/// Nothing where tokens came that no event showed: the first event with a token was not that of the first
/// token.
template <Micros R::* from, Micros R::* to>
void to_token(RequestView& request, Samples& out) {
  if (!request.record().flags.has(Flag::uncarried_tokens)) between<from, to>(request, out);
}

template <std::optional<double> ServerTimes::* time>
void by_server(RequestView& request, Samples& out) {
  add((*request.record().server_times).*time, out);
}

/// Time in the client: from the intended time to the first byte, without setting up a connection. `sent` of a
/// retried request is that of its last try: the time between tries holds a failed answer, not a queue.
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

/// Nothing where the server did not count.
void normalized_latency(RequestView& request, Samples& out) {
  const auto& r = request.record();
  const auto e2e = ms_between(r.sent_us, r.end_us);
  if (e2e && request.counts().counted && request.counts().generated > 0)
    out.push_back({*e2e / request.counts().generated});
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
                  .of_request = to_token<&R::sent_us, &R::first_token_us>,
                  .shown = {{Out::slices, "p50", 0, 1},
                            {Out::slices, "p95", 0, 2},
                            {Out::compare_main, "p50 p95"},
                            {Out::table},
                            {Out::sweep, "p50", 0, 1},
                            {Out::sweep, "p95", 0, 5},
                            {Out::sweep, "p99", 0, 13},
                            {Out::targets, "p50", 0, 1, true},
                            {Out::targets, "p95", 0, 3, true},
                            {Out::markdown, "p50", 0, 0, true},
                            {Out::markdown, "p95"},
                            {Out::compare, "mean p50 p95 p99"},
                            {Out::differences, "p50 p95"},
                            {Out::csv},
                            {Out::requests_csv},
                            {Out::charts}}});
  rows.push_back({.name = "ttft_response",
                  .label = "TTFT incl. schedule delay",
                  .short_label = "TTFT incl. delay",
                  .formula = "F − T",
                  .peers = "latency from the intended time, as in wrk2 and LoadGen",
                  .headline = true,
                  .of_streams = true,
                  .to_first_token = true,
                  .holds_prefill = true,
                  .tells = Tells::from_intended,
                  .of_request = to_token<&R::intended_us, &R::first_token_us>,
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
                  .of_request = to_token<&R::sent_us, &R::first_output_us>,
                  .shown = {{Out::table},
                            {Out::targets, "p50", 0, 9},
                            {Out::targets, "p95", 0, 14},
                            {Out::compare, "p50 p95"},
                            {Out::differences, "p50 p95"},
                            {Out::csv},
                            {Out::requests_csv}}});
}

/// Up to the end of the answer.
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
                            {Out::targets, "p50", 2, 12, true},
                            {Out::markdown, "p50", 2},
                            {Out::compare, "p50 p95", 5},
                            {Out::differences, "p50 p95"},
                            {Out::csv},
                            {Out::requests_csv},
                            {Out::charts, "", 2}}});
  rows.push_back(
      {.name = "e2e_response",
       .label = "E2E incl. schedule delay",
       .short_label = "E2E incl. delay",
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
       .formula = "wait before the prefill",
       .of_request = by_server<&ServerTimes::queue_ms>});
  add({.name = "server_prefill",
       .label = "Server prefill",
       .formula = "from there to the first token",
       .holds_prefill = true,
       .of_request = by_server<&ServerTimes::prefill_ms>});
  add({.name = "server_decode",
       .label = "Server decode",
       .formula = "from the first token to the last",
       .of_request = by_server<&ServerTimes::decode_ms>});
  add({.name = "server_ttft",
       .label = "Server TTFT",
       .formula = "from arrival at the server to the first token",
       .holds_prefill = true,
       .of_request = by_server<&ServerTimes::ttft_ms>});
}

}  // namespace

void add_request_rows(std::vector<Figure>& rows) {
  for (auto* add : {add_first, add_stream_rows, add_whole, add_pause_rows, add_server_times}) add(rows);
}

}  // namespace infermeter
