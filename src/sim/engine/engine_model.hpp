// The simulator's engine: a continuous-batching model server in virtual time. Pure: no clock, no I/O, no
// thread; time is a parameter (nanoseconds since the engine's start). The same model runs at once in tests
// and paced on the wall clock behind HTTP. Source of the model: docs/simulator-model.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "infermeter/base/clock.hpp"

namespace infermeter::sim {

struct SimRequest {
  std::uint64_t id = 0;               // unique until forgotten
  std::vector<std::uint64_t> blocks;  // chained hash of each full 16-token block of the prompt, and of those
                                      // that the answer will fill behind it: prefix cache
  std::uint32_t prompt_tokens = 0;
  std::uint32_t output_tokens = 1;  // to generate; 0: the prompt is only read (embeddings)
};

/// Tokens that leave the engine for one request at one instant; none if the prompt is only read.
struct Emission {
  std::uint64_t id = 0;
  nanoseconds at{};
  std::uint32_t tokens = 0;
  bool finished = false;
};

/// Times of one request on the engine's clock; `scheduled` is its first admission to a step, `finished` its
/// last token or its cancellation. Times of events that have not happened yet are zero.
struct RequestTruth {
  nanoseconds arrived{}, scheduled{}, first_token{}, finished{};
  std::uint32_t cached_tokens = 0;
  std::uint32_t preemptions = 0;
};

/// Monotonic counters and gauges, as an engine's /metrics shows them.
struct EngineCounters {
  std::uint32_t running = 0, waiting = 0;
  double kv_used_share = 0;
  std::uint64_t steps = 0, preemptions = 0, prompt_tokens = 0, generated_tokens = 0;
  std::uint64_t prefix_queries = 0, prefix_hits = 0;  // tokens
  std::uint64_t drafts = 0, draft_tokens = 0, accepted_tokens = 0;
};

class EngineModel {
 public:
  virtual ~EngineModel() = default;
  /// Submits a request at `now` (never before an earlier call's time). It is considered at the next step.
  /// Returns false and takes nothing if prompt + output can never fit `context_tokens()` (HTTP answers 400),
  /// the prompt is empty or the id is already known.
  virtual bool submit(const SimRequest& request, nanoseconds now) = 0;
  /// The longest request it accepts, prompt and output together.
  virtual std::uint32_t context_tokens() const = 0;
  /// The client disconnected: frees its blocks at once. Unknown ids are ignored.
  virtual void cancel(std::uint64_t id, nanoseconds now) = 0;
  /// The time at which `advance` has something to do next; nothing while idle. Mostly the next emissions; the
  /// start of a step, which emits nothing, can be due by itself: work submitted at the instant of the last
  /// `advance` joins it.
  virtual std::optional<nanoseconds> next_event() const = 0;
  /// Runs everything due up to `now` and appends its emissions in order of time.
  virtual void advance(nanoseconds now, std::vector<Emission>& out) = 0;
  virtual EngineCounters counters() const = 0;
  /// Truth of a request that is in the engine, or finished and not yet passed to `forget`.
  virtual std::optional<RequestTruth> truth(std::uint64_t id) const = 0;
  /// Drops the truth of a finished or cancelled request. Other requests are left alone.
  virtual void forget(std::uint64_t id) = 0;
};

/// A preset with its options: `h100-8b`, `h100-8b:spec=0.7x4,kv-tokens=80k`, `fixed:ttft=50ms,itl=10ms`
/// (docs/simulator.md has the full list); `seed` drives jitter and speculation. Throws UsageError that names
/// the known ones, or what a model that does not fit its device would need.
std::unique_ptr<EngineModel> make_engine(std::string_view preset, std::uint64_t seed);

using NamedLines = std::vector<std::pair<std::string, std::string>>;
/// Names and one line each, for help: the presets, and the options that can follow one.
NamedLines preset_list();
NamedLines preset_option_list();
/// The model name a preset serves ("llama-3.1-8b"). Throws as make_engine does.
std::string preset_model_name(std::string_view preset);

}  // namespace infermeter::sim
