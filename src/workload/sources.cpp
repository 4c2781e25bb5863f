#include "workload/sources.hpp"

#include <algorithm>

#include "workload/synthetic/lengths.hpp"

namespace infermeter {

Place place_of(std::uint64_t index, const SourceInputs& inputs) {
  constexpr std::uint64_t kSmallestBlock = 8;
  const std::uint64_t reuse = std::max<std::uint32_t>(inputs.prompts.prompt_reuse, 1);
  if (reuse == 1) return {index, 0};
  const std::uint64_t size = std::max(kSmallestBlock, 2 * std::uint64_t{inputs.in_flight});
  const std::uint64_t block = index / (size * reuse), within = index % (size * reuse);
  return {block * size + within % size, static_cast<std::uint32_t>(within / size)};
}

std::uint32_t DrawnSource::turns(std::uint64_t index) const {
  return draw_length(inputs_.prompts.turns, Draw::turns, inputs_.seed, place(index).number);
}

nanoseconds DrawnSource::think_time(std::uint64_t index, std::uint32_t turn) const {
  return std::chrono::milliseconds(
      draw_length(inputs_.prompts.think_time, Draw::think_time, inputs_.seed, place(index).number, turn, 0));
}

std::uint32_t DrawnSource::input_tokens(const Place& place, std::uint32_t turn) const {
  return draw_length(inputs_.input_tokens, Draw::input_tokens, inputs_.seed, place.number, turn);
}

std::uint32_t DrawnSource::sent_before(const Place& place, std::uint64_t size, std::uint64_t stride) const {
  const std::uint64_t passes = place.number / size;
  const bool earlier = place.number % size < inputs_.sent_before * stride;
  return place.repeat + static_cast<std::uint32_t>(passes) * std::max(inputs_.prompts.prompt_reuse, 1u) +
         (earlier ? 1 : 0);
}

Request DrawnSource::message(std::string text, const Place& place, std::uint32_t turn) const {
  const Lengths& answer = inputs_.output_tokens;
  const bool unsaid = answer.kind == Lengths::Kind::fixed && answer.a <= 0;
  Request request;
  request.messages.push_back({"user", std::move(text)});
  if (!unsaid)
    request.output_tokens = draw_length(answer, Draw::output_tokens, inputs_.seed, place.number, turn);
  const bool earlier = same_at_every_point() && place.number < inputs_.sent_before;
  request.repeat = place.repeat + (earlier ? 1 : 0);
  return request;
}

}  // namespace infermeter
