// Fields of a JSON object as data files have them; the errors name the field. Private to src/workload.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>

#include "workload/data/data_item.hpp"

namespace infermeter {

using JsonObject = simdjson::dom::object;
using JsonValue = simdjson::dom::element;

/// Valid until the next call on the same thread: its parser keeps what it has grown to.
JsonObject parse_object(std::string_view text);

/// Nothing where the field is absent or null.
std::optional<JsonValue> field(const JsonObject& object, std::string_view name);

std::string_view text_field(JsonValue value, std::string_view name);
/// A whole number from `least` up to 100 million, which is more tokens than there are.
std::uint32_t count_field(JsonValue value, std::string_view name, std::uint32_t least);
/// Milliseconds, from an epoch of any kind.
nanoseconds stamp_field(JsonValue value);
/// Text, or a number as text.
std::string id_field(JsonValue value, std::string_view name);
/// As JSON text of the fewest bytes.
std::string object_text(JsonValue value, std::string_view name);

}  // namespace infermeter
