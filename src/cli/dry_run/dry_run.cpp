#include "cli/dry_run/dry_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/dry_run/bodies.hpp"
#include "cli/dry_run/load.hpp"
#include "cli/dry_run/traffic.hpp"
#include "cli/options/start_time.hpp"
#include "infermeter/base/units.hpp"
#include "io/files/item_file.hpp"
#include "model/target_url.hpp"
#include "workload/data/trace.hpp"

namespace infermeter {
namespace {

std::string place_of(const RunRequest& request, const Target& target) {
  if (request.sim) return fmt::format("built-in simulator, {}", request.sim_preset);
  const std::string url = resolve_target_url(target.url, target.endpoint, target.api_version).shown();
  return target.name.empty() ? url : fmt::format("{}: {}", target.name, url);
}

std::string limit_lines(const Target& target) {
  std::string out;
  if (target.max_cost)
    out += plan_line("Limit", fmt::format("a cost of {}", format_number(*target.max_cost)));
  if (target.max_tokens_total)
    out += plan_line("Limit", counted(*target.max_tokens_total, "token") + ", prompts and answers");
  return out;
}

std::string target_lines(const RunRequest& request, const Target& target) {
  std::string out = plan_line("Target", place_of(request, target));
  for (const auto& replica : target.replicas)
    out += plan_line("Replica", resolve_target_url(replica).shown());
  if (!request.sim) {
    const std::string in = target.auth_header.empty() ? "" : fmt::format(" in {}", target.auth_header);
    out += plan_line("Key", target.api_key.empty() ? "none" : fmt::format("sent{}, not shown", in));
  }
  out += plan_line("Model", !target.model.empty() ? target.model
                            : request.sim         ? "the preset's"
                                                  : "first of /v1/models");
  for (const auto& [header, value] : target.headers) out += plan_line("Header", header + ": ****");
  if (!target.proxy.empty()) out += plan_line("Proxy", mask_url(target.proxy));
  return out + limit_lines(target);
}

std::string all_targets(const RunRequest& request) {
  const Plan& plan = request.plan;
  constexpr std::array<std::string_view, 3> kOrders{"at the same time", "in short blocks, ABBA",
                                                    "one after the other"};
  std::string out;
  if (!plan.scenario.empty()) out += plan_line("Scenario", plan.scenario);
  if (plan.targets.size() > 1)
    out += plan_line("Targets", fmt::format("{}, {}", plan.targets.size(),
                                            kOrders[static_cast<std::size_t>(plan.target_order)]));
  for (const auto& target : plan.targets) out += target_lines(request, target);
  return out;
}

/// Of each class; null for one without a data file.
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

std::string dry_run_text(const RunRequest& request) {
  const Plan& plan = request.plan;
  const bool turns =
      std::ranges::any_of(plan.classes, [](const auto& c) { return c.prompts.conversations(); });
  std::string out = "Plan, nothing is sent\n" + all_targets(request);
  if (!plan.shard.whole())
    out += plan_line(
        "Shard", fmt::format("{} of {}, from 0; below is the whole load", plan.shard.rank, plan.shard.of));
  if (plan.start_at_unix_ms) out += plan_line("Start", utc_text(*plan.start_at_unix_ms));
  const auto items = items_of(plan);
  out += load_lines(plan.sweep, turns ? "conversation" : "request", stamps_of(plan, items));
  out += traffic_lines(plan);
  for (const auto& assertion : plan.asserts) out += plan_line("Assert", assertion.text);
  out += plan_line("Result",
                   plan.output.directory.empty() ? "results/<UTC time>-<model>" : plan.output.directory);
  out += plan_line("Command", plan.command_line);
  return out + first_bodies(request, items);
}

}  // namespace infermeter
