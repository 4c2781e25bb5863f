#include "protocol/stream/server_timing.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace infermeter {
namespace {

constexpr std::array<std::string_view, 10> kTimingHeaders{
    "openai-processing-ms", "x-compute-time",       "x-total-time",     "x-validation-time",
    "x-queue-time",         "x-inference-time",     "x-time-per-token", "x-prompt-tokens",
    "x-generated-tokens",   "endpoint-load-metrics"};

bool carries_timing(std::string_view name) {
  return name.starts_with("fireworks-") ||
         std::find(kTimingHeaders.begin(), kTimingHeaders.end(), name) != kTimingHeaders.end();
}

// Reuses the strings it has: timings that come with every event must not allocate each time.
void put(std::vector<std::pair<std::string, std::string>>& all, std::string_view name,
         std::string_view value) {
  for (auto& [kept_name, kept_value] : all) {
    if (kept_name == name) {
      kept_value.assign(value);
      return;
    }
  }
  all.emplace_back(name, value);
}

void append_member(std::string& out, std::string_view name, std::string_view json) {
  if (out.size() > 1) out += ',';
  out += '"';
  append_json_escaped(out, name);
  out += "\":";
  out += json;
}

std::string headers_json(const std::vector<std::pair<std::string, std::string>>& headers) {
  std::string out = "{";
  for (const auto& [name, value] : headers) {
    std::string text = "\"";
    append_json_escaped(text, value);
    append_member(out, name, text + '"');
  }
  return out + '}';
}

}  // namespace

void ServerTiming::add_field(std::string_view name, std::string_view json) { put(fields_, name, json); }

void ServerTiming::add_header(std::string_view name, std::string_view value) {
  if (carries_timing(name)) put(headers_, name, value);
}

std::string ServerTiming::json() const {
  std::string out = "{";
  for (const auto& [name, raw] : fields_) {
    const auto value = compact_json(raw);
    if (!value.empty()) append_member(out, name, value);
  }
  if (!headers_.empty()) append_member(out, "headers", headers_json(headers_));
  return out.size() > 1 ? out + '}' : std::string();
}

std::string compact_json(std::string_view json) {
  using Json = nlohmann::ordered_json;
  if (json.empty() || !Json::accept(json)) return {};
  if (json.find_first_of("\r\n") == std::string_view::npos) return std::string(json);
  return Json::parse(json).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string overlaid_json(std::string_view object, std::string_view over) {
  using Json = nlohmann::ordered_json;
  Json out = Json::parse(object, nullptr, false);
  const Json next = Json::parse(over, nullptr, false);
  if (!out.is_object()) return compact_json(over);
  if (next.is_object()) out.update(next);
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace infermeter
