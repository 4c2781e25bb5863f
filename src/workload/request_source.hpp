// The i-th request of a class of traffic, whatever it is made from: the user's prompts, a data file,
// synthetic text. The same seed, nonce and index give the same request whatever the number of workers. Any
// thread may ask.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "infermeter/base/clock.hpp"
#include "infermeter/model/plan.hpp"
#include "model/request.hpp"
#include "workload/data/items.hpp"
#include "workload/synthetic/calibration.hpp"

namespace infermeter {

class RequestSource {
 public:
  virtual ~RequestSource() = default;
  /// Of conversation `index` (every request is one, mostly of a single turn), what its `turn`-th turn adds:
  /// `messages` holds the new words only; what was said before is put in front by the load generator.
  virtual Request request(std::uint64_t index, std::uint32_t turn) const = 0;
  virtual std::uint32_t turns(std::uint64_t index) const = 0;  // ≥ 1
  /// Between the end of turn − 1 and the start of `turn` (≥ 1).
  virtual nanoseconds think_time(std::uint64_t index, std::uint32_t turn) const = 0;
  /// One request for each shared prefix, for --prime; empty where nothing is shared.
  virtual std::vector<Request> primers() const = 0;
  /// How many requests there are before they repeat; 0: no end.
  virtual std::uint64_t size() const = 0;
};

struct SourceInputs {
  Prompts prompts;
  Lengths input_tokens, output_tokens;  // the class's, or those of the point's --shape
  std::uint64_t seed = 1;
  std::string nonce;                                    // of this point
  std::uint32_t in_flight = 1;                          // about: spaces the repeats of --prompt-reuse
  std::shared_ptr<const Calibration> calibration = {};  // null: not calibrated
  std::shared_ptr<const ItemSource> items = {};         // of prompts.file; null without one
};

/// Throws UsageError for what cannot be made (a prompt shorter than its fixed parts, a bad line of a file).
std::unique_ptr<RequestSource> make_request_source(SourceInputs inputs);

/// A short prompt that no request gives: for preflight and readiness.
std::string probe_prompt(const std::string& nonce);

}  // namespace infermeter
