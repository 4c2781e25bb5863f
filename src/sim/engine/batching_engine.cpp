#include "sim/engine/batching_engine.hpp"

#include <algorithm>
#include <limits>

#include "sim/engine/draws.hpp"

namespace infermeter::sim {
namespace {

// A request that cannot finish even alone would be preempted forever; an offload store prevents preemption.
std::uint32_t longest_request(const EngineConfig& config, std::uint32_t blocks) {
  const std::uint32_t unbounded = std::numeric_limits<std::uint32_t>::max();
  const std::uint32_t model = config.model.max_context > 0 ? config.model.max_context : unbounded;
  const std::uint32_t cache = config.offload_gb_s ? unbounded : blocks * kBlockTokens;
  return std::min(model, cache);
}

}  // namespace

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

}  // namespace infermeter::sim
