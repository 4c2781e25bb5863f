// Runs one worker's share of a lane: starts the requests that its pacer releases, ends those that time out,
// and hands over a record for each request that ends. Only `step(now)` drives it; it never blocks. One
// thread.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log/log.hpp"
#include "engine/load/pacer.hpp"
#include "engine/load/traffic.hpp"
#include "engine/session/counters.hpp"
#include "io/http/transport.hpp"
#include "model/secrets/secrets.hpp"

namespace infermeter {

/// Settings shared by all requests of a target at a point; must outlive the generators.
struct RequestPlan {
  std::vector<std::string> urls;  // replicas, used in turn
  std::string id_prefix;          // X-Request-Id is <prefix>-<id>
  std::uint32_t point = 0, target = 0;
  std::uint64_t seed = 1;
  Timeouts timeouts;
  std::uint32_t retries = 0;
  bool keep_text = false;  // --save-text
  Secrets secrets;         // masked in everything that a server returns
  Log* log = nullptr;      // null: nothing is logged
  Instant origin{};        // the run's start: all offsets count from it
  Instant t0{};            // this session's start: all schedules count from it
};

/// One lane's part: ids are (index · max_turns + turn) · lanes + lane, so that they differ within a target.
struct LanePlan {
  const Lane* lane = nullptr;
  std::uint32_t number = 0, count = 1;
  std::uint64_t first_index = 0;  // for an alternating run's later blocks
  bool speaks = true;             // reports the stage of its worker
};

using RecordTaker = std::function<void(RequestRecord&&)>;

class LoadGenerator {
 public:
  /// All references outlive the generator.
  LoadGenerator(const RequestPlan& plan, const LanePlan& lane, std::uint32_t worker, Pacer& pacer,
                Transport& transport, WorkerCounters& counters, RunControl& control, RunBudget& budget,
                RecordTaker take);
  ~LoadGenerator();

  /// Does everything that is due at `now`; returns the latest time for the next step (unless a transfer is
  /// ready earlier).
  Instant step(Instant now);
  /// No request is in flight and none will follow.
  bool finished() const { return ended_all_; }
  /// No further request will be started.
  bool draining() const { return drain_end_.has_value(); }

 private:
  class Exchange;
  friend class Exchange;
  /// The history of a slot's conversation.
  using Transcript = std::vector<Message>;
  /// A request built before it is due, because building a long prompt takes longer than a schedule allows.
  struct Prepared {
    std::uint64_t index = 0;
    Request request;
    std::string body;
  };
  /// A request waiting for its retry.
  struct Retry {
    Instant at;
    Release release;
    RequestRecord failed;
  };

  void finish_ended(Instant now);
  void release_due(Instant now);
  void start_or_drop(Release release, Instant now);
  void retry_due(Instant now);
  /// Returns false if the budget has no room for it.
  bool start(const Release& release, const RequestRecord* failed, Instant now);
  /// The run's, and those that only a request with these headers has.
  Secrets secrets_with(const std::vector<std::string>& headers);
  void prepare_next();
  Prepared made(const Release& release, const ClassTraffic& traffic, std::uint64_t index);
  HttpRequest http_request(const Release& release, const ClassTraffic& traffic, Prepared& prepared,
                           const RequestRecord& record) const;
  void drop(const Release& release, std::string_view why);
  std::uint64_t id_of(const Release& release) const;
  /// Its X-Request-Id.
  std::string name_of(std::uint64_t id) const;
  std::uint64_t conversation_of(const Release& release) const;
  void check_deadlines(Instant now);
  void end_all(Outcome outcome, std::string_view why, Instant now);
  void give_up_retries(Instant last, Instant now);
  void cut(Exchange& exchange, Outcome outcome, std::string_view why, Instant now);
  void end(Exchange& exchange, Instant slot_free, Instant now);
  bool try_again(Exchange& exchange, Instant now);
  void remember(Exchange& exchange);
  void hand_over(RequestRecord&& record, const Release& release, Instant slot_free, Instant now);
  void count(const RequestRecord& record);
  void forget(Exchange& exchange);
  void look_again_by(Instant at) { next_check_ = std::min(next_check_, at); }
  void note_stage(Instant now);
  std::optional<Instant> last_moment() const;
  void give_up_waiting();
  bool may_start(Instant now) const;
  void tell_stage(Stage stage);

  const RequestPlan& plan_;
  LanePlan lane_;
  std::uint32_t worker_;
  Pacer& pacer_;
  Transport& transport_;
  WorkerCounters& counters_;
  RunControl& control_;
  RunBudget& budget_;
  RecordTaker take_;
  ChunkParserPtr parser_;
  std::vector<std::unique_ptr<Exchange>> active_;
  std::vector<Exchange*> ended_;
  std::optional<Prepared> prepared_;
  std::vector<Retry> retries_;
  std::vector<Transcript> transcripts_;  // by slot
  std::vector<std::string> last_headers_;
  Secrets last_secrets_;  // of `last_headers_`
  Instant next_check_ = Instant::max();
  std::optional<Instant> drain_end_;
  Instant last_ended_;  // of its requests, or when none was open
  bool given_up_ = false;
  bool ended_all_ = false;
};

}  // namespace infermeter
