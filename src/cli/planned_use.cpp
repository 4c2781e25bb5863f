#include "cli/planned_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "infermeter/base/units.hpp"
#include "model/target_url.hpp"
#include "protocol/endpoints/traits.hpp"
#include "workload/request_source.hpp"
#include "workload/schedule/arrivals.hpp"

namespace infermeter {
namespace {

using Items = std::span<const std::shared_ptr<const ItemSource>>;
using Stamps = std::span<const nanoseconds>;

/// Prompt and output tokens; of one conversation, one request, or all of them.
struct PlannedUse {
  double prompt = 0, output = 0;
  bool drawn = false;         // the prompts' lengths are drawn or estimated: a mean
  bool output_drawn = false;  // likewise; else `output` is the most
  bool counted = true;        // the number of requests is known
  double requests = 0;        // 0 if it is not
  void add(const PlannedUse& use, double times) {
    prompt += times * use.prompt;
    output += times * use.output;
    drawn = drawn || use.drawn;
    output_drawn = output_drawn || use.output_drawn;
  }
};

/// The history of a conversation is sent again with each of its turns.
PlannedUse synthetic_use(const Prompts& prompts, const Lengths& input, const Lengths& output) {
  const double turns = prompts.turns.mean(), in = input.mean() * prompts.batch, out = output.mean();
  return {.prompt = in * turns * (turns + 1) / 2 + out * turns * (turns - 1) / 2,
          .output = out * turns,
          .drawn = input.sole() == 0 || output.sole() == 0 || prompts.conversations(),
          .output_drawn = output.sole() == 0 || prompts.turns.sole() == 0};
}

double tokens_of_text(const Request& request) {
  constexpr double kBytesPerToken = 4;
  if (request.input_tokens > 0) return request.input_tokens;
  std::size_t bytes = request.messages_json.size() + request.whole_body.size();
  for (const auto& message : request.messages) bytes += message.content.size();
  return static_cast<double>(bytes) / kBytesPerToken;
}

/// The mean of the first conversations of the user's own prompts.
PlannedUse sampled_use(const TrafficClass& traffic, const Load& load,
                       std::shared_ptr<const ItemSource> items) {
  constexpr std::uint64_t kSample = 256;
  const Lengths& output = load.shape ? load.shape->second : traffic.answers.output_tokens;
  const auto source = make_request_source({.prompts = traffic.prompts,
                                           .input_tokens = traffic.prompts.input_tokens,
                                           .output_tokens = output,
                                           .seed = load.seed,
                                           .nonce = traffic.prompts.nonce,
                                           .items = std::move(items)});
  const std::uint64_t most = source->size() > 0 ? std::min(source->size(), kSample) : kSample;
  PlannedUse all{.drawn = true, .output_drawn = output.sole() == 0};
  std::optional<double> first;  // the output of the first conversation
  for (std::uint64_t i = 0; i < most; ++i) {
    const double before = all.output;
    double history = 0;
    for (std::uint32_t turn = 0; turn < source->turns(i); ++turn) {
      const Request request = source->request(i, turn);
      const double answer = request.output_tokens > 0 ? request.output_tokens : output.mean();
      history += tokens_of_text(request);
      all.prompt += history;
      all.output += answer;
      history += answer;
    }
    const double own = all.output - before;
    all.output_drawn = all.output_drawn || own != first.value_or(own);
    first = own;
  }
  return {.prompt = all.prompt / static_cast<double>(most),
          .output = all.output / static_cast<double>(most),
          .drawn = true,
          .output_drawn = all.output_drawn};
}

PlannedUse use_of_one(const Target& target, const TrafficClass& traffic, const Load& load,
                      const std::shared_ptr<const ItemSource>& items) {
  const Prompts& prompts = traffic.prompts;
  PlannedUse use = is_synthetic(prompts)
                       ? synthetic_use(prompts, load.shape ? load.shape->first : prompts.input_tokens,
                                       load.shape ? load.shape->second : traffic.answers.output_tokens)
                       : sampled_use(traffic, load, items);
  use.output *= target.facts.refuses("n") ? 1 : traffic.answers.choices;
  if (traits_of(endpoint_of(target)).generates) return use;
  use.output = 0;
  use.output_drawn = false;
  return use;
}

/// Requests of the common load, with warm-up; nothing: their number depends on the server's speed.
std::optional<double> requests_of(const Load& load, Stamps stamps) {
  if (load.open_loop()) return static_cast<double>(make_schedule(load, stamps).offsets.size());
  if (!load.stages.empty() || !load.requests || load.warmup_duration) return std::nullopt;
  return static_cast<double>(*load.requests + load.warmup_requests.value_or(0));
}

/// Of a class with a loop of its own.
std::optional<double> own_requests_of(const TrafficClass& traffic, const Load& load) {
  if (!traffic.rate || !load.duration) return std::nullopt;
  const nanoseconds whole = *load.duration + load.warmup_duration.value_or(nanoseconds(0));
  return *traffic.rate * std::chrono::duration<double>(whole).count();
}

PlannedUse use_of_point(const Plan& plan, const Target& target, const Load& load, Items items,
                        Stamps stamps) {
  double shares = 0;
  for (const auto& traffic : plan.classes) shares += traffic.own_loop() || traffic.probe ? 0 : traffic.share;
  const auto common = requests_of(load, stamps);
  PlannedUse all;
  for (std::size_t c = 0; c < plan.classes.size(); ++c) {
    const TrafficClass& traffic = plan.classes[c];
    const bool beside = traffic.own_loop() || traffic.probe;
    const double share = shares > 0 ? traffic.share / shares : 0;
    const auto count = beside   ? own_requests_of(traffic, load)
                       : common ? std::optional(*common * share)
                                : common;
    all.counted = all.counted && count.has_value();
    const double times = count.value_or(beside ? 0 : share);
    all.requests += count.value_or(0);
    PlannedUse one = use_of_one(target, traffic, load, items[c]);
    // Which class a request belongs to is drawn, and so are the arrivals of a class's own rate.
    const bool mixed = times > 0 && (beside || share < 1);
    one.drawn = one.drawn || mixed;
    one.output_drawn = one.output_drawn || (mixed && one.output > 0);
    all.add(one, times);
  }
  return all;
}

/// Of all points; of one request of the first point if their number is not known.
PlannedUse planned_use(const Plan& plan, const Target& target, Items items, Stamps stamps) {
  PlannedUse all;
  for (const auto& load : plan.sweep.points) {
    const PlannedUse point = use_of_point(plan, target, load, items, stamps);
    if (!point.counted) {
      Load single = plan.sweep.points.front();
      single.requests.reset();
      single.rate.reset();
      PlannedUse one = use_of_point(plan, target, single, items, {});
      one.counted = false;
      return one;
    }
    all.add(point, 1);
    all.requests += point.requests;
  }
  return all;
}

std::string count_text(double tokens) {
  return format_count(static_cast<std::uint64_t>(std::llround(tokens)));
}

std::string_view noun_of(const Plan& plan) {
  const bool turns =
      std::ranges::any_of(plan.classes, [](const auto& c) { return c.prompts.conversations(); });
  return turns ? "conversation" : "request";
}

std::string money(double amount) { return fmt::format("${}", format_number(amount)); }

/// The part of the use that has no price.
std::string_view unpriced_words(const PlannedUse& use, const Prices& prices) {
  if (!prices.output_per_million && use.output > 0)
    return " for the prompts; the price of the output is not known (--price-output)";
  if (!prices.input_per_million && use.prompt > 0)
    return " for the output; the price of the prompts is not known (--price-input)";
  return "";
}

/// The planned time of all points; nothing: a number of requests ends one of them.
std::optional<nanoseconds> planned_time(const Sweep& sweep) {
  nanoseconds all{};
  for (const auto& load : sweep.points) {
    if (!load.duration) return std::nullopt;
    all += *load.duration + load.warmup_duration.value_or(nanoseconds(0)) + sweep.cooldown;
  }
  return all;
}

std::string hourly_cost_text(const Plan& plan, double per_hour) {
  const auto time = planned_time(plan.sweep);
  if (!time) return fmt::format("{} an hour", money(per_hour));
  const double hours = std::chrono::duration<double, std::ratio<3600>>(*time).count();
  return fmt::format("about {} for {}, at {} an hour", money(per_hour * hours), format_duration(*time),
                     money(per_hour));
}

}  // namespace

bool is_synthetic(const Prompts& prompts) { return prompts.prompts.empty() && prompts.file.empty(); }

Endpoint endpoint_of(const Target& target) {
  if (target.url.empty()) return target.endpoint.value_or(Endpoint::chat);
  return resolve_target_url(target.url, target.endpoint, target.api_version).endpoint;
}

std::string planned_tokens_text(const Plan& plan, const Target& target, Items items, Stamps stamps) {
  const PlannedUse use = planned_use(plan, target, items, stamps);
  const std::string tokens =
      fmt::format("{}{} prompt + {} {} output tokens", use.drawn ? "about " : "", count_text(use.prompt),
                  use.output_drawn ? "about" : "up to", count_text(use.output));
  if (!use.counted)
    return fmt::format("{} a {}; how many are sent depends on the server", tokens, noun_of(plan));
  return fmt::format("{}, in {} {}s with warm-up", tokens, count_text(use.requests), noun_of(plan));
}

std::string planned_cost_text(const Plan& plan, const Target& target, Items items, Stamps stamps) {
  const Prices& prices = target.prices;
  if (prices.per_hour) return hourly_cost_text(plan, *prices.per_hour);
  if (!prices.any())
    return "not known: no prices are given (--price-input, --price-output, --price-per-hour)";
  const PlannedUse use = planned_use(plan, target, items, stamps);
  const double cost = most_token_cost(use.prompt, use.output, prices);
  const bool mean = use.drawn || use.output_drawn;
  return fmt::format("{} {}{}{}", mean ? "about" : "up to", money(cost),
                     use.counted ? "" : fmt::format(" a {}", noun_of(plan)), unpriced_words(use, prices));
}

}  // namespace infermeter
