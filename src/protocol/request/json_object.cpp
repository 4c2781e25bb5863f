#include "protocol/request/json_object.hpp"

#include <fmt/format.h>

#include "base/json_tree.hpp"
#include "base/text.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json parse_extra(std::string_view text) {
  if (trim(text).empty()) return Json::object();
  refuse_too_deep("--extra-body", text);
  Json json = json_tree<Json>(text);
  if (!json.is_object()) {
    throw UsageError(fmt::format("--extra-body: '{}' is not a JSON object",
                                 one_line(text, 100)));  // long bodies would hide the rule in the message
  }
  return json;
}

void merge(Json& into, const Json& extra) {
  for (const auto& [key, value] : extra.items()) {
    if (value.is_object() && into.contains(key) && into[key].is_object()) {
      merge(into[key], value);
    } else {
      into[key] = value;
    }
  }
}

std::string text_at(const Json& json, const char* name) {
  if (!json.is_object()) return {};
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace infermeter
