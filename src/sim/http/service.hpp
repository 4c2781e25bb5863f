// Routes a request to its reply, with the faults drawn for it. Knows no socket; time is a parameter. One
// thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "infermeter/base/clock.hpp"
#include "sim/http/dispatcher.hpp"
#include "sim/http/rate_limit.hpp"
#include "sim/http/routes.hpp"
#include "sim/http/server.hpp"

namespace infermeter::sim {

/// One HTTP request. A plain value of views, which are valid during the call that receives it.
struct HttpRequest {
  Instant arrived{};   // from the kernel if known, else `received`; its arrival time at the engine
  Instant received{};  // the whole request was read
  std::string_view method, target, body, request_id;
  std::vector<std::pair<std::string_view, std::string_view>> headers = {};
  bool http_1_0 = false, keep_alive = true;
  std::uint64_t connection = 0;    // order in which it was accepted, from 0
  bool reused_connection = false;  // the connection has carried a request before

  /// The first header of that name, case-insensitive; empty if there is none.
  std::string_view header(std::string_view name) const {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
    const auto same = [&](const auto& header) {
      return std::ranges::equal(header.first, name, {}, lower, lower);
    };
    const auto found = std::ranges::find_if(headers, same);
    return found == headers.end() ? std::string_view{} : found->second;
  }
};

class Service {
 public:
  /// Throws UsageError (a fault, the scale) and EnvironmentError (the truth file).
  Service(const ServerOptions& options, std::unique_ptr<EngineModel> engine, std::string model);

  void start(Instant origin) { dispatcher_.start(origin); }
  /// Answers `request`; bytes that are not in the reply's outbox yet follow through its `on_ready`, which is
  /// called only from `run_due` and from later calls of `handle`.
  std::shared_ptr<Reply> handle(const HttpRequest& request);
  /// The reply to bytes that are not HTTP, or too large; the connection is closed.
  std::shared_ptr<Reply> reject(int status, std::string_view message) const;
  /// Passes everything due up to `now` to the replies.
  void run_due(Instant now) { dispatcher_.run_due(now); }
  std::optional<Instant> next_due() const { return dispatcher_.next_due(); }
  /// The connection has finished with `reply`: all was written, or the client disconnected (then the engine
  /// drops the request).
  void close(const Reply& reply, Instant now) { dispatcher_.close(reply, now); }
  /// The server stops: requests that are still open go to the truth file as `open`.
  void stop(Instant now) { dispatcher_.stop(now); }
  const std::string& model() const { return served_.name; }

 private:
  std::shared_ptr<Reply> answer_get(const Route& route, const HttpRequest& request) const;
  std::shared_ptr<Reply> not_there(const HttpRequest& request) const;
  std::shared_ptr<Reply> tokenize(const HttpRequest& request) const;
  std::string models_json(bool list) const;

  std::shared_ptr<Reply> generate(const Route& route, const HttpRequest& request);
  GenerationSetup setup_of(const Route& route, const HttpRequest& request);
  /// The reply to a request that a fault refuses without reading it; null if none does.
  std::shared_ptr<Reply> turn_away(GenerationSetup& setup, const HttpRequest& request);
  /// Reads the body into `setup`; returns the error reply if the body is wrong, else null.
  std::shared_ptr<Reply> read_body(const Route& route, const HttpRequest& request, GenerationSetup& setup);
  std::vector<std::uint32_t> output_lengths(const GenerationSetup& setup) const;

  std::uint64_t seed_;
  std::string session_header_;
  FaultPlan faults_;
  Quirks always_;
  RateLimit rate_limit_;
  Dispatcher dispatcher_;
  ServedModel served_;
  std::string simulated_;  // the preset and faults
  std::int64_t created_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace infermeter::sim
