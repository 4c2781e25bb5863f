#include "dry_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "infermeter/base/units.hpp"
#include "infermeter/model/target_url.hpp"
#include "infermeter/protocol/request_body.hpp"
#include "infermeter/workload/arrivals.hpp"
#include "infermeter/workload/prompts.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kShownArrivals = 5;

std::string line(std::string_view title, std::string_view text) {
  return fmt::format("  {:<10} {}\n", title, text);
}

double seconds(nanoseconds offset) { return static_cast<double>(offset.count()) / 1e9; }

std::string target_lines(const RunRequest& request) {
  const Target& target = request.plan.targets.front();
  std::string out;
  if (request.sim) {
    out += line("Target", fmt::format("built-in simulator, {}", request.sim_preset));
  } else {
    out += line("Target", resolve_target_url(target.url).shown());
    out += line("Key", target.api_key.empty() ? "none" : "sent, not shown");
  }
  out += line("Model", !target.model.empty() ? target.model
                       : request.sim         ? "the preset's"
                                             : "first of /v1/models");
  for (const auto& [name, value] : target.headers) out += line("Header", name + ": ****");
  if (!target.proxy.empty()) out += line("Proxy", mask_url(target.proxy));
  return out;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

std::string end_text(const Load& load) {
  if (!load.requests) return format_duration(*load.duration);
  const std::string requests = counted(*load.requests, "request");
  if (!load.duration) return requests;
  return fmt::format("{} or {}, whichever ends first", requests, format_duration(*load.duration));
}

std::string warmup_text(const Load& load) {
  if (load.warmup_duration) return fmt::format("{} of warm-up", format_duration(*load.warmup_duration));
  return counted(load.warmup_requests.value_or(0), "warm-up request");
}

std::string arrival_text(const Load& load) {
  if (load.arrival != Arrival::gamma) return std::string(name(load.arrival));
  return fmt::format("gamma, CV {}", format_number(load.cv));
}

std::string schedule_lines(const Load& load) {
  const Schedule schedule = make_schedule(load);
  std::string first;
  for (std::size_t i = 0; i < std::min(kShownArrivals, schedule.offsets.size()); ++i)
    first += fmt::format("{:.4f} ", seconds(schedule.offsets[i]));
  return line("Schedule",
              fmt::format("{} warm-up + {} measured requests, hash {}", format_count(schedule.warmup),
                          format_count(schedule.offsets.size() - schedule.warmup), schedule.hash)) +
         line("", fmt::format("first at {}s; measured from {:.4f} s to {:.4f} s", first,
                              seconds(schedule.measured_from), seconds(schedule.measured_to)));
}

std::string load_lines(const Load& load) {
  std::string out;
  if (load.open_loop()) {
    out += line("Load",
                fmt::format("{} requests per second, {}", format_number(*load.rate), arrival_text(load)));
    if (load.max_in_flight > 0)
      out += line("", fmt::format("at most {} in flight, then {}", format_count(load.max_in_flight),
                                  load.drop_at_cap ? "dropped" : "waiting in the client"));
  } else {
    out += line("Load", fmt::format("{} at a time", format_count(load.concurrency)));
  }
  out += line("Length", fmt::format("{} after {}", end_text(load), warmup_text(load)));
  out += load.open_loop() ? schedule_lines(load)
                          : line("Schedule", "none: a slot starts its next request as one ends");
  out += line("Workers", load.workers == 0 ? "from the load and the cores" : fmt::format("{}", load.workers));
  return out + line("Seed", fmt::format("{}", load.seed));
}

std::string prompt_lines(const Plan& plan) {
  const Prompts& prompts = plan.classes.front().prompts;
  if (!prompts.prompts.empty())
    return line("Prompts",
                prompts.source == "prompt"
                    ? "the one given"
                    : fmt::format("{} of {}, in turn", format_count(prompts.prompts.size()), prompts.source));
  return line("Prompts",
              fmt::format("synthetic, about {} tokens", format_count(prompts.input_tokens.sole()))) +
         line("Nonce", prompts.nonce);
}

std::string answer_line(const Plan& plan) {
  const auto& exact = plan.classes.front().answers.exact_output;
  const std::string_view length = exact ? (*exact ? ", forced" : "")
                                  : plan.classes.front().prompts.prompts.empty()
                                      ? ", forced where the server is known to take it"
                                      : "";
  return line("Answers", fmt::format("up to {} tokens{}, {}",
                                     format_count(plan.classes.front().answers.output_tokens.sole()), length,
                                     plan.classes.front().answers.stream ? "streamed" : "whole"));
}

/// What preflight would try first: an unknown engine is asked as vLLM is, and what it refuses is left out.
std::vector<std::string> exact_fields_of(const RunRequest& request) {
  const Plan& plan = request.plan;
  if (request.sim &&
      plan.classes.front().answers.exact_output.value_or(plan.classes.front().prompts.prompts.empty()))
    return exact_output_fields("infermeter-sim");
  return plan.classes.front().answers.exact_output.value_or(false) ? exact_output_fields("vllm")
                                                                   : std::vector<std::string>{};
}

RequestShape shape_of(const RunRequest& request) {
  const Plan& plan = request.plan;
  RequestShape shape;
  shape.endpoint = request.sim ? Endpoint::chat : resolve_target_url(plan.targets.front().url).endpoint;
  shape.model = plan.targets.front().model.empty() ? "<model>" : plan.targets.front().model;
  shape.system_prompt = plan.classes.front().prompts.system_prompt;
  shape.output_tokens = plan.classes.front().answers.output_tokens.sole();
  shape.stream = plan.classes.front().answers.stream;
  shape.exact_fields = exact_fields_of(request);
  shape.extra_body = plan.classes.front().answers.extra_body;
  return shape;
}

}  // namespace

std::string dry_run_text(const RunRequest& request) {
  const Plan& plan = request.plan;
  std::string out = "Plan, nothing is sent\n" + target_lines(request) +
                    load_lines(plan.sweep.points.front()) + prompt_lines(plan) + answer_line(plan);
  out += line("Result", plan.output.directory.empty() ? "results/<UTC time>-<model>" : plan.output.directory);
  out += line("Command", plan.command_line);
  const BodyTemplate body(shape_of(request));
  return out + "\nBody of the first request\n" +
         body.body(PromptSource(plan.classes.front().prompts, plan.sweep.points.front().seed).prompt(0)) +
         "\n";
}

}  // namespace infermeter
