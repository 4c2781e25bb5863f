// Reads fields of a JSON object from a data file; errors name the field. Private to src/workload.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>

#include "workload/data/data_item.hpp"

namespace infermeter {

using JsonObject = simdjson::dom::object;
using JsonValue = simdjson::dom::element;

/// Valid until the next call on the same thread, which reuses the parser's buffer.
JsonObject parse_object(std::string_view text);

/// Nothing if the field is absent or null.
std::optional<JsonValue> field(const JsonObject& object, std::string_view name);

std::string_view text_field(JsonValue value, std::string_view name);
/// A whole number from `least` to 100 million, which is more tokens than any file has.
std::uint32_t count_field(JsonValue value, std::string_view name, std::uint32_t least);
/// Milliseconds since any epoch.
nanoseconds stamp_field(JsonValue value);
/// Text, or a number as text.
std::string id_field(JsonValue value, std::string_view name);
/// As compact JSON text.
std::string object_text(JsonValue value, std::string_view name);

}  // namespace infermeter
