// Paces the engine on the wall clock, passes its tokens to the replies of open requests, and records their
// truth and metrics. Knows no socket; time is a parameter. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/engine/engine_model.hpp"
#include "sim/http/generation.hpp"
#include "sim/http/metrics_text.hpp"
#include "sim/http/truth_log.hpp"

namespace infermeter::sim {

/// The engine model on the wall clock: virtual time = (now − origin) / scale, so engine time never drifts;
/// overdue work runs at once.
class PacedEngine {
 public:
  /// `scale` > 0: 2 is twice as slow as the model.
  PacedEngine(std::unique_ptr<EngineModel> model, double scale) : model_(std::move(model)), scale_(scale) {}

  /// The engine's time 0.
  void start(Instant origin) { origin_ = origin; }
  bool submit(const SimRequest& request, Instant now);
  void cancel(std::uint64_t id, Instant now);
  void forget(std::uint64_t id) { model_->forget(id); }
  std::optional<Instant> next_event() const;
  /// Appends the emissions that are due; `at` is wall time since the origin.
  void advance(Instant now, std::vector<Emission>& out);
  /// In wall time since the origin.
  std::optional<RequestTruth> truth(std::uint64_t id) const;
  std::uint32_t context_tokens() const { return model_->context_tokens(); }
  EngineCounters counters() const { return model_->counters(); }

 private:
  nanoseconds virtual_time(Instant now);
  nanoseconds wall_time(nanoseconds virtual_time) const;

  std::unique_ptr<EngineModel> model_;
  double scale_;
  Instant origin_{};
  nanoseconds latest_{};  // the model's calls never go back in time
};

class Dispatcher {
 public:
  /// Throws EnvironmentError (the truth file).
  Dispatcher(std::unique_ptr<EngineModel> engine, double time_scale, const std::string& truth_path,
             TruthLog::Warn warn = {});

  void start(Instant origin) { engine_.start(origin); }
  std::uint32_t context_tokens() const { return engine_.context_tokens(); }
  bool keeps_truth() const { return truth_.enabled(); }
  std::string metrics_text(std::string_view model) const;

  /// Returns null, and records the request as refused, if the engine does not take it.
  std::shared_ptr<Reply> accept(GenerationSetup setup);
  /// Records the truth of a request that was answered without the engine.
  void record_refused(const GenerationSetup& setup);
  /// Passes everything due up to `now` to the replies, through their `on_ready`.
  void run_due(Instant now);
  std::optional<Instant> next_due() const;
  /// See Service::close and Service::stop.
  void close(const Reply& reply, Instant now);
  void stop(Instant now);

 private:
  struct Open {
    std::shared_ptr<Generation> generation;
    std::vector<nanoseconds> last_emission;  // one per choice; negative: none yet
    std::uint32_t unfinished = 0;
    std::optional<RequestTruth> first_choice;
    std::optional<Instant> wake;
  };
  struct Wake {
    Instant at;
    std::uint64_t number;
    bool operator>(const Wake& other) const { return at > other.at; }
  };

  bool submit(const Generation& generation, Instant now);
  void deliver(const Emission& emission, Instant now);
  void note_gap(Open& open, std::uint32_t choice, const Emission& emission,
                const std::optional<RequestTruth>& truth);
  void wake(std::uint64_t number, Instant now);
  void after_change(std::uint64_t number, Open& open, Instant now);
  void leave_engine(std::uint64_t number, Open& open, Instant now);
  void record(const Open& open, std::string_view end, Instant now);

  PacedEngine engine_;
  TruthLog truth_;
  ServerMetrics metrics_;
  std::unordered_map<std::uint64_t, Open> open_;  // by order of arrival
  std::unordered_map<const Reply*, std::uint64_t> by_reply_;
  std::priority_queue<Wake, std::vector<Wake>, std::greater<>> wakes_;
  std::vector<Emission> emissions_;  // scratch
};

}  // namespace infermeter::sim
