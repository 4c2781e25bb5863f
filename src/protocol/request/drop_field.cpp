#include <fmt/format.h>

#include <algorithm>

#include "base/json_tree.hpp"
#include "protocol/endpoints/traits.hpp"
#include "protocol/request/body.hpp"
#include "protocol/request/json_object.hpp"

namespace infermeter {
namespace {

std::string left_out(std::string_view field) {
  return fmt::format("{} is refused by the server: left out", field);
}

// True if the shape's extra body had the field.
bool drop_from_extra(RequestShape& shape, std::string_view field) {
  Json extra = json_tree<Json>(shape.extra_body, kMostComposedLevels);
  if (!extra.is_object() || extra.erase(std::string(field)) == 0) return false;
  shape.extra_body = extra.empty() ? std::string() : text_of(extra);
  return true;
}

bool drop_usage(RequestShape& shape, std::string_view field) {
  if (field != "stream_options" || !shape.stream || !shape.include_usage) return false;
  shape.include_usage = false;
  return true;
}

std::string drop_limit(RequestShape& shape) {
  const std::string refused = shape.max_tokens_field;
  const EndpointTraits& traits = traits_of(shape.endpoint);
  if (traits.demands_limit) return {};  // the server rejected the value
  if (shape.max_tokens_swapped || traits.newer_limit_field.empty()) {
    shape.max_tokens_field.clear();
    return left_out(refused);
  }
  shape.max_tokens_swapped = true;
  shape.max_tokens_field = refused == traits.limit_field ? traits.newer_limit_field : traits.limit_field;
  return fmt::format("{} is refused by the server: {} is sent instead", refused, shape.max_tokens_field);
}

}  // namespace

std::vector<std::string> exact_output_fields(std::string_view engine) {
  if (engine == "vllm" || engine == "sglang" || engine == "tensorrt-llm") return {"ignore_eos", "min_tokens"};
  if (engine == "lmdeploy") return {"ignore_eos", "min_new_tokens"};
  if (engine == "llama.cpp" || engine == "infermeter-sim") return {"ignore_eos"};
  return {};
}

TakenOut take_out(RequestShape& shape, std::string_view field) {
  TakenOut out{.of_extra = drop_from_extra(shape, field), .usage = drop_usage(shape, field)};
  std::erase_if(shape.options, [&](const auto& option) {
    // One has no meaning without the other.
    const bool part = field == "logprobs" && option.first == "top_logprobs";
    if (option.first != field && !part) return false;
    out.options.push_back(option.first);
    return true;
  });
  out.exact = std::erase(shape.exact_fields, field) > 0;
  return out;
}

std::string drop_field(RequestShape& shape, std::string_view field) {
  if (field.empty()) return {};
  if (field == shape.max_tokens_field) return drop_limit(shape);
  return take_out(shape, field).any() ? left_out(field) : std::string();
}

}  // namespace infermeter
