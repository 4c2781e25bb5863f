// A server with known times: each request's first token comes a fixed time after its submission, then one
// event after the other, independent of load. For tests that must know the answer.
#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/random.hpp"
#include "sim/engine/engine_config.hpp"
#include "sim/engine/engine_model.hpp"
#include "sim/engine/step_time.hpp"

namespace infermeter::sim {
namespace {

class FixedEngine final : public EngineModel {
 public:
  FixedEngine(const FixedTimes& times, std::uint64_t seed) : times_(times), seed_(seed) {}

  bool submit(const SimRequest& request, nanoseconds now) override;
  std::uint32_t context_tokens() const override;
  void cancel(std::uint64_t id, nanoseconds now) override;
  std::optional<nanoseconds> next_event() const override;
  void advance(nanoseconds now, std::vector<Emission>& out) override;
  EngineCounters counters() const override;
  std::optional<RequestTruth> truth(std::uint64_t id) const override;
  void forget(std::uint64_t id) override;

 private:
  struct Stream {
    std::uint32_t prompt_tokens;
    std::uint32_t remaining;
    nanoseconds next{};  // its next emission; in `due_` while it has one
    RequestTruth truth;
    Random random;
  };
  using Due = std::pair<nanoseconds, std::uint64_t>;
  nanoseconds interval(nanoseconds mean, Random& random) const;
  std::uint32_t next_tokens(const Stream& stream) const;
  void emit(Due due, std::vector<Emission>& out);

  FixedTimes times_;
  std::uint64_t seed_;
  std::unordered_map<std::uint64_t, Stream> streams_;
  std::set<Due> due_;
  EngineCounters counters_;
};

std::uint32_t FixedEngine::context_tokens() const { return std::numeric_limits<std::uint32_t>::max(); }

bool FixedEngine::submit(const SimRequest& request, nanoseconds now) {
  const std::uint64_t whole = std::uint64_t{request.prompt_tokens} + request.output_tokens;
  if (whole > context_tokens() || request.prompt_tokens == 0) return false;
  Stream fresh{request.prompt_tokens, request.output_tokens, now, {}, Random(seed_, request.id)};
  fresh.truth.arrived = fresh.truth.scheduled = now;
  const nanoseconds read = times_.ttft + times_.per_prompt_token * request.prompt_tokens;
  fresh.next += interval(scaled(read, times_.time_scale), fresh.random);
  if (!streams_.try_emplace(request.id, fresh).second) return false;
  due_.emplace(fresh.next, request.id);
  return true;
}

nanoseconds FixedEngine::interval(nanoseconds mean, Random& random) const {
  if (times_.jitter.count() == 0 || mean.count() == 0) return jittered(mean, times_.jitter_share, random);
  const double cv = static_cast<double>(times_.jitter.count()) / static_cast<double>(mean.count());
  return jittered(mean, cv, random);
}

void FixedEngine::cancel(std::uint64_t id, nanoseconds now) {
  const auto found = streams_.find(id);
  if (found == streams_.end() || due_.erase({found->second.next, id}) == 0) return;
  found->second.truth.finished = now;
}

std::optional<nanoseconds> FixedEngine::next_event() const {
  return due_.empty() ? std::nullopt : std::optional(due_.begin()->first);
}

void FixedEngine::advance(nanoseconds now, std::vector<Emission>& out) {
  while (!due_.empty() && due_.begin()->first <= now) emit(*due_.begin(), out);
}

std::uint32_t FixedEngine::next_tokens(const Stream& stream) const {
  return std::min(times_.tokens_per_event, stream.remaining);
}

void FixedEngine::emit(Due due, std::vector<Emission>& out) {
  const auto [at, id] = due;
  Stream& stream = streams_.at(id);
  const std::uint32_t tokens = next_tokens(stream);
  if (stream.truth.first_token.count() == 0) {
    stream.truth.first_token = at;
    counters_.prompt_tokens += stream.prompt_tokens;
  }
  stream.remaining -= tokens;
  ++counters_.steps;
  counters_.generated_tokens += tokens;
  out.push_back({id, at, tokens, stream.remaining == 0});

  auto node = due_.extract(due_.begin());  // reused: no allocation per token
  if (stream.remaining == 0) {
    stream.truth.finished = at;
    return;
  }
  stream.next += interval(scaled(times_.itl * next_tokens(stream), times_.time_scale), stream.random);
  node.value() = {stream.next, id};
  due_.insert(std::move(node));
}

EngineCounters FixedEngine::counters() const {
  EngineCounters all = counters_;
  all.running = static_cast<std::uint32_t>(due_.size());
  return all;
}

std::optional<RequestTruth> FixedEngine::truth(std::uint64_t id) const {
  const auto found = streams_.find(id);
  return found == streams_.end() ? std::nullopt : std::optional(found->second.truth);
}

void FixedEngine::forget(std::uint64_t id) {
  const auto found = streams_.find(id);
  if (found != streams_.end() && !due_.contains({found->second.next, id})) streams_.erase(found);
}

}  // namespace

std::unique_ptr<EngineModel> make_fixed_engine(const FixedTimes& times, std::uint64_t seed) {
  return std::make_unique<FixedEngine>(times, seed);
}

}  // namespace infermeter::sim
