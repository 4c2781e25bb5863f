// Common parts of sources that generate their requests: the numbers drawn for each request, and how often it
// is sent. Pure; any thread.
#pragma once

#include <cstdint>

#include "workload/request_source.hpp"

namespace infermeter {

/// The prompt that a request sends, and how often it was sent before.
struct Place {
  std::uint64_t number = 0;
  std::uint32_t repeat = 0;
};

/// --prompt-reuse: prompts are sent in blocks, each block `reuse` times before the next one. A block is twice
/// the number in flight, so that the first answer to a prompt has ended, and its cache entry exists, before
/// the second request.
Place place_of(std::uint64_t index, const SourceInputs& inputs);

class DrawnSource : public RequestSource {
 public:
  explicit DrawnSource(SourceInputs inputs) : inputs_(std::move(inputs)) {}
  std::uint32_t turns(std::uint64_t index) const override;
  nanoseconds think_time(std::uint64_t index, std::uint32_t turn) const override;
  std::vector<Request> primers() const override { return {}; }
  std::uint64_t size() const override { return 0; }

 protected:
  Place place(std::uint64_t index) const { return place_of(index, inputs_); }
  std::uint32_t input_tokens(const Place& place, std::uint32_t turn) const;
  /// A user message with the drawn length of its answer.
  Request message(std::string text, const Place& place, std::uint32_t turn) const;
  const SourceInputs& inputs() const { return inputs_; }

 private:
  SourceInputs inputs_;
};

}  // namespace infermeter
