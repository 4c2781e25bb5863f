// What a body asks of its answer, as several endpoints have it. Throws ApiProblem as json_fields.hpp says.
#pragma once

#include "sim/api/json_fields.hpp"

namespace infermeter::sim {

/// `stream`, and its `stream_options`.
void read_stream(const Json& body, ApiRequest& request);
/// A limit of output tokens under that name.
std::optional<std::uint32_t> limit_field(const Json& body, const char* name);
/// The limit, `min_tokens` and `ignore_eos`; without a limit an answer stops by itself.
void read_limits(const Json& body, std::optional<std::uint32_t> limit, ApiRequest& request);
/// `n`
void read_choices(const Json& body, ApiRequest& request);
/// How many alternatives a log probability has, under that name.
std::optional<std::uint32_t> logprobs_field(const Json& body, const char* name);
/// The switches of thinking and its effort, in any vendor's words.
void read_thinking(const Json& body, ApiRequest& request);

}  // namespace infermeter::sim
