#include "workload/own_prompts.hpp"

#include <algorithm>
#include <cmath>

#include "workload/synthetic/drawn_source.hpp"

namespace infermeter {
namespace {

class OwnPrompts final : public DrawnSource {
 public:
  explicit OwnPrompts(SourceInputs given)
      : DrawnSource(std::move(given)),
        stride_(static_cast<std::uint64_t>(std::max(1.0, std::floor(inputs().prompts.turns.most())))) {}

  Request request(std::uint64_t index, std::uint32_t turn) const override {
    const auto& prompts = inputs().prompts.prompts;
    const Place here = place(index);
    return message(prompts[(here.number * stride_ + turn) % prompts.size()], here, turn);
  }
  std::uint64_t size() const override {
    return std::max<std::uint64_t>(1, inputs().prompts.prompts.size() / stride_);
  }

 private:
  std::uint64_t stride_;  // prompts from one conversation to the next
};

}  // namespace

std::unique_ptr<RequestSource> make_own_prompts(SourceInputs inputs) {
  return std::make_unique<OwnPrompts>(std::move(inputs));
}

}  // namespace infermeter
