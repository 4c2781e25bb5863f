// How a body wants to be answered: length, stream, choices, log probabilities, thinking. Throws ApiProblem as
// json_fields.hpp says.
#pragma once

#include "sim/api/json_fields.hpp"

namespace infermeter::sim {

/// Fills the rest of a request whose endpoint is known.
void read_answer_fields(const Json& body, ApiRequest& request);

}  // namespace infermeter::sim
