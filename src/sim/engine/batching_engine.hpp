// The engine model: runs the scheduler's steps one after the other in virtual time.
#pragma once

#include <optional>
#include <unordered_map>

#include "base/random.hpp"
#include "sim/engine/engine_config.hpp"
#include "sim/engine/engine_model.hpp"
#include "sim/engine/scheduler.hpp"
#include "sim/engine/sequence.hpp"
#include "sim/engine/step_time.hpp"

namespace infermeter::sim {

class BatchingEngine final : public EngineModel {
 public:
  /// Throws UsageError if the model does not fit the device.
  BatchingEngine(const EngineConfig& config, std::uint64_t seed);

  bool submit(const SimRequest& request, nanoseconds now) override;
  std::uint32_t context_tokens() const override { return context_tokens_; }
  void cancel(std::uint64_t id, nanoseconds now) override;
  std::optional<nanoseconds> next_event() const override;
  void advance(nanoseconds now, std::vector<Emission>& out) override;
  EngineCounters counters() const override;
  std::optional<RequestTruth> truth(std::uint64_t id) const override;
  void forget(std::uint64_t id) override;

 private:
  BatchingEngine(const EngineConfig& config, std::uint32_t blocks, std::uint64_t seed);
  std::optional<nanoseconds> next_start() const;
  void start_step(nanoseconds at);
  void finish_step(std::vector<Emission>& out);
  void emit(Sequence& sequence, std::uint32_t tokens, nanoseconds at, std::vector<Emission>& out);

  EngineConfig config_;
  std::uint64_t seed_;
  std::uint32_t context_tokens_;
  StepTime step_time_;
  Scheduler scheduler_;
  Random random_;  // for the jitter of step times
  std::unordered_map<std::uint64_t, Sequence> sequences_;
  const StepPlan* step_ = nullptr;  // the running step
  nanoseconds step_end_{};          // of the running step, or of the last one
  EngineCounters counters_;
};

}  // namespace infermeter::sim
