// What a body asks to be answered: prompts, inputs or messages as tokens. Throws ApiProblem as
// json_fields.hpp says.
#pragma once

#include "sim/api/json_fields.hpp"

namespace infermeter::sim {

/// Fills `prompts` and `texts` of a request whose endpoint is known.
void read_prompts(const Json& body, ApiRequest& request);
/// The name of the field that they are in.
const char* prompt_field(Endpoint endpoint);

}  // namespace infermeter::sim
