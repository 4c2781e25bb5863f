// Items that contain their prompts: plain JSONL, OpenAI batch requests and ShareGPT conversations.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "workload/data/data_item.hpp"
#include "workload/data/json_fields.hpp"

namespace infermeter {
namespace {

/// Field names for the limit of an answer's length, most specific first.
constexpr std::array<std::string_view, 4> kOutputTokens{"output_tokens", "max_completion_tokens",
                                                        "max_output_tokens", "max_tokens"};

std::uint32_t output_tokens(const JsonObject& object) {
  for (const std::string_view name : kOutputTokens) {
    if (const auto value = field(object, name)) return count_field(*value, name, 1);
  }
  return 0;
}

constexpr std::array<std::string_view, 6> kOwnFields{"prompt",  "messages", "id",
                                                     "headers", "body",     "timestamp"};

/// A misspelt `output_tokens` would change the answers of the whole run without a word.
void refuse_unknown(const JsonObject& object) {
  std::vector<std::string> known(kOwnFields.begin(), kOwnFields.end());
  known.insert(known.end(), kOutputTokens.begin(), kOutputTokens.end());
  for (const auto& [name, value] : object) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const auto near = nearest_name(name, known);
    throw BadItem(near ? fmt::format("has an unknown key `{}`; did you mean `{}`?", name, *near)
                       : fmt::format("has an unknown key `{}`; known: {}", name, fmt::join(known, ", ")));
  }
}

std::string header_line(std::string_view name, JsonValue value) {
  const std::string_view text = text_field(value, name);
  const auto breaks = [](std::string_view part) { return part.find_first_of("\r\n") != part.npos; };
  if (name.empty() || name.find(':') != std::string_view::npos || breaks(name) || breaks(text))
    throw BadItem(fmt::format("`headers` has a name or value that no header can have"));
  return fmt::format("{}: {}", name, text);
}

std::vector<std::string> headers(JsonValue value) {
  JsonObject object;
  if (value.get(object) != simdjson::SUCCESS) throw BadItem("`headers` is not an object");
  std::vector<std::string> lines;
  for (const auto& [name, text] : object) lines.push_back(header_line(name, text));
  return lines;
}

simdjson::dom::array message_list(JsonValue value) {
  simdjson::dom::array list;
  if (value.get(list) != simdjson::SUCCESS || list.size() == 0)
    throw BadItem("`messages` is not an array of messages");
  for (const JsonValue message : list) {
    if (!message.is_object() || !message["role"].is_string())
      throw BadItem("`messages` has one without a `role`");
  }
  return list;
}

/// Messages as the parts of a conversation; only plain text can take the server's answers as history.
std::vector<Said> spoken(const simdjson::dom::array& list) {
  std::vector<Said> conversation;
  for (const JsonValue message : list) {
    const std::string_view role = message["role"].get_string();
    std::string_view content;
    if (role == "tool" || message["content"].get(content) != simdjson::SUCCESS)
      throw BadItem("`messages` has more than text: it cannot be sent turn by turn");
    const auto who = role == "user"        ? Said::Who::user
                     : role == "assistant" ? Said::Who::assistant
                                           : Said::Who::other;
    conversation.push_back({who, {std::string(role), std::string(content)}});
  }
  return conversation;
}

std::vector<Request> message_turns(JsonValue value, bool conversations) {
  const auto list = message_list(value);
  if (!conversations) return {Request{.messages_json = simdjson::minify(value)}};
  auto turns = turns_of(spoken(list), true);
  if (turns.empty()) throw BadItem("`messages` has none of the user's");
  return turns;
}

std::vector<Request> prompt_or_messages(const JsonObject& object, bool conversations) {
  const auto prompt = field(object, "prompt");
  const auto messages = field(object, "messages");
  if (prompt && conversations) throw BadItem("`prompt` is a single turn: with --turns there are `messages`");
  if (prompt && messages) throw BadItem("has both `prompt` and `messages`");
  if (prompt) return {Request{.messages = {{"user", std::string(text_field(*prompt, "prompt"))}}}};
  if (!messages) throw BadItem("has neither `prompt` nor `messages`");
  return message_turns(*messages, conversations);
}

/// Speaker names in ShareGPT and in data sets derived from it.
Said::Who who(std::string_view from) {
  if (from == "human" || from == "user") return Said::Who::user;
  if (from == "system") return Said::Who::other;
  return Said::Who::assistant;  // gpt, chatgpt, bing, bard, …
}

std::vector<Said> conversation_of(JsonValue value) {
  simdjson::dom::array list;
  if (value.get(list) != simdjson::SUCCESS) throw BadItem("`conversations` is not an array");
  std::vector<Said> conversation;
  for (const JsonValue said : list) {
    std::string_view from, words;
    if (said["from"].get(from) != simdjson::SUCCESS || said["value"].get(words) != simdjson::SUCCESS)
      throw BadItem("`conversations` has one without `from` and `value`");
    const Said::Who speaker = who(from);
    // An empty user turn contains nothing to send.
    if (words.empty()) continue;
    conversation.push_back({speaker, {speaker == Said::Who::other ? "system" : "user", std::string(words)}});
  }
  return conversation;
}

}  // namespace

DataItem read_jsonl_item(std::string_view text, bool conversations) {
  const JsonObject object = parse_object(text);
  refuse_unknown(object);
  DataItem item;
  item.turns = prompt_or_messages(object, conversations);
  Request common;
  common.output_tokens = output_tokens(object);
  if (const auto id = field(object, "id")) common.label = id_field(*id, "id");
  if (const auto lines = field(object, "headers")) common.headers = headers(*lines);
  if (const auto body = field(object, "body")) common.extra_body = object_text(*body, "body");
  if (const auto stamp = field(object, "timestamp"); stamp && stamp->is_number())
    item.stamp = stamp_field(*stamp);
  for (Request& turn : item.turns) {
    turn.output_tokens = common.output_tokens;
    turn.label = common.label;
    turn.headers = common.headers;
    turn.extra_body = common.extra_body;
  }
  return item;
}

DataItem read_batch_item(std::string_view text) {
  const JsonObject object = parse_object(text);
  const auto body = field(object, "body");
  JsonObject fields;
  if (!body || body->get(fields) != simdjson::SUCCESS) throw BadItem("has no object under `body`");
  if (!field(fields, "messages") && !field(fields, "prompt") && !field(fields, "input"))
    throw BadItem("`body` has no `messages`, `prompt` or `input`");
  if (const auto method = field(object, "method"); method && text_field(*method, "method") != "POST")
    throw BadItem("`method` is not POST");
  Request request;
  request.whole_body = simdjson::minify(*body);
  request.output_tokens = output_tokens(fields);
  if (const auto id = field(object, "custom_id")) request.label = id_field(*id, "custom_id");
  DataItem item;
  item.turns.push_back(std::move(request));
  return item;
}

DataItem read_sharegpt_item(std::string_view text, bool conversations) {
  const JsonObject object = parse_object(text);
  const auto list = field(object, "conversations");
  if (!list) throw BadItem("has no `conversations`");
  DataItem item;
  item.turns = turns_of(conversation_of(*list), conversations);
  if (item.turns.empty()) throw BadItem("`conversations` has nothing that a human says");
  if (const auto id = field(object, "id")) {
    for (Request& turn : item.turns) turn.label = id_field(*id, "id");
  }
  return item;
}

}  // namespace infermeter
