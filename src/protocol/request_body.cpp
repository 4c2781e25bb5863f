#include "infermeter/protocol/request_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "infermeter/base/errors.hpp"
#include "plain_text.hpp"

namespace infermeter {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json parse_extra(const std::string& text) {
  if (trim(text).empty()) return Json::object();
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) {
    throw UsageError(fmt::format("--extra-body: '{}' is not a JSON object",
                                 one_line(text, 100)));  // long bodies would hide the rule
  }
  return json;
}

// The extra's keys win; where both sides have an object, its members are merged.
void merge(Json& into, const Json& extra) {
  for (const auto& [key, value] : extra.items()) {
    if (value.is_object() && into.contains(key) && into[key].is_object()) {
      merge(into[key], value);
    } else {
      into[key] = value;
    }
  }
}

Json messages(const RequestShape& shape, const std::string& prompt) {
  Json list = Json::array();
  if (!shape.system_prompt.empty()) list.push_back({{"role", "system"}, {"content", shape.system_prompt}});
  list.push_back({{"role", "user"}, {"content", prompt}});
  return list;
}

Json whole_body(const RequestShape& shape, const Json& extra, const std::string& prompt) {
  Json body = {{"model", shape.model}};
  if (shape.endpoint == Endpoint::chat) {
    body["messages"] = messages(shape, prompt);
  } else {
    body["prompt"] = prompt;
  }
  if (!shape.max_tokens_field.empty()) body[shape.max_tokens_field] = shape.output_tokens;
  body["stream"] = shape.stream;
  if (shape.stream && shape.include_usage) body["stream_options"] = {{"include_usage", true}};
  for (const auto& field : shape.exact_fields) {
    if (field == "ignore_eos") {
      body[field] = true;
    } else {
      body[field] = shape.output_tokens;
    }
  }
  merge(body, extra);
  return body;
}

// True if the shape's extra body had the field.
bool drop_from_extra(RequestShape& shape, std::string_view field) {
  Json extra = Json::parse(shape.extra_body, nullptr, false);
  if (!extra.is_object() || extra.erase(std::string(field)) == 0) return false;
  shape.extra_body = extra.empty() ? std::string() : text_of(extra);
  return true;
}

std::string left_out(std::string_view field) {
  return fmt::format("{} is refused by the server: left out", field);
}

std::string swap_max_tokens(RequestShape& shape) {
  const std::string refused = shape.max_tokens_field;
  if (shape.max_tokens_swapped) {
    shape.max_tokens_field.clear();
    return left_out(refused);
  }
  shape.max_tokens_swapped = true;
  shape.max_tokens_field = refused == "max_tokens" ? "max_completion_tokens" : "max_tokens";
  return fmt::format("{} is refused by the server: {} is sent instead", refused, shape.max_tokens_field);
}

}  // namespace

BodyTemplate::BodyTemplate(const RequestShape& shape) {
  const Json extra = parse_extra(shape.extra_body);
  // A mark that the body holds only where the prompt goes.
  std::string mark = "<prompt>", text;
  std::size_t at = std::string::npos;
  do {
    mark.insert(mark.size() / 2, "-prompt-");
    text = text_of(whole_body(shape, extra, mark));
    at = text.find(mark);
  } while (at != std::string::npos && text.find(mark, at + 1) != std::string::npos);
  before_ = text.substr(0, at);
  takes_prompt_ = at != std::string::npos;
  if (takes_prompt_) after_ = text.substr(at + mark.size());
  if (takes_prompt_ && shape.endpoint == Endpoint::completions && !shape.system_prompt.empty()) {
    append_json_escaped(before_, shape.system_prompt + "\n\n");
  }
}

std::string BodyTemplate::body(std::string_view prompt) const {
  std::string out;
  out.reserve(before_.size() + prompt.size() + prompt.size() / 16 + after_.size() + 16);
  out += before_;
  if (takes_prompt_) append_json_escaped(out, prompt);
  out += after_;
  return out;
}

std::vector<std::string> exact_output_fields(std::string_view engine) {
  if (engine == "vllm" || engine == "sglang" || engine == "tensorrt-llm") return {"ignore_eos", "min_tokens"};
  if (engine == "lmdeploy") return {"ignore_eos", "min_new_tokens"};
  if (engine == "llama.cpp" || engine == "infermeter-sim") return {"ignore_eos"};
  return {};
}

std::string drop_field(RequestShape& shape, std::string_view field) {
  if (field.empty()) return {};
  if (field == shape.max_tokens_field) return swap_max_tokens(shape);
  bool had = drop_from_extra(shape, field);
  if (field == "stream_options" && shape.stream && shape.include_usage) {
    shape.include_usage = false;
    had = true;
  }
  const auto gone = std::remove(shape.exact_fields.begin(), shape.exact_fields.end(), field);
  had = had || gone != shape.exact_fields.end();
  shape.exact_fields.erase(gone, shape.exact_fields.end());
  return had ? left_out(field) : std::string();
}

}  // namespace infermeter
