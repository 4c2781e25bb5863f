// Maps paths to routes. Pure; any thread.
#pragma once

#include <string_view>

#include "infermeter/model/plan.hpp"

namespace infermeter::sim {

struct Route {
  enum class To { nothing, generate, tokenize, models, one_model, health, version, metrics };
  To to = To::nothing;
  Endpoint endpoint = Endpoint::chat;  // for `generate`
  bool any_model = false;              // the path names the model: an Azure deployment
  bool guarded = false;                // needs a key if keys are required: paths below /v1
  std::string_view model = {};         // for `one_model`
  bool takes_post() const { return to == To::generate || to == To::tokenize; }
};

/// The path of a request target, without its query.
std::string_view path_of(std::string_view target);
/// OpenAI's and Anthropic's paths below /v1, Azure's below /openai, and the server's own.
Route route_of(std::string_view target);

}  // namespace infermeter::sim
