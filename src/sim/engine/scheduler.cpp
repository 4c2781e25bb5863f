#include "sim/engine/scheduler.hpp"

#include <algorithm>
#include <cmath>

namespace infermeter::sim {
namespace {

// With KV offloading, transfers need free blocks to land in: above 95 % use the last arrival goes to the
// store.
constexpr double kStagingShare = 0.05;

std::uint32_t blocks_for(std::uint32_t tokens) { return (tokens + kBlockTokens - 1) / kBlockTokens; }

std::uint32_t share_of(std::uint32_t blocks, double share) {
  return static_cast<std::uint32_t>(std::ceil(blocks * share));
}

}  // namespace

Scheduler::Scheduler(const EngineConfig& config, std::uint32_t blocks)
    : config_(config),
      cache_(blocks),
      watermark_(share_of(blocks, config.watermark)),
      staging_(config.offload_gb_s ? share_of(blocks, kStagingShare) : 0) {}

void Scheduler::enqueue(Sequence& sequence) { waiting_.push_back(&sequence); }

std::optional<nanoseconds> Scheduler::first_work() const {
  if (!running_.empty()) return nanoseconds(0);
  if (!waiting_.empty()) return waiting_.front()->truth.arrived;
  return std::nullopt;
}

const StepPlan& Scheduler::plan(nanoseconds at) {
  plan_.slices.clear();
  plan_.load = {};
  budget_ = config_.max_batched_tokens;
  preempted_ = false;
  continue_running();
  if (!preempted_) admit_waiting(at);  // else a preempted request would be admitted again at once
  return plan_;
}

void Scheduler::continue_running() {
  for (std::size_t i = 0; i < running_.size() && budget_ > 0; ++i) {
    const Slice slice = next_slice(*running_[i]);
    if (!secure(*slice.sequence, slice.sequence->computed + slice.tokens)) return;
    schedule(slice);
  }
}

void Scheduler::admit_waiting(nanoseconds at) {
  while (budget_ > 0 && running_.size() < config_.max_seqs && !waiting_.empty()) {
    Sequence& next = *waiting_.front();
    if (next.truth.arrived > at || !admit(next, at)) return;
    waiting_.pop_front();
    running_.push_back(&next);
    schedule(next_slice(next));
  }
}

// A decode step is a slice with one pending token, the newest. Drafts beyond the requested length would be
// wasted.
Slice Scheduler::next_slice(Sequence& sequence) const {
  const std::uint32_t pending = sequence.pending();
  std::uint32_t drafts = 0;
  if (pending == 1 && sequence.generated > 0)
    drafts = std::min({config_.speculation.gamma, sequence.remaining() - 1, budget_ - 1});
  return {&sequence, std::min(pending + drafts, budget_), drafts};
}

void Scheduler::schedule(const Slice& slice) {
  const double tokens = slice.tokens;
  const double before = slice.sequence->computed;
  const double context = before + tokens;
  StepLoad& load = plan_.load;
  load.tokens += slice.tokens;
  load.token_context += tokens * before + tokens * (tokens + 1) / 2;  // causal
  (slice.sequence->offloaded ? load.offloaded_context : load.context) += context;
  load.draft_passes = std::max(load.draft_passes, slice.drafts);
  plan_.slices.push_back(slice);
  budget_ -= slice.tokens;
}

bool Scheduler::admit(Sequence& sequence, nanoseconds at) {
  if (offloaded_ > 0) return false;  // sequences waiting for their offloaded blocks go first
  if (cache_.free() <= watermark_ + staging_ && !running_.empty()) return false;
  const std::uint32_t hits = cached_blocks(sequence);
  if (!take_blocks(sequence, hits)) return false;
  sequence.stage = Stage::running;
  if (sequence.admitted) return true;
  sequence.admitted = true;
  sequence.truth.scheduled = at;
  sequence.truth.cached_tokens = sequence.computed;
  prefix_queries_ += config_.prefix_cache ? sequence.request.prompt_tokens : 0;
  prefix_hits_ += sequence.computed;
  return true;
}

bool Scheduler::take_blocks(Sequence& sequence, std::uint32_t hits) {
  const std::uint32_t cached = hits * kBlockTokens;
  const std::uint32_t tokens = cached + std::min(sequence.known() - cached, budget_);
  const std::uint32_t keep_free = staging_ + (running_.empty() ? 0 : watermark_);
  const std::span hashes(sequence.request.blocks);
  if (cache_.take(hashes.first(hits), blocks_for(tokens), keep_free, sequence.blocks)) {
    sequence.computed = cached;
    sequence.published = hits;
    return true;
  }
  if (!running_.empty() || !offloads()) return false;
  // Larger than the device's cache even alone: it lives in the offload store from the start.
  sequence.offloaded = true;
  ++offloaded_;
  return true;
}

// At least one token is always computed, because its output is the first token.
std::uint32_t Scheduler::cached_blocks(const Sequence& sequence) const {
  if (!config_.prefix_cache) return 0;
  const std::span hashes(sequence.request.blocks);
  const std::size_t whole = (sequence.known() - 1) / kBlockTokens;
  return cache_.cached_prefix(hashes.first(std::min(hashes.size(), whole)));
}

// Returns false if `sequence` itself was preempted.
bool Scheduler::secure(Sequence& sequence, std::uint32_t tokens) {
  if (sequence.offloaded) {
    bring_back(sequence, tokens);
    return true;
  }
  while (!cache_.grow(sequence.blocks, blocks_for(tokens), staging_)) {
    Sequence& victim = offloads() ? last_on_device() : *running_.back();
    preempt(victim);
    if (&victim == &sequence) return offloads();
  }
  return true;
}

void Scheduler::preempt(Sequence& victim) {
  ++preemptions_;
  ++victim.truth.preemptions;
  preempted_ = true;
  offloads() ? offload(victim) : restart(victim);
}

// After readmission its generated tokens are recomputed with its prompt; nothing is emitted twice.
void Scheduler::restart(Sequence& victim) {
  leave_cache(victim);
  victim.computed = 0;
  victim.stage = Stage::waiting;
  running_.pop_back();
  waiting_.push_front(&victim);
}

// It keeps running, but each of its steps reads its context over the bus until there is room again.
void Scheduler::offload(Sequence& victim) {
  plan_.load.moved += victim.computed;
  leave_cache(victim);
  victim.offloaded = true;
  ++offloaded_;
}

void Scheduler::bring_back(Sequence& sequence, std::uint32_t tokens) {
  if (preempted_ || !cache_.grow(sequence.blocks, blocks_for(tokens), staging_ + watermark_)) return;
  plan_.load.moved += sequence.computed;
  sequence.offloaded = false;
  --offloaded_;
}

void Scheduler::leave_cache(Sequence& sequence) {
  cache_.release(sequence.blocks);
  sequence.published = 0;
}

Sequence& Scheduler::last_on_device() const {
  const auto found =
      std::find_if(running_.rbegin(), running_.rend(), [](const Sequence* s) { return !s->offloaded; });
  return **found;
}

void Scheduler::commit(const Slice& slice, std::uint32_t rejected) {
  Sequence& sequence = *slice.sequence;
  sequence.computed += slice.tokens - rejected;
  if (!config_.prefix_cache || sequence.offloaded) return;
  const std::span hashes(sequence.request.blocks);
  const std::size_t whole = std::min<std::size_t>(sequence.computed / kBlockTokens, hashes.size());
  for (; sequence.published < whole; ++sequence.published)
    cache_.publish(sequence.blocks[sequence.published], hashes[sequence.published]);
}

void Scheduler::retire() {
  const auto leaves = [this](Sequence* sequence) {
    if (sequence->stage != Stage::done) return false;
    offloaded_ -= sequence->offloaded ? 1 : 0;
    leave_cache(*sequence);
    return true;
  };
  std::erase_if(running_, leaves);
}

void Scheduler::drop(Sequence& sequence) {
  if (sequence.stage == Stage::waiting) std::erase(waiting_, &sequence);
  sequence.stage = Stage::done;
  retire();
  std::erase_if(plan_.slices, [&](const Slice& slice) { return slice.sequence == &sequence; });
}

void Scheduler::count(EngineCounters& counters) const {
  counters.running = static_cast<std::uint32_t>(running_.size());
  counters.waiting = static_cast<std::uint32_t>(waiting_.size());
  counters.kv_used_share = 1 - static_cast<double>(cache_.free()) / cache_.size();
  counters.preemptions = preemptions_;
  counters.prefix_queries = prefix_queries_;
  counters.prefix_hits = prefix_hits_;
}

}  // namespace infermeter::sim
