// The i-th request of a class of traffic, from any source: the user's prompts, a data file, synthetic text.
// The same seed, nonce and index give the same request whatever the number of workers. Any thread may call
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "infermeter/base/clock.hpp"
#include "infermeter/model/plan.hpp"
#include "model/request.hpp"
#include "workload/data/data_formats.hpp"
#include "workload/synthetic/calibration.hpp"

namespace infermeter {

class RequestSource {
 public:
  virtual ~RequestSource() = default;
  /// The `turn`-th turn of conversation `index` (every request belongs to one, mostly of a single turn):
  /// `messages` holds the new messages only; the load generator puts the history in front.
  virtual Request request(std::uint64_t index, std::uint32_t turn) const = 0;
  virtual std::uint32_t turns(std::uint64_t index) const = 0;  // ≥ 1
  /// The pause between the end of turn − 1 and the start of `turn` (≥ 1).
  virtual nanoseconds think_time(std::uint64_t index, std::uint32_t turn) const = 0;
  /// One request for each shared prefix, for --prime; empty if no prefix is shared.
  virtual std::vector<Request> primers() const = 0;
  /// The number of requests before they repeat; 0: they never repeat.
  virtual std::uint64_t size() const = 0;
  /// Its prompts are the same at every load point, as without a nonce of the point: the user's own text.
  virtual bool same_at_every_point() const = 0;
};

struct SourceInputs {
  Prompts prompts;
  Lengths input_tokens, output_tokens;  // the class's, or those of the point's --shape
  std::uint64_t seed = 1;
  std::string nonce;                                    // for this point
  std::uint32_t in_flight = 1;                          // approximate: spaces the repeats of --prompt-reuse
  std::shared_ptr<const Calibration> calibration = {};  // null: not calibrated
  std::shared_ptr<const ItemSource> items = {};         // items of prompts.file; null without a file
  std::uint64_t sent_before = 0;  // of the same prompts, so many from the first on at an earlier load point
};

/// Throws UsageError for requests that cannot be built (a prompt shorter than its fixed parts, a bad line of
/// a file).
std::unique_ptr<RequestSource> make_request_source(SourceInputs inputs);

/// A short prompt that no request of the run uses: for preflight and readiness.
std::string probe_prompt(const std::string& nonce);

}  // namespace infermeter
