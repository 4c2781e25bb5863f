// A service on the engine's virtual time: requests in, replies out, no socket, no clock.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/http/service.hpp"
#include "text_parts.hpp"

namespace infermeter::sim::test {

using namespace std::chrono_literals;
using infermeter::test::has;

inline const Instant kServiceStart{100s};

/// A service whose clock is `at`.
struct Fixture {
  explicit Fixture(const std::vector<std::string>& faults = {}, double scale = 1,
                   std::string_view preset = "fixed:ttft=50ms,itl=10ms,jitter=0")
      : service(options(faults, scale), make_engine(preset, 1), "sim") {
    service.start(kServiceStart);
  }
  using Headers = std::vector<std::pair<std::string_view, std::string_view>>;
  static ServerOptions options(const std::vector<std::string>& faults, double scale) {
    ServerOptions options;
    options.time_scale = scale;
    for (const auto& fault : faults) options.faults.push_back(parse_fault(fault));
    return options;
  }
  std::shared_ptr<Reply> send(std::string_view method, std::string_view target, std::string_view body = {},
                              bool reused = false, Headers headers = {}) {
    HttpRequest request;
    request.headers = std::move(headers);
    request.method = method;
    request.target = target;
    request.body = body;
    request.request_id = "r-1";
    request.reused_connection = reused;
    request.arrived = request.received = at;
    return service.handle(request);
  }
  std::shared_ptr<Reply> complete(std::string_view more = "", bool reused = false) {
    return send("POST", "/v1/completions", R"({"prompt":"the of","max_tokens":3)" + std::string(more) + "}",
                reused);
  }
  // Runs until nothing is due; returns the times at which bytes became ready.
  std::vector<nanoseconds> drain(Reply& reply, std::string& bytes) {
    std::vector<nanoseconds> instants;
    const auto take = [&] {
      const auto ready = reply.outbox.ready();
      if (ready.empty()) return;
      bytes += ready;
      instants.push_back(at - kServiceStart);
      reply.outbox.wrote(ready.size(), at);
    };
    take();
    reply.on_ready = take;
    while (const auto due = service.next_due()) {
      at = std::max(at, *due);
      service.run_due(at);
    }
    reply.on_ready = nullptr;
    return instants;
  }
  std::string text(const std::shared_ptr<Reply>& reply) {
    std::string bytes;
    drain(*reply, bytes);
    service.close(*reply, at);
    return bytes;
  }

  Instant at = kServiceStart;
  Service service;
};

}  // namespace infermeter::sim::test
