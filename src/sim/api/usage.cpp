#include "sim/api/usage.hpp"

#include <fmt/format.h>

#include <iterator>

namespace infermeter::sim {
namespace {

double milliseconds(nanoseconds d) { return static_cast<double>(d.count()) / 1e6; }
double seconds(nanoseconds d) { return static_cast<double>(d.count()) / 1e9; }

// Times that some vendors add; Groq's total excludes the queue.
void append_extras(std::string& json, const Usage& usage) {
  const auto to = std::back_inserter(json);
  if (usage.cost) fmt::format_to(to, R"(,"cost":{})", *usage.cost);
  if (!usage.times) return;
  const auto& t = *usage.times;
  fmt::format_to(to, R"(,"queue_time":{},"prompt_time":{},"completion_time":{},"total_time":{})",
                 seconds(t.queue), seconds(t.prefill), seconds(t.decode), seconds(t.prefill + t.decode));
}

}  // namespace

std::string usage_json(const Usage& usage) {
  std::string json =
      fmt::format(R"({{"prompt_tokens":{},"total_tokens":{},"completion_tokens":{})", usage.prompt_tokens,
                  usage.prompt_tokens + usage.completion_tokens, usage.completion_tokens);
  const auto to = std::back_inserter(json);
  if (usage.cached_tokens)
    fmt::format_to(to, R"(,"prompt_tokens_details":{{"cached_tokens":{}}})", *usage.cached_tokens);
  if (usage.reasoning_tokens)
    fmt::format_to(to, R"(,"completion_tokens_details":{{"reasoning_tokens":{}}})", *usage.reasoning_tokens);
  append_extras(json, usage);
  return json + "}";
}

std::string responses_usage_json(const Usage& usage) {
  std::string json = fmt::format(R"({{"input_tokens":{})", usage.prompt_tokens);
  const auto to = std::back_inserter(json);
  if (usage.cached_tokens)
    fmt::format_to(to, R"(,"input_tokens_details":{{"cached_tokens":{}}})", *usage.cached_tokens);
  fmt::format_to(to,
                 R"(,"output_tokens":{},"output_tokens_details":{{"reasoning_tokens":{}}},"total_tokens":{})",
                 usage.completion_tokens, usage.reasoning_tokens.value_or(0),
                 usage.prompt_tokens + usage.completion_tokens);
  append_extras(json, usage);
  return json + "}";
}

std::string messages_usage_json(const Usage& usage) {
  const std::uint32_t cached = usage.cached_tokens.value_or(0);
  std::string json = fmt::format(
      R"({{"input_tokens":{},"cache_creation_input_tokens":0,"cache_read_input_tokens":{},"output_tokens":{})",
      usage.prompt_tokens - cached, cached, usage.completion_tokens);
  append_extras(json, usage);
  return json + "}";
}

std::string embeddings_usage_json(const Usage& usage) {
  std::string json = fmt::format(R"({{"prompt_tokens":{0},"total_tokens":{0})", usage.prompt_tokens);
  append_extras(json, usage);
  return json + "}";
}

std::string timing_json(const RequestTiming& timing) {
  const double decode = milliseconds(timing.decode);
  const bool several = timing.output_tokens > 1 && decode > 0;
  const std::string itl = several ? fmt::format("{:.6f}", decode / (timing.output_tokens - 1)) : "null";
  const std::string speed =
      several ? fmt::format("{:.6f}", (timing.output_tokens - 1) / decode * 1e3) : "null";
  return fmt::format(
      R"({{"time_to_first_token_ms":{:.6f},"generation_time_ms":{:.6f},"queue_time_ms":{:.6f},"mean_itl_ms":{},"tokens_per_second":{}}})",
      milliseconds(timing.prefill), decode, milliseconds(timing.queue), itl, speed);
}

}  // namespace infermeter::sim
