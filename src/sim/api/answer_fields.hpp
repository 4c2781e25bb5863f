// Body fields that describe the answer and are shared by several endpoints. Throws ApiProblem as
// json_fields.hpp says.
#pragma once

#include "sim/api/json_fields.hpp"

namespace infermeter::sim {

/// `stream`, and its `stream_options`.
void read_stream(const Json& body, ApiRequest& request);
/// The limit of output tokens in the field `name`.
std::optional<std::uint32_t> limit_field(const Json& body, const char* name);
/// The limit, `min_tokens` and `ignore_eos`; without a limit an answer stops by itself.
void read_limits(const Json& body, std::optional<std::uint32_t> limit, ApiRequest& request);
/// `n`
void read_choices(const Json& body, ApiRequest& request);
/// The number of alternatives per log probability, from the field `name`.
std::optional<std::uint32_t> logprobs_field(const Json& body, const char* name);
/// The fields that turn reasoning on or off and set its effort, in any vendor's spelling.
void read_thinking(const Json& body, ApiRequest& request);

}  // namespace infermeter::sim
