// The requests of a target and a traffic class, in the format of an endpoint. Pure; any thread.
#pragma once

#include <string_view>

#include "infermeter/model/plan.hpp"
#include "protocol/request/body.hpp"

namespace infermeter {

/// Everything except the exact lengths, which preflight decides. `engine` as returned by engine_name();
/// empty: unknown. Throws UsageError for what the endpoint does not support (tools for embeddings), and for
/// tools, schemas and extra bodies that are not JSON of the right form.
///
/// The target's facts name the limit field and the fields that are never sent; what was asked for and needs
/// one of these is a note of the shape.
///
/// Thinking is turned on and off by the target's facts, else by
///   chat, engines with chat templates   chat_template_kwargs {"enable_thinking":…,"thinking":…}: models
///                                       differ in the name, and a template ignores names it does not know
///   chat, LMDeploy                      enable_thinking
///   chat, others; responses             reasoning_effort, reasoning.effort: "none", or the effort, else
///                                       "medium"
///   messages                            thinking {"type":"enabled","budget_tokens":…} or "disabled"
/// and otherwise by the extra body, which wins.
RequestShape shape_of(const Target& target, const TrafficClass& traffic, Endpoint endpoint,
                      std::string_view engine = {});

/// Two extra bodies as one; the keys of the higher one win. Throws UsageError for what is no JSON object.
std::string joined_extra(const std::string& lower, const std::string& higher);

/// Throws UsageError "<what>: '<text>' is not a JSON object".
void refuse_no_object(std::string_view what, std::string_view text);

}  // namespace infermeter
