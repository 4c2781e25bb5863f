// A server in virtual time: answers every request by a script of (delay, bytes); time advances only in poll.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/http/transport.hpp"

namespace infermeter {

struct FakeStep {
  nanoseconds at;     // since the request was sent
  std::string bytes;  // body bytes; empty: the end
  Outcome end = Outcome::ok;
  int status = 0;  // for an answer that is not a stream: its status line and headers, before any body
  std::vector<std::pair<std::string, std::string>> headers = {};
};

class FakeTransport final : public Transport {
 public:
  explicit FakeTransport(Instant start) : now_(start) {}

  std::vector<FakeStep> script;                          // of each request
  std::map<std::size_t, std::vector<FakeStep>> special;  // of the n-th request
  std::vector<HttpRequest> requests;
  std::vector<TransferId> cancelled;
  std::string waits_for;  // what cancel returns
  std::size_t most_in_flight = 0;

  TransferId start(HttpRequest request, ResponseSink& sink, Instant) override {
    const std::size_t n = requests.size();
    requests.push_back(std::move(request));
    const TransferId id = n + 1;
    active_[id] = &sink;
    most_in_flight = std::max(most_in_flight, active_.size());
    due_.emplace(now_, Due{id, 0});
    scripts_[id] = special.contains(n) ? special[n] : script;
    sent_at_[id] = now_;
    return id;
  }
  std::string cancel(TransferId id) override {
    active_.erase(id);
    cancelled.push_back(id);
    return waits_for;
  }
  Instant poll(Instant deadline) override {
    if (due_.empty() || due_.begin()->first > deadline) return now_ = std::max(now_, deadline);
    now_ = std::max(now_, due_.begin()->first);
    while (!due_.empty() && due_.begin()->first <= now_) {
      const Due due = due_.begin()->second;
      due_.erase(due_.begin());
      if (active_.contains(due.id)) play(due);
    }
    return now_;
  }

 private:
  struct Due {
    TransferId id;
    std::size_t step;  // 0: sent; then the script's
  };
  void play(const Due& due) {
    ResponseSink& sink = *active_[due.id];
    const auto& steps = scripts_[due.id];
    if (due.step == 0) {
      const Outcome end = steps.front().end;
      if (end != Outcome::connect && end != Outcome::client_limit) sink.on_sent(now_, {});
    } else if (const FakeStep& step = steps[due.step - 1]; step.status != 0) {
      sink.on_status(step.status, now_);
      for (const auto& [name, value] : step.headers) sink.on_header(name, value);
    } else if (step.bytes.empty()) {
      active_.erase(due.id);
      sink.on_end(step.end, step.end == Outcome::ok ? "" : "as scripted", now_);
      return;
    } else {
      if (due.step == 1) {
        sink.on_status(200, now_);
        sink.on_header("content-type", "text/event-stream");
      }
      sink.on_body(step.bytes, {.read_id = ++reads_, .arrival = now_, .last_arrival = now_, .kernel = true});
    }
    if (due.step < steps.size())
      due_.emplace(sent_at_[due.id] + steps[due.step].at, Due{due.id, due.step + 1});
  }

  Instant now_;
  std::uint64_t reads_ = 0;
  std::map<TransferId, ResponseSink*> active_;
  std::map<TransferId, std::vector<FakeStep>> scripts_;
  std::map<TransferId, Instant> sent_at_;
  std::multimap<Instant, Due> due_;
};

}  // namespace infermeter
