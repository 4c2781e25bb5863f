#include "sim/http/routes.hpp"

#include <array>
#include <optional>
#include <utility>

namespace infermeter::sim {
namespace {

constexpr std::array<std::pair<std::string_view, Route::To>, 4> kOwn{{{"/tokenize", Route::To::tokenize},
                                                                      {"/health", Route::To::health},
                                                                      {"/version", Route::To::version},
                                                                      {"/metrics", Route::To::metrics}}};

// Where vLLM serves an endpoint outside /v1.
constexpr std::array<std::pair<std::string_view, Endpoint>, 2> kAliases{
    {{"/rerank", Endpoint::rerank}, {"/v2/rerank", Endpoint::rerank}}};

std::optional<std::string_view> below(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return std::nullopt;
  return path.substr(prefix.size());
}

Route api_route(std::string_view name, bool any_model) {
  Route route{.any_model = any_model, .guarded = true};
  for (const auto& row : kEndpoints) {
    if (row.path.substr(1) != name) continue;
    route.to = Route::To::generate;
    route.endpoint = row.endpoint;
  }
  if (name == "models") route.to = Route::To::models;
  if (const auto model = below(name, "models/")) {
    route.to = Route::To::one_model;
    route.model = *model;
  }
  return route;
}

// /openai/deployments/NAME/…, /openai/v1/… and, for routes without a deployment in the path, /openai/….
Route azure_route(std::string_view name) {
  if (const auto deployment = below(name, "deployments/")) {
    const auto slash = deployment->find('/');
    if (slash == std::string_view::npos) return {};
    return api_route(deployment->substr(slash + 1), true);
  }
  const auto v1 = below(name, "v1/");
  return api_route(v1.value_or(name), true);
}

}  // namespace

std::string_view path_of(std::string_view target) { return target.substr(0, target.find_first_of("?#")); }

Route route_of(std::string_view target) {
  const std::string_view path = path_of(target);
  for (const auto& [known, to] : kOwn) {
    if (known == path) return {.to = to};
  }
  for (const auto& [known, endpoint] : kAliases) {
    if (known == path) return {.to = Route::To::generate, .endpoint = endpoint, .guarded = true};
  }
  if (const auto name = below(path, "/v1/")) return api_route(*name, false);
  if (const auto name = below(path, "/openai/")) return azure_route(*name);
  return {};
}

}  // namespace infermeter::sim
