#include "sim/api/json_fields.hpp"

#include <fmt/format.h>

#include <utility>

namespace infermeter::sim {

void refuse(std::string message, std::string param) {
  throw ApiProblem{400, std::move(message), "BadRequestError", std::move(param)};
}

Json parse_object(std::string_view body) {
  Json json = Json::parse(body, nullptr, false);
  if (json.is_discarded()) refuse("the body is not JSON");
  if (!json.is_object()) refuse("the body is not a JSON object");
  return json;
}

const Json* field(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

bool flag(const Json& object, const char* name, bool fallback) {
  const Json* found = field(object, name);
  if (found == nullptr) return fallback;
  if (!found->is_boolean()) refuse(fmt::format("{} must be true or false", name), name);
  return found->get<bool>();
}

std::optional<std::uint32_t> whole_number(const Json& object, const char* name, std::uint32_t least,
                                          std::uint32_t most) {
  const Json* found = field(object, name);
  if (found == nullptr) return std::nullopt;
  const bool fits =
      found->is_number_integer() && found->get<std::int64_t>() >= least && found->get<std::int64_t>() <= most;
  if (!fits) refuse(fmt::format("{} must be a whole number from {} to {}", name, least, most), name);
  return found->get<std::uint32_t>();
}

std::string text_field(const Json& object, const char* name) {
  const Json* found = field(object, name);
  if (found == nullptr) return {};
  if (!found->is_string()) refuse(fmt::format("{} must be a string", name), name);
  return found->get<std::string>();
}

}  // namespace infermeter::sim
