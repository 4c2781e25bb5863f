#include "cli/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "cli/options/plan_values.hpp"
#include "cli/planned_load.hpp"
#include "cli/planned_use.hpp"
#include "cli/sweep_rows.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "io/files/item_file.hpp"
#include "model/load.hpp"
#include "model/target_url.hpp"
#include "protocol/endpoints/traits.hpp"
#include "protocol/request/body.hpp"
#include "protocol/request/shape.hpp"
#include "report/media/media.hpp"
#include "workload/data/data_formats.hpp"
#include "workload/request_source.hpp"
#include "workload/schedule/arrivals.hpp"
#include "workload/synthetic/lengths.hpp"

namespace infermeter {
namespace {

using Stamps = std::span<const nanoseconds>;

std::string tokens_text(const Lengths& lengths) {
  const std::uint32_t sole = lengths.sole();
  return sole > 0 ? format_count(sole) : lengths_text(lengths);
}

std::string source_text(const Prompts& prompts, bool shaped) {
  if (prompts.source == "prompt") return "the given text";
  if (!prompts.file.empty()) return prompts.file + (prompts.skip_bad_lines ? ", bad lines skipped" : "");
  if (!prompts.prompts.empty())
    return fmt::format("{} of {}, in turn", format_count(prompts.prompts.size()), prompts.source);
  const std::string length = shaped ? "of the shape's" : tokens_text(prompts.input_tokens);
  return fmt::format("synthetic, {}{} tokens{}", prompts.calibrate ? "" : "about ", length,
                     prompts.calibrate ? ", calibrated against the server" : "");
}

std::string sharing_lines(const Prompts& prompts) {
  std::string out;
  if (prompts.shared_prefix_tokens > 0)
    out +=
        plan_line("Prefix", fmt::format("{} tokens shared, {}{}", format_count(prompts.shared_prefix_tokens),
                                        counted(prompts.prefix_groups, "group"),
                                        prompts.prime ? ", sent once before the run" : ""));
  if (prompts.prompt_reuse > 1)
    out += plan_line(
        "Reuse", fmt::format("each prompt {} times: cold, then warm", format_count(prompts.prompt_reuse)));
  if (prompts.batch > 1)
    out += plan_line("Batch", fmt::format("{} texts in a request", format_count(prompts.batch)));
  if (prompts.images > 0)
    out += plan_line("Images", fmt::format("{} of {}x{}", format_count(prompts.images), prompts.image_width,
                                           prompts.image_height));
  return out;
}

std::string conversation_lines(const Prompts& prompts) {
  std::string out;
  if (prompts.conversations())
    out += plan_line("Turns", fmt::format("{} per conversation, {} between", lengths_text(prompts.turns),
                                          durations_text(prompts.think_time)));
  if (!prompts.session_header.empty()) out += plan_line("Session", prompts.session_header + ": its id");
  if (prompts.session_connection) out += plan_line("Session", "keeps its connection");
  return out;
}

std::string prompt_lines(const Prompts& prompts, bool shaped) {
  std::string out = plan_line("Prompts", source_text(prompts, shaped));
  if (!prompts.nonce.empty()) out += plan_line("Nonce", prompts.nonce);
  return out + sharing_lines(prompts) + conversation_lines(prompts);
}

std::string cancel_line(const Cancel& cancel) {
  if (!cancel.any()) return {};
  const std::string when =
      cancel.after ? format_duration(*cancel.after) : counted(cancel.after_tokens, "token");
  return plan_line("Cancel",
                   fmt::format("after {}, {} % of the requests", when, format_number(cancel.share * 100)));
}

std::string share_text(const TrafficClass& traffic) {
  std::string text = "a share of " + format_number(traffic.share);
  if (traffic.rate) text = format_number(*traffic.rate) + " requests per second of its own";
  if (traffic.concurrency)
    text = fmt::format("concurrency {} of its own", format_count(*traffic.concurrency));
  return text + (traffic.probe ? ", a probe" : "");
}

constexpr std::string_view kSimulator = "infermeter-sim";
constexpr std::string_view kLikely = "";  // unknown: preflight tries the most common fields

bool forces_length(bool sim, const TrafficClass& traffic) {
  return traffic.answers.exact_output.value_or(sim && is_synthetic(traffic.prompts));
}

struct PlannedShape {
  RequestShape shape;
  bool forced = false;  // the length of answers
};

PlannedShape planned_shape(const Plan& plan, const Target& target, const TrafficClass& traffic) {
  const std::string_view engine = plan.simulator ? kSimulator : "";
  PlannedShape planned;
  RequestShape& shape = planned.shape;
  shape = shape_of(target, traffic, endpoint_of(target), engine);
  if (shape.model.empty()) shape.model = "<model>";
  const bool sim = plan.simulator.has_value();
  if (traits_of(shape.endpoint).generates && forces_length(sim, traffic))
    planned.forced = force_length(shape, target.facts, sim ? kSimulator : kLikely,
                                  traffic.answers.exact_output.has_value());
  return planned;
}

std::string forced_words(const Plan& plan, const TrafficClass& traffic) {
  const auto& exact = traffic.answers.exact_output;
  if (!exact) return is_synthetic(traffic.prompts) ? ", forced where the server is known to take it" : "";
  const auto forced = std::ranges::count_if(plan.targets, [&](const Target& target) {
    return *exact && planned_shape(plan, target, traffic).forced;
  });
  if (forced == 0) return "";
  return std::cmp_equal(forced, plan.targets.size()) ? ", forced" : ", forced where the vendor takes it";
}

/// Nothing for endpoints without generated answers.
std::string answer_line(const Plan& plan, const TrafficClass& traffic, bool shaped) {
  const Answers& answers = traffic.answers;
  const bool generated = std::ranges::any_of(
      plan.targets, [](const Target& target) { return traits_of(endpoint_of(target)).generates; });
  if (!generated) return {};
  const std::string most = shaped ? "the shape's" : tokens_text(answers.output_tokens);
  return plan_line("Answers", fmt::format("up to {} tokens{}, {}", most, forced_words(plan, traffic),
                                          answers.stream ? "streamed" : "whole"));
}

std::string class_lines(const Plan& plan, const TrafficClass& traffic, bool shaped) {
  std::string out;
  if (!traffic.name.empty())
    out += plan_line("Class", fmt::format("{}: {}", traffic.name, share_text(traffic)));
  if (!traffic.model.empty()) out += plan_line("Model", traffic.model);
  for (const auto& [name, value] : traffic.headers) out += plan_line("Header", name + ": ****");
  out += prompt_lines(traffic.prompts, shaped) + answer_line(plan, traffic, shaped) +
         cancel_line(traffic.cancel);
  for (const auto& slo : traffic.slos) out += plan_line("SLO", slo.text);
  return out;
}

std::string traffic_lines(const Plan& plan) {
  std::string out;
  const bool shaped = plan.sweep.points.front().shape.has_value();
  for (const auto& traffic : plan.classes) out += class_lines(plan, traffic, shaped);
  return out;
}

/// What the vendors do not take of what was asked for; with --strict an error, as in the run.
std::string left_out_lines(const Plan& plan) {
  std::vector<std::string> notes;
  for (const auto& target : plan.targets) {
    for (const auto& traffic : plan.classes) {
      for (const auto& note : planned_shape(plan, target, traffic).shape.notes) {
        if (plan.strict) throw UsageError(fmt::format("--strict: {}", note));
        if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
      }
    }
  }
  std::string out;
  for (const auto& note : notes) out += plan_line("Note", note);
  return out;
}

Request first_request(const Load& load, const TrafficClass& traffic,
                      std::shared_ptr<const ItemSource> items) {
  const Prompts& prompts = traffic.prompts;
  const auto source =
      make_request_source({.prompts = prompts,
                           .input_tokens = load.shape ? load.shape->first : prompts.input_tokens,
                           .output_tokens = load.shape ? load.shape->second : traffic.answers.output_tokens,
                           .seed = load.seed,
                           .nonce = prompts.nonce,
                           .in_flight = load.concurrency,
                           .items = std::move(items)});
  return source->request(0, 0);
}

std::string title_of(const Plan& plan, const Target& target, const TrafficClass& traffic) {
  std::string title = "Body of the first request";
  if (!traffic.name.empty()) title += fmt::format(", class {}", traffic.name);
  if (plan.targets.size() > 1) title += fmt::format(", to {}", target.name);
  return title;
}

/// One body for each class and target; targets that receive the same body share it. `items` are those of the
/// classes' data files, null for a class without one. Throws for errors that only building a body shows: an
/// --extra-body that is not an object, a prompt shorter than its fixed parts.
std::string first_bodies(const Plan& plan, const std::vector<std::shared_ptr<const ItemSource>>& items) {
  std::string out;
  for (std::size_t i = 0; i < plan.classes.size(); ++i) {
    const TrafficClass& traffic = plan.classes[i];
    const Request first = first_request(plan.sweep.points.front(), traffic, items[i]);
    std::vector<std::string> shown;
    for (const auto& target : plan.targets) {
      const std::string body = BodyTemplate(planned_shape(plan, target, traffic).shape).body(first);
      if (std::ranges::find(shown, body) != shown.end()) continue;
      out += fmt::format("\n{}\n{}\n", terminal_text(title_of(plan, target, traffic), false),
                         terminal_json(body));
      shown.push_back(body);
    }
  }
  return out;
}

std::string place_of(const Plan& plan, const Target& target) {
  if (plan.simulator) return fmt::format("built-in simulator, {}", plan.simulator->preset);
  const std::string url = resolve_target_url(target.url, target.endpoint, target.api_version).shown();
  const std::string name = label_or_name(target), region = target.region.empty() ? "" : ", " + target.region;
  return (name.empty() ? url : fmt::format("{}: {}", name, url)) + region;
}

std::string limit_lines(const Target& target) {
  std::string out;
  if (target.max_cost)
    out += plan_line("Limit", fmt::format("a cost of ${}", format_number(*target.max_cost)));
  if (target.max_tokens_total)
    out += plan_line("Limit", counted(*target.max_tokens_total, "token") + ", prompts and answers");
  return out;
}

std::string target_lines(const Plan& plan, const Target& target) {
  std::string out = plan_line("Target", place_of(plan, target));
  for (const auto& replica : target.replicas)
    out += plan_line("Replica", resolve_target_url(replica).shown());
  if (!plan.simulator) {
    const std::string in = target.auth_header.empty() ? "" : fmt::format(" in {}", target.auth_header);
    out += plan_line("Key", target.api_key.empty() ? "none" : fmt::format("sent{}, not shown", in));
  }
  out += plan_line("Model", !target.model.empty() ? target.model
                            : plan.simulator      ? "the preset's"
                                                  : "first of /v1/models");
  for (const auto& [header, value] : target.headers) out += plan_line("Header", header + ": ****");
  if (!target.facts.vendor.empty()) out += plan_line("Vendor", target.facts.vendor);
  if (!target.proxy.empty()) out += plan_line("Proxy", mask_url(target.proxy));
  return out + limit_lines(target);
}

std::string all_targets(const Plan& plan) {
  constexpr std::array<std::string_view, 3> kOrders{"at the same time", "in short blocks, ABBA",
                                                    "one after the other"};
  std::string out;
  if (!plan.scenario.empty()) out += plan_line("Scenario", plan.scenario);
  if (plan.targets.size() > 1)
    out += plan_line("Targets", fmt::format("{}, {}", plan.targets.size(),
                                            kOrders[static_cast<std::size_t>(plan.target_order)]));
  for (const auto& target : plan.targets) out += target_lines(plan, target);
  return out;
}

using ItemsOfClasses = std::vector<std::shared_ptr<const ItemSource>>;

/// A line for each target, or one for all if they do not differ.
std::string target_texts(const Plan& plan, std::string_view title, const std::vector<std::string>& texts) {
  if (texts.size() == 1) return plan_line(title, texts.front());
  if (std::ranges::adjacent_find(texts, std::not_equal_to<>()) == texts.end())
    return plan_line(title, "each target: " + texts.front());
  std::string out;
  for (std::size_t i = 0; i < texts.size(); ++i)
    out += plan_line(title, fmt::format("{}: {}", label_or_name(plan.targets[i]), texts[i]));
  return out;
}

std::string use_lines(const Plan& plan, const ItemsOfClasses& items, Stamps stamps) {
  std::vector<std::string> tokens, costs;
  for (const auto& target : plan.targets) {
    tokens.push_back(planned_tokens_text(plan, target, items, stamps));
    costs.push_back(planned_cost_text(plan, target, items, stamps));
  }
  return target_texts(plan, "Tokens", tokens) + target_texts(plan, "Cost", costs);
}

/// One per class; null for a class without a data file.
std::vector<std::shared_ptr<const ItemSource>> items_of(const Plan& plan) {
  std::vector<std::shared_ptr<const ItemSource>> all;
  for (const auto& traffic : plan.classes)
    all.push_back(traffic.prompts.file.empty() ? nullptr : open_items(traffic.prompts).items);
  return all;
}

std::vector<nanoseconds> stamps_of(const Plan& plan,
                                   const std::vector<std::shared_ptr<const ItemSource>>& items) {
  if (plan.sweep.points.front().arrival != Arrival::trace) return {};
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i]) return trace_stamps(*items[i], plan.classes[i].prompts.file);
  }
  return {};
}

}  // namespace

std::string dry_run_text(const Plan& plan) {
  const bool turns =
      std::ranges::any_of(plan.classes, [](const auto& c) { return c.prompts.conversations(); });
  std::string out = "Plan, nothing is sent\n" + all_targets(plan);
  if (!plan.shard.whole())
    out += plan_line("Shard", fmt::format("{} of {}, from 0; the load below is the whole", plan.shard.rank,
                                          plan.shard.of));
  if (plan.start_at_unix_ms) out += plan_line("Start", utc_text(*plan.start_at_unix_ms));
  const auto items = items_of(plan);
  const auto stamps = stamps_of(plan, items);
  out += load_lines(plan.sweep, turns ? "conversation" : "request", stamps);
  if (const auto words = too_few_requests_words(plan); !words.empty()) out += plan_line("Note", words);
  out += traffic_lines(plan) + use_lines(plan, items, stamps) + left_out_lines(plan);
  for (const auto& assertion : plan.asserts) out += plan_line("Assert", assertion.text);
  out += plan_line("Result",
                   plan.output.directory.empty() ? "results/<UTC time>-<model>" : plan.output.directory);
  out += plan_line("Command", plan.command_line);
  return out + first_bodies(plan, items);
}

}  // namespace infermeter
