#include "workload/data/json_fields.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/json_scan.hpp"

namespace infermeter {
namespace {

constexpr std::uint32_t kMostTokens = 100'000'000;
constexpr double kMostMilliseconds = 9e12;  // in nanoseconds it still fits into 64 bits

[[noreturn]] void refuse_field(std::string_view name, std::string_view rule) {
  throw BadItem(fmt::format("`{}` is not {}", name, rule));
}

}  // namespace

JsonObject parse_object(std::string_view text) {
  thread_local simdjson::dom::parser parser;
  JsonValue value;
  JsonObject object;
  const auto error = json_scan(parser, text, value);
  if (error == simdjson::DEPTH_ERROR) throw BadItem("is " + too_deep_words(json_levels(text)));
  if (error != simdjson::SUCCESS || value.get(object) != simdjson::SUCCESS)
    throw BadItem("is not a JSON object");
  return object;
}

std::optional<JsonValue> field(const JsonObject& object, std::string_view name) {
  JsonValue value;
  if (object[name].get(value) != simdjson::SUCCESS || value.is_null()) return std::nullopt;
  return value;
}

std::string_view text_field(JsonValue value, std::string_view name) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) refuse_field(name, "text");
  if (text.empty()) throw BadItem(fmt::format("`{}` is empty", name));
  return text;
}

std::uint32_t count_field(JsonValue value, std::string_view name, std::uint32_t least) {
  // Some programs write 128.0 for 128.
  double number = 0;
  if (value.get(number) != simdjson::SUCCESS || number != std::floor(number) || number < least ||
      number > kMostTokens) {
    refuse_field(name, fmt::format("a whole number from {}", least));
  }
  return static_cast<std::uint32_t>(number);
}

nanoseconds stamp_field(JsonValue value) {
  double milliseconds = 0;
  if (value.get(milliseconds) != simdjson::SUCCESS || std::abs(milliseconds) > kMostMilliseconds)
    refuse_field("timestamp", "a number of milliseconds");
  // Whole and fraction are separate, because a double holds an epoch in nanoseconds only to some hundreds of
  // them.
  const double whole = std::floor(milliseconds);
  return std::chrono::milliseconds(static_cast<std::int64_t>(whole)) +
         nanoseconds(std::llround((milliseconds - whole) * 1e6));
}

std::string id_field(JsonValue value, std::string_view name) {
  if (value.is_string()) return std::string(text_field(value, name));
  if (!value.is_number()) refuse_field(name, "text or a number");
  return simdjson::minify(value);
}

std::string object_text(JsonValue value, std::string_view name) {
  if (!value.is_object()) refuse_field(name, "an object");
  return simdjson::minify(value);
}

}  // namespace infermeter
