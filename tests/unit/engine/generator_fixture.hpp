// A load generator in virtual time with a scripted server, shared by its tests.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "catch.hpp"
#include "engine/load/load_generator.hpp"
#include "engine/load/pacer.hpp"
#include "fake_transport.hpp"

namespace infermeter {

inline const Instant t0{std::chrono::seconds(1000)};

inline std::string token(std::string_view text) {
  return std::string(R"(data: {"choices":[{"index":0,"delta":{"content":")") + std::string(text) +
         "\"}}]}\n\n";
}
inline const std::string kFinish =
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}]}\n\n"
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\n";
inline const std::string kDone = "data: [DONE]\n\n";

// First token after 50 ms, a second one 10 ms later, done 1 ms after that.
inline const std::vector<FakeStep> kAnswer{
    {50ms, token("a")}, {60ms, token("b")}, {60ms, kFinish}, {61ms, kDone}, {61ms, ""}};

/// "prompt 3", in a conversation "prompt 3.1".
class CountingSource final : public RequestSource {
 public:
  explicit CountingSource(std::uint32_t turns = 1, nanoseconds think = {}) : turns_(turns), think_(think) {}
  Request request(std::uint64_t index, std::uint32_t turn) const override {
    Request request;
    const std::string dot = turns_ > 1 ? "." + std::to_string(turn) : "";
    request.messages = {{"user", "prompt " + std::to_string(index) + dot}};
    request.input_tokens = 5;  // as in the answers' usage
    return request;
  }
  std::uint32_t turns(std::uint64_t) const override { return turns_; }
  nanoseconds think_time(std::uint64_t, std::uint32_t) const override { return think_; }
  std::vector<Request> primers() const override { return {}; }
  std::uint64_t size() const override { return 0; }
  bool same_at_every_point() const override { return false; }

 private:
  std::uint32_t turns_;
  nanoseconds think_;
};

inline ClassTraffic traffic_of(std::shared_ptr<const RequestSource> source) {
  return {.traffic_class = 0,
          .source = std::move(source),
          .body = BodyTemplate(RequestShape{.model = "m"}),
          .stream = {.max_tokens = 2},
          .headers = {},
          .cancel = {},
          .choices = 1,
          .conversations = false,
          .session_header = {},
          .session_connection = false};
}

class Fixture {
 public:
  explicit Fixture(const Load& load, Timeouts timeouts = {})
      : plan{.urls = {"http://fake/v1/chat/completions"},
             .id_prefix = "r",
             .timeouts = timeouts,
             .secrets = {},
             .origin = t0,
             .t0 = t0},
        transport(t0) {
    lane.load = load;
    lane.classes.push_back(traffic_of(std::make_shared<CountingSource>()));
    transport.script = kAnswer;
  }
  void converse(std::uint32_t turns, nanoseconds think) {
    ClassTraffic& traffic = lane.classes.front();
    traffic.source = std::make_shared<CountingSource>(turns, think);
    traffic.conversations = true;
    traffic.stream.save_text = true;
    lane.max_turns = turns;
  }
  // Runs in virtual time until the generator is done, an hour at most.
  void run(std::function<void(Instant)> each_turn = [](Instant) {}) {
    RunBudget budget(control, limits);
    const auto pacer = make_pacer();
    Instant at = t0;
    LoadGenerator generator(plan, {.lane = &lane}, 0, *pacer, transport, counters, control, budget,
                            [&](RequestRecord&& record) { records.push_back(std::move(record)); });
    while (at < t0 + 3600s) {
      const Instant wake = generator.step(at);
      if (generator.finished()) return;
      at = transport.poll(wake);
      each_turn(at);
    }
    FAIL("the generator did not come to an end");
  }

  RequestPlan plan;
  Lane lane;
  FakeTransport transport;
  WorkerCounters counters;
  RunControl control;
  RunBudget::Limits limits;
  std::vector<RequestRecord> records;

 private:
  std::unique_ptr<Pacer> make_pacer() const {
    std::unique_ptr<Pacer> starts;
    if (lane.load.open_loop())
      starts = std::make_unique<OpenPacer>(lane.load, lane.schedule, WorkerShare{}, t0);
    else if (lane.load.stages.empty())
      starts = std::make_unique<ClosedPacer>(lane.load, WorkerShare{}, t0);
    else
      starts = std::make_unique<StagedPacer>(lane.load, WorkerShare{}, t0);
    if (!lane.conversations()) return starts;
    return std::make_unique<ConversationPacer>(std::move(starts), lane.script(0));
  }
};

inline Load load_of(std::uint32_t concurrency, std::uint64_t requests) {
  Load load;
  load.concurrency = concurrency;
  load.requests = requests;
  return load;
}

}  // namespace infermeter
