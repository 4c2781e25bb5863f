#include <string_view>

#include "workload/data/data_item.hpp"
#include "workload/data/json_fields.hpp"

namespace infermeter {
namespace {

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
