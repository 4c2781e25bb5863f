#include "engine/prepare/fetch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "infermeter/base/units.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kLongestBody = std::size_t{4} << 20;

class Collector final : public ResponseSink {
 public:
  HttpAnswer answer;
  bool ended = false;

  void on_sent(Instant at, const ConnectionTimes& times) override {
    answer.sent = at;
    answer.connection = times;
  }
  void on_uploaded(Instant) override {}
  void on_status(int status, Instant) override {
    answer.status = status;
    answer.headers.clear();
  }
  void on_header(std::string_view name, std::string_view value) override {
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    answer.headers.emplace_back(std::move(lower), value);
  }
  void on_body(std::string_view bytes, const ReadStamp&) override {
    answer.body.append(bytes.substr(0, kLongestBody - std::min(kLongestBody, answer.body.size())));
  }
  void on_end(Outcome outcome, std::string_view message, Instant at) override {
    answer.outcome = outcome;
    answer.message = message;
    answer.ended = at;
    ended = true;
  }
};

}  // namespace

std::string HttpAnswer::header(std::string_view name) const {
  const auto found =
      std::ranges::find(headers, name, [](const auto& h) -> const std::string& { return h.first; });
  return found == headers.end() ? std::string() : found->second;
}

HttpAnswer fetch(Transport& transport, HttpRequest request, nanoseconds limit,
                 const std::atomic<bool>& interrupt) {
  Collector collector;
  const Instant start = now();
  collector.answer.started = start;
  const TransferId id = transport.start(std::move(request), collector, start);
  Instant at = start;
  while (!collector.ended && !interrupt && at < start + limit) {
    at = transport.poll(std::min(start + limit, at + std::chrono::milliseconds(100)));
  }
  if (!collector.ended) {
    transport.cancel(id);
    collector.on_end(
        interrupt ? Outcome::interrupted : Outcome::timeout,
        interrupt ? "interrupted" : fmt::format("no whole answer within {}", format_duration(limit)), at);
  }
  return collector.answer;
}

}  // namespace infermeter
