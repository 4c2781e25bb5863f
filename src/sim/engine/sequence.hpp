// One request inside the batching engine.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "sim/engine/engine_model.hpp"
#include "sim/engine/kv_cache.hpp"

namespace infermeter::sim {

enum class Stage : std::uint8_t { waiting, running, done };

struct Sequence {
  Sequence(const SimRequest& r, nanoseconds arrived, std::uint64_t seed) : request(r), random(seed, r.id) {
    truth.arrived = arrived;
  }

  /// Prompt and generated tokens; the KV of `computed` of them is held. A step computes the rest.
  std::uint32_t known() const { return request.prompt_tokens + generated; }
  std::uint32_t pending() const { return known() - computed; }
  std::uint32_t remaining() const { return request.output_tokens - generated; }

  SimRequest request;
  Stage stage = Stage::waiting;
  std::uint32_t generated = 0;
  std::uint32_t computed = 0;
  std::uint32_t published = 0;  // number of blocks published in the prefix cache
  bool admitted = false;        // at least once
  bool offloaded = false;       // its KV is in the offload store, not in `blocks`
  std::vector<BlockId> blocks;
  RequestTruth truth;
  Random random;  // its own, so that acceptance does not depend on other requests
};

}  // namespace infermeter::sim
