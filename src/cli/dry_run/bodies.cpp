#include "cli/dry_run/bodies.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/target_url.hpp"
#include "protocol/endpoints/traits.hpp"
#include "protocol/request/body.hpp"
#include "protocol/request/shape.hpp"
#include "workload/request_source.hpp"

namespace infermeter {
namespace {

constexpr std::string_view kSimulator = "infermeter-sim";
constexpr std::string_view kLikely = "vllm";  // what preflight tries with an engine it does not know

bool is_synthetic(const Prompts& prompts) { return prompts.prompts.empty() && prompts.file.empty(); }

std::vector<std::string> exact_fields_of(bool sim, const TrafficClass& traffic) {
  const bool exact = traffic.answers.exact_output.value_or(sim && is_synthetic(traffic.prompts));
  return exact ? exact_output_fields(sim ? kSimulator : kLikely) : std::vector<std::string>{};
}

Endpoint endpoint_of(const Target& target) {
  if (target.url.empty()) return target.endpoint.value_or(Endpoint::chat);
  return resolve_target_url(target.url, target.endpoint, target.api_version).endpoint;
}

BodyTemplate body_of(const RunRequest& request, const Target& target, const TrafficClass& traffic) {
  const std::string_view engine = request.sim ? kSimulator : "";
  RequestShape shape = shape_of(target, traffic, endpoint_of(target), engine);
  if (shape.model.empty()) shape.model = "<model>";
  if (traits_of(shape.endpoint).generates) shape.exact_fields = exact_fields_of(request.sim, traffic);
  return BodyTemplate(shape);
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

}  // namespace

std::string first_bodies(const RunRequest& request,
                         const std::vector<std::shared_ptr<const ItemSource>>& items) {
  const Plan& plan = request.plan;
  std::string out;
  for (std::size_t i = 0; i < plan.classes.size(); ++i) {
    const TrafficClass& traffic = plan.classes[i];
    const Request first = first_request(plan.sweep.points.front(), traffic, items[i]);
    std::vector<std::string> shown;
    for (const auto& target : plan.targets) {
      const std::string body = body_of(request, target, traffic).body(first);
      if (std::ranges::find(shown, body) != shown.end()) continue;
      out += fmt::format("\n{}\n{}\n", title_of(plan, target, traffic), body);
      shown.push_back(body);
    }
  }
  return out;
}

}  // namespace infermeter
