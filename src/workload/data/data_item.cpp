#include "workload/data/data_item.hpp"

#include <simdjson.h>

namespace infermeter {
namespace {

DataItem read_text_item(std::string_view text) {
  if (!simdjson::validate_utf8(text.data(), text.size())) throw BadItem("is not UTF-8");
  DataItem item;
  item.turns.push_back({.messages = {{"user", std::string(text)}}});
  return item;
}

/// Starts a turn at each user message; `rest` holds the messages of others before it.
void add_words(const Said& said, Request& rest, std::vector<Request>& turns) {
  if (said.who == Said::Who::assistant) return;
  rest.messages.push_back(said.message);
  if (said.who != Said::Who::user) return;
  turns.push_back(std::move(rest));
  rest = Request();
}

}  // namespace

DataItem read_item(DataFormat format, std::string_view text, bool conversations) {
  if (conversations && (format == DataFormat::batch || is_trace(format)))
    throw BadItem("is a single turn, of which --turns makes no conversation");
  switch (format) {
    case DataFormat::text:
      return read_text_item(text);
    case DataFormat::jsonl:
      return read_jsonl_item(text, conversations);
    case DataFormat::sharegpt:
      return read_sharegpt_item(text, conversations);
    case DataFormat::batch:
      return read_batch_item(text);
    case DataFormat::mooncake:
      return read_mooncake_item(text);
    case DataFormat::azure:
      break;
  }
  return read_azure_item(text);
}

std::vector<Request> turns_of(const std::vector<Said>& conversation, bool conversations) {
  std::vector<Request> turns;
  Request rest;
  for (const Said& said : conversation) {
    add_words(said, rest, turns);
    if (!turns.empty() && !conversations) break;
  }
  return turns;
}

std::optional<std::string> ItemChecker::fault(std::string_view text) {
  try {
    const DataItem item = read_item(format_, text, conversations_);
    if (is_trace(format_) && stamp_ && item.stamp < stamp_) return "its time stamp runs back";
    stamp_ = item.stamp;
    return std::nullopt;
  } catch (const BadItem& bad) {
    return bad.what();
  }
}

}  // namespace infermeter
