// The engine model: runs the scheduler's steps one after the other in virtual time.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/random.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "sim/engine/engine_config.hpp"
#include "sim/engine/engine_model.hpp"
#include "sim/engine/scheduler.hpp"
#include "sim/engine/step_time.hpp"

namespace infermeter::sim {
namespace {

// vLLM's gpu_memory_utilization default; the rest is activations and the framework.
constexpr double kUsableShare = 0.9;
// With less room than this no useful engine starts: one long prompt would fill it.
constexpr double kLeastTokens = 8192;

double usable_gb(const EngineConfig& c) { return kUsableShare * c.device.memory_gb * c.tensor_parallel; }
double weights_gb(const EngineConfig& c) { return weight_bytes(c.model, c.precision) / 1e9; }
double left_gb(const EngineConfig& c) { return usable_gb(c) - weights_gb(c); }
double tokens_in(const EngineConfig& c, double gb) { return gb * 1e9 / kv_bytes_per_token(c.model); }
double wanted_tokens(const EngineConfig& c) {
  return c.kv_tokens ? static_cast<double>(*c.kv_tokens) : kLeastTokens;
}

bool fits(const EngineConfig& c) {
  const double need = wanted_tokens(c) * kv_bytes_per_token(c.model) / 1e9;
  return left_gb(c) > 0 && left_gb(c) >= need;
}

// Suggests the smallest number of devices, the smallest device and the next smaller precision that would fit,
// one each.
std::string remedies(const EngineConfig& config) {
  std::string found;
  const auto propose = [&](const std::string& option) {
    found += (found.empty() ? "would do: " : ", or ") + option;
  };
  EngineConfig more = config;
  while (!fits(more) && more.tensor_parallel < 64) more.tensor_parallel *= 2;
  if (fits(more)) propose(fmt::format("tp={}", more.tensor_parallel));

  const Device* smallest = nullptr;
  for (const Device& device : devices()) {
    EngineConfig other = config;
    other.device = device;
    if (!fits(other) || !device.bf16_tflops) continue;
    if (smallest == nullptr || device.memory_gb < smallest->memory_gb) smallest = &device;
  }
  if (smallest != nullptr) propose(fmt::format("device={} ({} GB)", smallest->name, smallest->memory_gb));

  for (const Precision precision : {Precision::fp8, Precision::int4}) {
    EngineConfig leaner = config;
    leaner.precision = precision;
    if (weights_gb(leaner) >= weights_gb(config) || !fits(leaner)) continue;
    propose(fmt::format("dtype={}", name(precision)));
    break;
  }
  return found.empty() ? "no device in the table holds it" : found;
}

[[noreturn]] void refuse_model(const EngineConfig& c) {
  const double left = left_gb(c);
  const std::string room = left <= 0
                               ? std::string("nothing is left for its KV cache")
                               : fmt::format("what is left holds {} tokens of KV cache and {} are needed",
                                             format_count(static_cast<std::uint64_t>(tokens_in(c, left))),
                                             format_count(static_cast<std::uint64_t>(wanted_tokens(c))));
  throw UsageError(
      fmt::format("{} in {} does not fit {}{}: its weights need {:.1f} GB of the {:.1f} usable GB, {}",
                  c.model.name, name(c.precision),
                  c.tensor_parallel > 1 ? fmt::format("{} × ", c.tensor_parallel) : "", c.device.name,
                  weights_gb(c), usable_gb(c), room),
      remedies(c));
}

// Blocks of KV cache that fit: (0.9 · memory · TP − weights) / (16 · KV). Throws UsageError that says what a
// model that does not fit would need.
std::uint32_t kv_blocks(const EngineConfig& config) {
  if (!fits(config)) refuse_model(config);
  const double tokens =
      config.kv_tokens ? static_cast<double>(*config.kv_tokens) : tokens_in(config, left_gb(config));
  return static_cast<std::uint32_t>(tokens / kBlockTokens);
}

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

// A request that cannot finish even alone would be preempted forever; an offload store prevents preemption.
std::uint32_t longest_request(const EngineConfig& config, std::uint32_t blocks) {
  const std::uint32_t unbounded = std::numeric_limits<std::uint32_t>::max();
  const std::uint32_t model = config.model.max_context > 0 ? config.model.max_context : unbounded;
  const std::uint32_t cache = config.offload_gb_s ? unbounded : blocks * kBlockTokens;
  return std::min(model, cache);
}

BatchingEngine::BatchingEngine(const EngineConfig& config, std::uint64_t seed)
    : BatchingEngine(config, kv_blocks(config), seed) {}

BatchingEngine::BatchingEngine(const EngineConfig& config, std::uint32_t blocks, std::uint64_t seed)
    : config_(config),
      seed_(seed),
      context_tokens_(longest_request(config, blocks)),
      step_time_(config),
      scheduler_(config, blocks),
      random_(seed) {}

bool BatchingEngine::submit(const SimRequest& request, nanoseconds now) {
  const std::uint64_t whole = std::uint64_t{request.prompt_tokens} + request.output_tokens;
  if (whole > context_tokens_ || request.prompt_tokens == 0) return false;
  const auto [entry, fresh] = sequences_.try_emplace(request.id, request, now, seed_);
  if (fresh) scheduler_.enqueue(entry->second);
  return fresh;
}

void BatchingEngine::cancel(std::uint64_t id, nanoseconds now) {
  const auto found = sequences_.find(id);
  if (found == sequences_.end() || found->second.stage == Stage::done) return;
  found->second.truth.finished = now;
  scheduler_.drop(found->second);
}

std::optional<nanoseconds> BatchingEngine::next_event() const {
  return step_ != nullptr ? std::optional(step_end_) : next_start();
}

std::optional<nanoseconds> BatchingEngine::next_start() const {
  const auto work = scheduler_.first_work();
  if (!work) return std::nullopt;
  return std::max(step_end_, *work);
}

void BatchingEngine::advance(nanoseconds now, std::vector<Emission>& out) {
  std::optional<nanoseconds> finished_at;
  for (auto next = next_event(); next && *next <= now; next = next_event()) {
    if (step_ != nullptr) {
      finished_at = step_end_;
      finish_step(out);
    } else if (finished_at == now) {
      return;  // a client that answers at this instant still joins the next step
    } else {
      start_step(*next);
    }
  }
}

void BatchingEngine::start_step(nanoseconds at) {
  step_ = &scheduler_.plan(at);
  step_end_ = at + jittered(scaled(step_time_.of(step_->load), config_.time_scale), config_.jitter, random_);
}

void BatchingEngine::finish_step(std::vector<Emission>& out) {
  ++counters_.steps;
  for (const Slice& slice : step_->slices) {
    Sequence& sequence = *slice.sequence;
    const std::uint32_t accepted = accepted_drafts(slice.drafts, config_.speculation.alpha, sequence.random);
    counters_.drafts += slice.drafts > 0 ? 1 : 0;
    counters_.draft_tokens += slice.drafts;
    counters_.accepted_tokens += accepted;
    scheduler_.commit(slice, slice.drafts - accepted);
    if (sequence.computed >= sequence.known()) emit(sequence, 1 + accepted, step_end_, out);
  }
  step_ = nullptr;
  scheduler_.retire();
}

void BatchingEngine::emit(Sequence& sequence, std::uint32_t tokens, nanoseconds at,
                          std::vector<Emission>& out) {
  if (sequence.generated == 0) {
    sequence.truth.first_token = at;
    counters_.prompt_tokens += sequence.request.prompt_tokens;
  }
  tokens = std::min(tokens, sequence.remaining());  // no tokens if the prompt is only read
  sequence.generated += tokens;
  counters_.generated_tokens += tokens;
  const bool finished = sequence.remaining() == 0;
  if (finished) {
    sequence.stage = Stage::done;
    sequence.truth.finished = at;
  }
  out.push_back({sequence.request.id, at, tokens, finished});
}

EngineCounters BatchingEngine::counters() const {
  EngineCounters all = counters_;
  scheduler_.count(all);
  return all;
}

std::optional<RequestTruth> BatchingEngine::truth(std::uint64_t id) const {
  const auto found = sequences_.find(id);
  return found == sequences_.end() ? std::nullopt : std::optional(found->second.truth);
}

void BatchingEngine::forget(std::uint64_t id) {
  const auto found = sequences_.find(id);
  if (found != sequences_.end() && found->second.stage == Stage::done) sequences_.erase(found);
}

}  // namespace

std::unique_ptr<EngineModel> make_batching_engine(const EngineConfig& config, std::uint64_t seed) {
  return std::make_unique<BatchingEngine>(config, seed);
}

}  // namespace infermeter::sim
