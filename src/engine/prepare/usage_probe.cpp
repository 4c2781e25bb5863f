#include "engine/prepare/usage_probe.hpp"

#include <algorithm>

namespace infermeter {
namespace {

class ProbeSink final : public ResponseSink {
 public:
  ProbeSink(ChunkParser& parser, const StreamOptions& options, RequestRecord& record)
      : reader_(parser, options, now(), record) {}

  void on_sent(Instant, const ConnectionTimes&) override {}
  void on_uploaded(Instant) override {}
  void on_status(int status, Instant arrival) override { reader_.on_status(status, arrival); }
  void on_header(std::string_view name, std::string_view value) override { reader_.on_header(name, value); }
  void on_body(std::string_view bytes, const ReadStamp& stamp) override { reader_.on_body(bytes, stamp); }
  void on_end(Outcome outcome, std::string_view message, Instant at) override {
    reader_.on_end(outcome, message, at);
    ended_ = true;
  }
  bool ended() const { return ended_; }
  bool terminal() const { return reader_.terminal_at().has_value(); }

 private:
  StreamReader reader_;
  bool ended_ = false;
};

}  // namespace

RequestRecord send_usage_probe(Transport& transport, HttpRequest request, const StreamOptions& options,
                               nanoseconds limit, const std::atomic<bool>& interrupt) {
  constexpr nanoseconds kStep = std::chrono::milliseconds(100);  // to look at `interrupt`
  const auto parser = make_chunk_parser();
  RequestRecord record;
  ProbeSink sink(*parser, options, record);
  const Instant start = now();
  const TransferId id = transport.start(std::move(request), sink, start);
  Instant at = start, end = start + limit;
  while (!sink.ended() && !interrupt && at < end) {
    at = transport.poll(std::min(end, at + kStep));
    // Some servers hold the connection open after the last event: a short grace, no more.
    if (sink.terminal()) end = std::min(end, at + kStep);
  }
  if (sink.ended()) return record;
  transport.cancel(id);
  const Outcome outcome = sink.terminal() ? Outcome::ok : interrupt ? Outcome::interrupted : Outcome::timeout;
  sink.on_end(outcome, "no whole answer in time", at);
  return record;
}

}  // namespace infermeter
