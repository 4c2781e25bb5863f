// What a target and a class of traffic ask for, in the words of an endpoint. Pure; any thread.
#pragma once

#include <string_view>

#include "infermeter/model/plan.hpp"
#include "protocol/request/body.hpp"

namespace infermeter {

/// Everything but the exact lengths, which preflight decides. `engine` as engine_name() says it; empty:
/// unknown. Throws UsageError for what the endpoint has no words for (tools for embeddings), and for tools,
/// schemas and extra bodies that are no JSON of the right form.
///
/// Thinking is turned on and off by
///   chat, engines with chat templates   chat_template_kwargs {"enable_thinking":…,"thinking":…}: models
///                                       differ in the name, and a template passes over what it does not know
///   chat, others; responses             reasoning_effort, reasoning.effort: "none", or the effort, else
///                                       "medium"
///   messages                            thinking {"type":"enabled","budget_tokens":…} or "disabled"
/// and anything else by the extra body, which wins.
RequestShape shape_of(const Target& target, const TrafficClass& traffic, Endpoint endpoint,
                      std::string_view engine = {});

}  // namespace infermeter
