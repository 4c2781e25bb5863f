// JSON objects of users and data files, and how they are merged over a body. Private to this folder, the only
// one that includes nlohmann.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace infermeter {

/// Fields keep their order: bodies are read by people.
using Json = nlohmann::ordered_json;

/// One line; invalid UTF-8 becomes U+FFFD.
std::string text_of(const Json& json);

/// White space alone is an empty object. Throws UsageError naming --extra-body if the text is not an object.
Json parse_extra(std::string_view text);

/// The extra's keys win; where both have an object, its members are merged.
void merge(Json& into, const Json& extra);

/// A text field of an object; empty if there is none.
std::string text_at(const Json& json, const char* name);

}  // namespace infermeter
