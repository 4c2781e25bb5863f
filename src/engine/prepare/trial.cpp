#include "engine/prepare/trial.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/load/traffic.hpp"
#include "engine/prepare/secrets.hpp"
#include "infermeter/base/units.hpp"
#include "protocol/stream/stream_reader.hpp"

namespace infermeter {
namespace {

constexpr std::uint32_t kTrialTokens = 8;
constexpr nanoseconds kQuiet = 2s;  // how long it waits before it says so
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

Trial send_trial(CurlTransport& transport, const PreparedTarget& prepared, const RequestShape& asked,
                 const TrafficClass& traffic, const Timeouts& timeouts, const std::atomic<bool>& interrupt,
                 const Say& say) {
  RequestShape shape = asked;
  shape.output_tokens = std::max(std::min(shape.output_tokens, kTrialTokens), shape.least_output_tokens);
  const StreamOptions options{
      .endpoint = shape.endpoint, .stream = shape.stream, .max_tokens = shape.output_tokens};
  const auto parser = make_chunk_parser();
  Trial trial;
  TrialSink sink(*parser, options, trial);
  const Instant start = now();
  const TransferId id =
      transport.start({.url = prepared.url.request_url(),
                       .body = BodyTemplate(shape).body(probe_prompt(traffic.prompts.nonce)),
                       .request_id = {},
                       .headers = class_headers(traffic)},
                      sink, start);
  Instant at = start;
  const Instant limit = start + timeouts.first_token;
  Instant linger = Instant::max();
  bool said = false;
  while (!sink.ended() && !interrupt && at < std::min(limit, linger)) {
    at = transport.poll(std::min(limit, at + 100ms));
    if (!said && at > start + kQuiet) {
      say(fmt::format("preflight: waiting for the first answer of {}", prepared.url.shown()));
      said = true;
    }
    if (sink.terminal() && linger == Instant::max()) linger = at + 100ms;
  }
  if (!sink.ended()) {
    transport.cancel(id);
    sink.on_end(interrupt ? Outcome::interrupted : Outcome::timeout,
                interrupt ? "interrupted"
                          : fmt::format("no whole answer within {} (--timeout-first-token)",
                                        format_duration(timeouts.first_token)),
                at);
  }
  trial.record.error = without_secrets(std::move(trial.record.error), prepared.secrets);
  return trial;
}

}  // namespace infermeter
