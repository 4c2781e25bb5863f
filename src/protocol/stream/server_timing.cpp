#include "protocol/stream/server_timing.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/json_tree.hpp"
#include "base/text.hpp"
#include "protocol/stream/answer_bounds.hpp"

namespace infermeter {
namespace {

constexpr std::array<std::string_view, 10> kTimingHeaders{
    "openai-processing-ms", "x-compute-time",       "x-total-time",     "x-validation-time",
    "x-queue-time",         "x-inference-time",     "x-time-per-token", "x-prompt-tokens",
    "x-generated-tokens",   "endpoint-load-metrics"};

constexpr std::size_t kMostHeaders = 32;  // a server cannot fill the records
constexpr std::size_t kHeaderBytes = 256;

bool carries_timing(std::string_view name) {
  return name.starts_with("fireworks-") ||
         std::find(kTimingHeaders.begin(), kTimingHeaders.end(), name) != kTimingHeaders.end();
}

// Reuses existing strings: timings that come with every event must not allocate each time.
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

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

/// Which server reports which time where: paths of member names separated by '/'; empty: not reported.
struct Source {
  std::string_view name;
  std::string_view probe;  // if this member exists, the times are from this server
  double to_ms;
  std::string_view queue, prefill, decode, ttft;
};

constexpr double kSecond = 1e3, kMillisecond = 1, kNanosecond = 1e-6;

// STREAMING.md, section 2. Omitted: times whose meaning servers do not document (totals, NIM's and Fireworks'
// generation time, openai-processing-ms, which is measured when the headers are sent).
constexpr std::array<Source, 15> kSources{
    {// Its "time to first token" counts from when it was scheduled: that is the prefill.
     {"vllm metrics", "metrics", kMillisecond, "metrics/queue_time_ms", "metrics/time_to_first_token_ms",
      "metrics/generation_time_ms", ""},
     {"cerebras time_info", "time_info", kSecond, "time_info/queue_time", "time_info/prompt_time",
      "time_info/completion_time", ""},
     {"groq usage", "prompt_time", kSecond, "queue_time", "prompt_time", "completion_time", ""},
     {"llama.cpp timings", "timings", kMillisecond, "", "timings/prompt_ms", "timings/predicted_ms", ""},
     {"nim stats", "stats/time_in_queue_in_ms", kMillisecond, "stats/time_in_queue_in_ms", "", "",
      "stats/response_tokens/time_to_first_token_in_ms"},
     {"lm studio stats", "stats/time_to_first_token_seconds", kSecond, "", "", "",
      "stats/time_to_first_token_seconds"},
     {"lm studio stats", "stats/time_to_first_token", kSecond, "", "", "", "stats/time_to_first_token"},
     {// Its request_received_ms is an instant, not a duration.
      "dynamo nvext.timing", "nvext.timing", kMillisecond, "nvext.timing/prefill_wait_time_ms",
      "nvext.timing/prefill_time_ms", "", "nvext.timing/ttft_ms"},
     {"fireworks perf_metrics", "perf_metrics", kSecond, "", "", "",
      "perf_metrics/server-time-to-first-token"},
     {"fireworks headers", "headers/fireworks-server-time-to-first-token", kSecond, "", "", "",
      "headers/fireworks-server-time-to-first-token"},
     {"sambanova usage", "time_to_first_token", kSecond, "", "", "", "time_to_first_token"},
     {"mlc usage.extra", "extra/ttft_s", kSecond, "", "", "", "extra/ttft_s"},
     {"ollama", "eval_duration", kNanosecond, "", "prompt_eval_duration", "eval_duration", ""},
     {"sglang meta_info", "meta_info/queue_time", kSecond, "meta_info/queue_time", "", "", ""},
     {"tgi headers", "headers/x-queue-time", kMillisecond, "headers/x-queue-time", "", "", ""}}};

const Json* at_path(const Json& json, std::string_view path) {
  const Json* here = &json;
  while (!path.empty()) {
    const auto name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(name.size() + 1, path.size()));
    if (!here->is_object()) return nullptr;
    const auto found = here->find(std::string(name));
    if (found == here->end()) return nullptr;
    here = &*found;
  }
  return here;
}

// A number, or text that begins with one: headers are text, and Fireworks' values may be text too.
std::optional<double> number_of(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (!json.is_string()) return std::nullopt;
  const auto& text = json.get_ref<const std::string&>();
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

std::optional<double> time_at(const Json& json, std::string_view path, double to_ms) {
  const Json* const found = path.empty() ? nullptr : at_path(json, path);
  const auto value = found == nullptr ? std::nullopt : number_of(*found);
  return value ? std::optional(*value * to_ms) : std::nullopt;
}

bool are_possible(const ServerTimes& times, double most_ms) {
  const auto possible = [most_ms](const std::optional<double>& ms) {
    return !ms || (*ms >= 0 && *ms <= most_ms);  // false for NaN
  };
  return possible(times.queue_ms) && possible(times.prefill_ms) && possible(times.decode_ms) &&
         possible(times.ttft_ms);
}

ServerTimes read_times(const Source& source, const Json& json) {
  ServerTimes out;
  out.queue_ms = time_at(json, source.queue, source.to_ms);
  out.prefill_ms = time_at(json, source.prefill, source.to_ms);
  out.decode_ms = time_at(json, source.decode, source.to_ms);
  out.ttft_ms = time_at(json, source.ttft, source.to_ms);
  if (!out.ttft_ms && out.queue_ms && out.prefill_ms) out.ttft_ms = *out.queue_ms + *out.prefill_ms;
  if (out.any()) out.from = source.name;
  return out;
}

}  // namespace

void ServerTiming::add_field(std::string_view name, std::string_view json) { put(fields_, name, json); }

void ServerTiming::add_header(std::string_view name, std::string_view value, const Secrets& secrets) {
  if (!carries_timing(name) || headers_.size() >= kMostHeaders) return;
  const std::string shown = is_decimal(value) ? std::string(value) : secrets.mask(std::string(value));
  put(headers_, secrets.mask_written(std::string(name)), shown.substr(0, kHeaderBytes));
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
  if (json.empty() || json.size() > kMostRawBytes || is_too_deep(json, kMostRawLevels) || !is_json(json))
    return {};
  if (json.find_first_of("\r\n") == std::string_view::npos) return std::string(json);
  return json_tree<OrderedJson>(json).dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string overlaid_json(std::string_view object, std::string_view over) {
  OrderedJson out = json_tree<OrderedJson>(object, kMostRawLevels);
  const OrderedJson next = json_tree<OrderedJson>(over, kMostRawLevels);
  if (!out.is_object()) return compact_json(over);
  if (next.is_object()) out.update(next);
  return out.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::optional<ServerTimes> server_times(std::string_view server_json, double most_ms) {
  if (server_json.empty()) return ServerTimes{};
  const Json json = json_tree<Json>(server_json);
  for (const auto& source : kSources) {
    if (at_path(json, source.probe) == nullptr) continue;
    const ServerTimes out = read_times(source, json);
    if (!are_possible(out, most_ms)) return std::nullopt;
    if (out.any()) return out;
  }
  return ServerTimes{};
}

}  // namespace infermeter
