#include "sim/engine/fixed_engine.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "sim/engine/draws.hpp"

namespace infermeter::sim {
namespace {

using Text = std::string_view;

void set_jitter(FixedTimes& times, Text option, Text value) {
  const bool duration = looks_like_duration(value);
  times.jitter = duration ? parse_duration(option, value) : nanoseconds(0);
  times.jitter_share = duration ? 0 : parse_share(option, value);
}

void set_tokens(FixedTimes& times, Text option, Text value) {
  const std::uint64_t count = parse_count(option, value);
  if (count < 1 || count > 1'000'000)
    throw UsageError(std::string(option) + ": '" + std::string(value) + "' is not between 1 and 1,000,000");
  times.tokens_per_event = static_cast<std::uint32_t>(count);
}

void set_scale(FixedTimes& times, Text option, Text value) {
  times.time_scale = parse_number(option, value);
  if (times.time_scale <= 0)
    throw UsageError(std::string(option) + ": '" + std::string(value) + "' is not greater than 0");
}

constexpr std::array kFixedOptions{
    PresetOption<FixedTimes>{"ttft", "from submission to the first token: 50ms",
                             [](FixedTimes& t, Text o, Text v) { t.ttft = parse_duration(o, v); }},
    PresetOption<FixedTimes>{"itl", "per token after the first: 10ms",
                             [](FixedTimes& t, Text o, Text v) { t.itl = parse_duration(o, v); }},
    PresetOption<FixedTimes>{
        "per-token", "added to ttft for each prompt token: 20us",
        [](FixedTimes& t, Text o, Text v) { t.per_prompt_token = parse_duration(o, v); }},
    PresetOption<FixedTimes>{"tokens", "tokens per event, itl apart each", set_tokens},
    PresetOption<FixedTimes>{"time-scale", "1.2 takes 20 % longer for everything, 0.1 a tenth", set_scale},
    PresetOption<FixedTimes>{"jitter", "spread of every interval: 10% of it, or 2ms", set_jitter},
};

}  // namespace

std::span<const PresetOption<FixedTimes>> fixed_options() { return kFixedOptions; }

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

}  // namespace infermeter::sim
