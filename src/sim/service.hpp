// What the simulator answers to whom: routes a request to its reply and carries open generations from the
// engine to their replies. Knows no socket; time is a parameter. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "generation.hpp"
#include "infermeter/sim/server.hpp"
#include "metrics_text.hpp"
#include "paced_engine.hpp"
#include "truth_log.hpp"

namespace infermeter::sim {

/// One request as read from a connection; views live as long as the call.
struct HttpRequest {
  Instant arrived{};   // by the kernel where it knows, else `received`; when the engine gets it
  Instant received{};  // the whole was read
  std::string_view method, target, body, request_id;
  bool http_1_0 = false, keep_alive = true;
  bool reused_connection = false;  // it has carried a request before
};

class Service {
 public:
  /// Throws UsageError (a fault, the scale) and EnvironmentError (the truth file).
  Service(const ServerOptions& options, std::unique_ptr<EngineModel> engine, std::string model);

  void start(Instant origin);
  /// Answers `request`; what is not in the reply's outbox yet follows through its `on_ready`, which is only
  /// ever called from `run_due` and from later calls of `handle`.
  std::shared_ptr<Reply> handle(const HttpRequest& request);
  /// What cannot be read as HTTP, or is too large; its connection ends.
  std::shared_ptr<Reply> reject(int status, std::string_view message) const;
  /// Brings everything due up to `now` to the replies.
  void run_due(Instant now);
  std::optional<Instant> next_due() const;
  /// The connection is done with `reply`: all was written, or the client is gone (then the engine forgets
  /// it).
  void close(const Reply& reply, Instant now);
  /// The server stops: what is still open goes to the truth file as `open`.
  void stop(Instant now);
  const std::string& model() const { return served_.name; }

 private:
  struct Open {
    std::shared_ptr<Generation> generation;
    std::vector<nanoseconds> last_emission;  // of each choice; negative: none yet
    std::uint32_t unfinished = 0;
    std::optional<RequestTruth> first_choice;
    std::optional<Instant> wake;
  };
  struct Wake {
    Instant at;
    std::uint64_t number;
    bool operator>(const Wake& other) const { return at > other.at; }
  };

  std::shared_ptr<Reply> answer_get(std::string_view path, const HttpRequest& request);
  std::shared_ptr<Reply> tokenize(const HttpRequest& request);
  std::shared_ptr<Reply> generate(Endpoint endpoint, const HttpRequest& request);
  std::shared_ptr<Reply> refuse_generation(const GenerationSetup& setup, std::shared_ptr<Reply> reply);
  std::shared_ptr<Reply> refusal(const Quirks& quirks, const HttpRequest& request) const;
  /// Null where the engine does not take it.
  std::shared_ptr<Reply> accept(GenerationSetup setup);
  std::vector<std::uint32_t> output_lengths(const GenerationSetup& setup) const;
  bool submit(const Generation& generation, Instant now);
  void deliver(const Emission& emission, Instant now);
  void wake(std::uint64_t number, Instant now);
  void after_change(std::uint64_t number, Open& open, Instant now);
  void leave_engine(std::uint64_t number, Open& open, Instant now);
  void record(const Open& open, std::string_view end, Instant now);
  std::shared_ptr<Reply> plain(int status, std::string_view type, std::string_view body,
                               const HttpRequest& request, std::string_view more = {}) const;
  std::shared_ptr<Reply> problem(const ApiProblem& problem, const HttpRequest& request,
                                 std::string_view more = {}) const;
  std::string models_json(bool list) const;

  std::uint64_t seed_;
  FaultPlan faults_;
  PacedEngine engine_;
  ServedModel served_;
  TruthLog truth_;
  ServerMetrics metrics_;
  std::int64_t created_;
  std::uint64_t arrivals_ = 0;
  std::unordered_map<std::uint64_t, Open> open_;  // by order of arrival
  std::unordered_map<const Reply*, std::uint64_t> by_reply_;
  std::priority_queue<Wake, std::vector<Wake>, std::greater<>> wakes_;
  std::vector<Emission> emissions_;  // scratch
};

}  // namespace infermeter::sim
