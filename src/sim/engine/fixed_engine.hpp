// A server with known times: each request's first token comes a fixed time after its submission, then one
// event after the other, independent of load. For tests that must know the answer.
#pragma once

#include <set>
#include <unordered_map>
#include <utility>

#include "base/random.hpp"
#include "sim/engine/engine_model.hpp"
#include "sim/engine/preset_options.hpp"

namespace infermeter::sim {

struct FixedTimes {
  nanoseconds ttft{50'000'000};
  nanoseconds itl{10'000'000};         // per token
  nanoseconds per_prompt_token{};      // added to ttft
  std::uint32_t tokens_per_event = 1;  // an event of m tokens comes m · itl after the previous one
  double time_scale = 1;               // scales all of these times
  double jitter_share = 0;             // coefficient of variation of every interval, or …
  nanoseconds jitter{};                // … the standard deviation of every interval
};

std::span<const PresetOption<FixedTimes>> fixed_options();

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

}  // namespace infermeter::sim
