// Reads fields of a request's JSON body; an error names the field. Inside the simulator's request parsing, a
// refused request is thrown as an ApiProblem and caught by parse_….
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "sim/api/api_request.hpp"

namespace infermeter::sim {

using Json = nlohmann::json;

[[noreturn]] void refuse(std::string message, std::string param = {});

Json parse_object(std::string_view body);
/// The field, or null where it is missing or null.
const Json* field(const Json& object, const char* name);
bool flag(const Json& object, const char* name, bool fallback = false);
std::optional<std::uint32_t> whole_number(const Json& object, const char* name, std::uint32_t least,
                                          std::uint32_t most);
/// Empty where it is missing.
std::string text_field(const Json& object, const char* name);

}  // namespace infermeter::sim
