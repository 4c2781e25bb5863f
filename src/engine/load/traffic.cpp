#include "engine/load/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"

namespace infermeter {
namespace {

bool in_common_load(const TrafficClass& traffic) { return !traffic.own_loop() && !traffic.probe; }

ClassTraffic make_class(const TrafficInputs& inputs, std::uint32_t index) {
  const TrafficClass& traffic = inputs.plan.classes[index];
  const Prompts& prompts = traffic.prompts;
  const Lengths output = inputs.load.shape ? inputs.load.shape->second : traffic.answers.output_tokens;
  SourceInputs source{.prompts = prompts,
                      .input_tokens = inputs.load.shape ? inputs.load.shape->first : prompts.input_tokens,
                      .output_tokens = output,
                      .seed = index == 0 ? inputs.load.seed : mix64(inputs.load.seed + index),
                      .nonce = prompts.nonce_given ? prompts.nonce : inputs.nonce,
                      .in_flight = inputs.load.concurrency,
                      .calibration = inputs.calibrations[index],
                      .items = inputs.data[index].items,
                      .sent_before = inputs.sent_before.empty() ? 0 : inputs.sent_before[index]};
  RequestShape shape = inputs.prepared.classes[index].shape;
  shape.output_tokens = static_cast<std::uint32_t>(std::llround(std::max(1.0, output.mean())));
  const bool conversations = prompts.conversations();
  return {.traffic_class = index,
          .source = make_request_source(std::move(source)),
          .body = BodyTemplate(shape),
          .stream = {.endpoint = shape.endpoint,
                     .stream = shape.stream,
                     .max_tokens = shape.output_tokens,
                     .items = prompts.batch,
                     .save_text = inputs.plan.output.save_text || conversations},
          .headers = class_headers(traffic),
          .cancel = traffic.cancel,
          .choices = traffic.answers.choices,
          .conversations = conversations,
          .session_header = prompts.session_header,
          .session_connection = prompts.session_connection};
}

std::uint32_t most_turns(const TrafficClass& traffic) {
  if (!traffic.prompts.conversations()) return 1;
  return static_cast<std::uint32_t>(std::max(2.0, std::ceil(traffic.prompts.turns.most())));
}

// The trace of the first class that has one; requests of other classes follow its time stamps too.
std::span<const nanoseconds> trace_of(const TrafficInputs& inputs) {
  for (const auto& data : inputs.data) {
    if (!data.stamps.empty()) return data.stamps;
  }
  return {};
}

Lane make_common(const TrafficInputs& inputs) {
  Lane lane;
  lane.load = inputs.load;
  std::vector<double> shares;
  for (std::uint32_t c = 0; c < inputs.plan.classes.size(); ++c) {
    const TrafficClass& traffic = inputs.plan.classes[c];
    if (!in_common_load(traffic)) continue;
    shares.push_back(traffic.share);
    lane.classes.push_back(make_class(inputs, c));
    lane.max_turns = std::max(lane.max_turns, most_turns(traffic));
  }
  if (shares.empty()) return lane;
  lane.mix = Mix(shares, inputs.load.seed);
  if (lane.load.open_loop()) lane.schedule = make_schedule(lane.load, trace_of(inputs));
  return lane;
}

nanoseconds length_of(const Load& load) {
  constexpr nanoseconds kMore = std::chrono::hours(1);  // for a warm-up by count, and an end by count
  nanoseconds stages{};
  for (const auto& stage : load.stages) stages += stage.duration;
  return stages > 0ns ? stages : load.duration.value_or(0ns) + kMore;
}

// The load of a class with a load of its own: it ends with the common load; a probe has no cap.
Load own_load(const TrafficClass& traffic, const Load& common, bool beside, std::uint32_t number) {
  Load load = common;
  load.stages.clear();
  if (traffic.probe || !traffic.rate) load.max_in_flight = 0;
  load.seed = mix64(common.seed + number);
  load.rate = traffic.rate;
  load.concurrency = traffic.concurrency.value_or(1);
  if (common.arrival == Arrival::trace) load.arrival = Arrival::poisson;
  if (!load.warmup_duration && load.warmup_requests != 0u)
    load.warmup_requests = traffic.rate ? 0 : load.concurrency;
  if (!beside) return load;
  load.requests.reset();
  load.duration.reset();
  if (traffic.rate) load.duration = length_of(common);
  return load;
}

Lane make_own(const TrafficInputs& inputs, std::uint32_t index, bool beside) {
  const TrafficClass& traffic = inputs.plan.classes[index];
  Lane lane;
  lane.load = own_load(traffic, inputs.load, beside, index + 1);
  lane.classes.push_back(make_class(inputs, index));
  lane.beside = beside;
  lane.max_turns = most_turns(traffic);
  if (lane.load.open_loop()) lane.schedule = make_schedule(lane.load);
  return lane;
}

}  // namespace

ConversationScript Lane::script(std::uint64_t first_index) const {
  return {.turns =
              [this, first_index](std::uint64_t index) {
                const auto place = mix.at(first_index + index);
                // Ids have a limited number of bits for turns: a draw far out in the tail is cut.
                return std::min(classes[place.traffic_class].source->turns(place.index), max_turns);
              },
          .think_time =
              [this, first_index](std::uint64_t index, std::uint32_t turn) {
                const auto place = mix.at(first_index + index);
                return classes[place.traffic_class].source->think_time(place.index, turn);
              }};
}

bool has_common_load(const Plan& plan) { return std::ranges::any_of(plan.classes, in_common_load); }

// If every class has a load of its own, the sum of these is the load.
Load joint_load(const Plan& plan, const Load& common) {
  if (has_common_load(plan)) return common;
  Load load = common;
  load.rate.reset();
  double rate = 0;
  std::uint32_t slots = 0;
  bool open = true;
  for (const auto& traffic : plan.classes) {
    if (traffic.probe) continue;
    open = open && traffic.rate.has_value();
    rate += traffic.rate.value_or(0);
    slots += traffic.concurrency.value_or(traffic.rate ? 0 : 1);
  }
  if (open && rate > 0) load.rate = rate;
  load.concurrency = std::max(slots, 1u);
  return load;
}

std::vector<Lane> make_lanes(const TrafficInputs& inputs) {
  const auto& classes = inputs.plan.classes;
  const bool common = has_common_load(inputs.plan);
  std::vector<Lane> lanes;
  if (common) lanes.push_back(make_common(inputs));
  for (std::uint32_t c = 0; c < classes.size(); ++c) {
    if (!in_common_load(classes[c])) lanes.push_back(make_own(inputs, c, common));
  }
  return lanes;
}

std::vector<std::string> class_headers(const TrafficClass& traffic) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : traffic.headers) lines.push_back(fmt::format("{}: {}", name, value));
  return lines;
}

}  // namespace infermeter
