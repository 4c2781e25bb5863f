// The engine model on the wall clock: virtual time = (now − origin) / scale, so engine time never drifts;
// overdue work runs at once. Time is a parameter. One thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sim/engine/engine_model.hpp"

namespace infermeter::sim {

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

}  // namespace infermeter::sim
