#include "protocol/http/tokenize_answer.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "base/json_tree.hpp"

namespace infermeter {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::optional<std::uint32_t> whole_number(const Json& json) {
  if (!json.is_number_unsigned()) return std::nullopt;
  const auto value = json.get<std::uint64_t>();
  if (value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

// A number, or an object with the number as `id` (llama.cpp, when it adds the pieces).
std::optional<std::uint32_t> token_id(const Json& json) {
  if (!json.is_object()) return whole_number(json);
  const auto id = json.find("id");
  return id == json.end() ? std::nullopt : whole_number(*id);
}

std::optional<std::vector<std::uint32_t>> token_ids(const Json& answer) {
  const auto list = answer.find("tokens");
  if (list == answer.end() || !list->is_array()) return std::nullopt;
  std::vector<std::uint32_t> ids;
  ids.reserve(list->size());
  for (const auto& entry : *list) {
    const auto id = token_id(entry);
    if (!id) return std::nullopt;
    ids.push_back(*id);
  }
  return ids;
}

}  // namespace

std::string tokenize_text_body(std::string_view model, std::string_view text) {
  return dumped({{"model", model},
                 {"prompt", text},  // vLLM, SGLang
                 {"add_special_tokens", false},
                 {"content", text},  // llama.cpp
                 {"add_special", false}});
}

std::string tokenize_request_body(std::string_view request_body) {
  constexpr const char* kFields[]{"model",
                                  "messages",
                                  "prompt",
                                  "tools",
                                  "add_generation_prompt",
                                  "chat_template",
                                  "chat_template_kwargs"};
  const Json request = json_tree<Json>(request_body, kMostComposedLevels);
  if (!request.is_object() || (!request.contains("messages") && !request.contains("prompt"))) return {};
  Json body = Json::object();
  for (const char* field : kFields) {
    if (const auto found = request.find(field); found != request.end()) body[field] = *found;
  }
  return dumped(body);
}

TokenizeAnswer parse_tokenize_answer(std::string_view body) {
  TokenizeAnswer answer;
  const Json json = json_tree<Json>(body);
  if (!json.is_object()) return answer;
  auto tokens = token_ids(json);
  if (const auto count = json.find("count"); count != json.end()) answer.count = whole_number(*count);
  if (!tokens) return answer;
  if (!answer.count) answer.count = static_cast<std::uint32_t>(tokens->size());
  answer.tokens = std::move(*tokens);
  return answer;
}

}  // namespace infermeter
