#include "engine/prepare/trial.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/load/traffic.hpp"
#include "engine/prepare/secrets.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {
namespace {

constexpr std::uint32_t kTrialTokens = 8;
constexpr nanoseconds kQuiet = 2s;  // time before the waiting is announced
constexpr std::size_t kKeptBody = 64 * 1024;

class TrialSink final : public ResponseSink {
 public:
  TrialSink(ChunkParser& parser, const StreamOptions& options, Trial& trial)
      : trial_(trial), reader_(parser, options, now(), trial.record) {}

  void on_sent(Instant, const ConnectionTimes&) override {}
  void on_uploaded(Instant) override {}
  void on_status(int status, Instant arrival) override { reader_.on_status(status, arrival); }
  void on_header(std::string_view name, std::string_view value) override {
    constexpr std::string_view wanted = "location";
    const auto lower_equal = [](char a, char b) { return (a | 0x20) == b; };
    if (name.size() == wanted.size() && std::ranges::equal(name, wanted, lower_equal))
      trial_.location = value;
    reader_.on_header(name, value);
  }
  void on_body(std::string_view bytes, const ReadStamp& stamp) override {
    if (trial_.record.status >= 400)
      body_.append(bytes.substr(0, kKeptBody - std::min(kKeptBody, body_.size())));
    reader_.on_body(bytes, stamp);
  }
  void on_end(Outcome outcome, std::string_view message, Instant at) override {
    reader_.on_end(outcome, message, at);
    if (trial_.record.status >= 400) trial_.error = read_error_body(trial_.record.status, body_);
    ended_ = true;
  }
  bool ended() const { return ended_; }
  bool terminal() const { return reader_.terminal_at().has_value(); }

 private:
  Trial& trial_;
  StreamReader reader_;
  std::string body_;
  bool ended_ = false;
};

}  // namespace

Trial ask_once(Transport& transport, HttpRequest request, const StreamOptions& options, nanoseconds limit,
               std::string_view too_late, const std::atomic<bool>& interrupt,
               const std::function<void(Instant)>& waiting) {
  constexpr nanoseconds kStep = 100ms;  // interval at which `interrupt` is checked
  const auto parser = make_chunk_parser();
  Trial trial;
  TrialSink sink(*parser, options, trial);
  const Instant start = now();
  const TransferId id = transport.start(std::move(request), sink, start);
  Instant at = start, end = start + limit;
  while (!sink.ended() && !interrupt && at < end) {
    at = transport.poll(std::min(end, at + kStep));
    if (waiting) waiting(at);
    // Some servers hold the connection open after the last event: a short grace period only.
    if (sink.terminal()) end = std::min(end, at + kStep);
  }
  if (sink.ended()) return trial;
  transport.cancel(id);
  sink.on_end(interrupt ? Outcome::interrupted : Outcome::timeout, interrupt ? "interrupted" : too_late, at);
  return trial;
}

Trial send_trial(CurlTransport& transport, const PreparedTarget& prepared, const RequestShape& asked,
                 const TrafficClass& traffic, const Timeouts& timeouts, const std::atomic<bool>& interrupt,
                 const Say& say) {
  RequestShape shape = asked;
  shape.output_tokens = std::max(std::min(shape.output_tokens, kTrialTokens), shape.least_output_tokens);
  const Instant quiet_until = now() + kQuiet;
  bool said = false;
  const auto waiting = [&](Instant at) {
    if (said || at <= quiet_until) return;
    say(fmt::format("preflight: waiting for the first answer of {}", prepared.url.shown()));
    said = true;
  };
  Trial trial = ask_once(
      transport,
      {.url = prepared.url.request_url(),
       .body = BodyTemplate(shape).body(probe_prompt(traffic.prompts.nonce)),
       .request_id = {},
       .headers = class_headers(traffic)},
      {.endpoint = shape.endpoint, .stream = shape.stream, .max_tokens = shape.output_tokens},
      timeouts.first_token,
      fmt::format("no whole answer within {} (--timeout-first-token)", format_duration(timeouts.first_token)),
      interrupt, waiting);
  trial.record.error = without_secrets(std::move(trial.record.error), prepared.secrets);
  return trial;
}

}  // namespace infermeter
