#include "protocol/request/message_forms.hpp"

#include <string_view>

namespace infermeter {
namespace {

const Json* member(const Json& json, const char* name) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(name);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

/// The text of a message's content: itself, or its parts' joined.
std::string plain_content(const Json& message) {
  const Json* content = member(message, "content");
  if (content == nullptr) return {};
  if (content->is_string()) return content->get<std::string>();
  std::string out;
  for (const auto& part : *content) {
    const std::string text = text_at(part, "text");
    if (!out.empty() && !text.empty()) out += "\n\n";
    out += text;
  }
  return out;
}

std::string joined(const Json& messages) {
  std::string out;
  for (const auto& message : messages) {
    const std::string text = plain_content(message);
    if (!out.empty() && !text.empty()) out += "\n\n";
    out += text;
  }
  return out;
}

/// An image part's URL: {"image_url":{"url":…}} or {"image_url":…}.
std::string image_url(const Json& part) {
  const Json* image = member(part, "image_url");
  if (image == nullptr) return {};
  return image->is_string() ? image->get<std::string>() : text_at(*image, "url");
}

// "data:image/png;base64,…"; any other URL is fetched by the server.
Json image_source(std::string_view url) {
  constexpr std::string_view scheme = "data:", coding = ";base64,";
  const std::size_t at = url.find(coding);
  if (!url.starts_with(scheme) || at == std::string_view::npos) return {{"type", "url"}, {"url", url}};
  return {{"type", "base64"},
          {"media_type", url.substr(scheme.size(), at - scheme.size())},
          {"data", url.substr(at + coding.size())}};
}

Json part_for(Endpoint endpoint, const Json& part, bool of_assistant) {
  const std::string type = text_at(part, "type");
  const std::string image = type == "image_url" ? image_url(part) : std::string();
  if (endpoint == Endpoint::responses) {
    if (type == "text")
      return {{"type", of_assistant ? "output_text" : "input_text"}, {"text", text_at(part, "text")}};
    if (!image.empty()) return {{"type", "input_image"}, {"image_url", image}};
  } else if (!image.empty()) {
    return {{"type", "image"}, {"source", image_source(image)}};
  }
  return part;
}

Json content_for(Endpoint endpoint, const Json& message) {
  const Json* content = member(message, "content");
  if (content == nullptr) return "";
  if (!content->is_array()) return *content;
  Json out = Json::array();
  const bool of_assistant = text_at(message, "role") == "assistant";
  for (const auto& part : *content) out.push_back(part_for(endpoint, part, of_assistant));
  return out;
}

// Calls and their results are items beside the messages.
void append_items(Json& out, const Json& message) {
  const std::string role = text_at(message, "role");
  if (role == "tool") {
    out.push_back({{"type", "function_call_output"},
                   {"call_id", text_at(message, "tool_call_id")},
                   {"output", plain_content(message)}});
    return;
  }
  const Json* calls = member(message, "tool_calls");
  if (role.empty()) return out.push_back(message);  // an item in the endpoint's own form
  if (calls == nullptr || !plain_content(message).empty()) {
    out.push_back({{"role", role}, {"content", content_for(Endpoint::responses, message)}});
  }
  if (calls == nullptr) return;
  for (const auto& call : *calls) {
    const Json* function = member(call, "function");
    if (function == nullptr) continue;
    out.push_back({{"type", "function_call"},
                   {"call_id", text_at(call, "id")},
                   {"name", text_at(*function, "name")},
                   {"arguments", text_at(*function, "arguments")}});
  }
}

// Calls and their results are blocks inside the messages.
Json blocks_of(const Json& message) {
  Json blocks = Json::array();
  const std::string text = plain_content(message);
  if (!text.empty()) blocks.push_back({{"type", "text"}, {"text", text}});
  for (const auto& call : message["tool_calls"]) {
    const Json* function = member(call, "function");
    if (function == nullptr) continue;
    Json input = Json::parse(text_at(*function, "arguments"), nullptr, false);
    if (!input.is_object()) input = Json::object();
    blocks.push_back({{"type", "tool_use"},
                      {"id", text_at(call, "id")},
                      {"name", text_at(*function, "name")},
                      {"input", input}});
  }
  return blocks;
}

Json turn_of(const Json& message) {
  const std::string role = text_at(message, "role");
  if (role == "tool") {
    Json result = {{"type", "tool_result"},
                   {"tool_use_id", text_at(message, "tool_call_id")},
                   {"content", plain_content(message)}};
    return {{"role", "user"}, {"content", Json::array({result})}};
  }
  if (member(message, "tool_calls") != nullptr) return {{"role", role}, {"content", blocks_of(message)}};
  return {{"role", role}, {"content", content_for(Endpoint::messages, message)}};
}

// The system's words are no message there.
void put_turns(Json& body, const RequestShape& shape, const Json& messages) {
  std::string system = shape.system_prompt;
  Json turns = Json::array();
  for (const auto& message : messages) {
    const std::string role = text_at(message, "role");
    if (role != "system" && role != "developer") {
      turns.push_back(turn_of(message));
      continue;
    }
    if (!system.empty()) system += "\n\n";
    system += plain_content(message);
  }
  if (!system.empty()) body["system"] = system;
  body["messages"] = turns;
}

void put_chat(Json& body, const RequestShape& shape, const Json& messages) {
  Json list = Json::array();
  if (!shape.system_prompt.empty()) list.push_back({{"role", "system"}, {"content", shape.system_prompt}});
  for (const auto& message : messages) list.push_back(message);
  body["messages"] = list;
}

}  // namespace

void attach_images(Json& messages, const std::vector<std::string>& images) {
  if (images.empty() || messages.empty() || !messages.back().is_object()) return;
  Json& content = messages.back()["content"];
  if (!content.is_array()) content = Json::array({{{"type", "text"}, {"text", content}}});
  for (const auto& url : images) content.push_back({{"type", "image_url"}, {"image_url", {{"url", url}}}});
}

void put_messages(Json& body, const RequestShape& shape, const Json& messages) {
  switch (shape.endpoint) {
    case Endpoint::chat:
      return put_chat(body, shape, messages);
    case Endpoint::messages:
      return put_turns(body, shape, messages);
    case Endpoint::responses:
      body["input"] = Json::array();
      for (const auto& message : messages) append_items(body["input"], message);
      return;
    case Endpoint::completions:
      body["prompt"] = (shape.system_prompt.empty() ? "" : shape.system_prompt + "\n\n") + joined(messages);
      return;
    case Endpoint::embeddings:
      body["input"] = joined(messages);
      return;
  }
}

Json tools_for(Endpoint endpoint, const Json& tools) {
  if (endpoint == Endpoint::chat) return tools;
  Json out = Json::array();
  for (const auto& tool : tools) {
    const Json* function = member(tool, "function");
    if (function == nullptr) {
      out.push_back(tool);
      continue;
    }
    Json form = *function;
    if (endpoint == Endpoint::messages) {
      const Json* parameters = member(*function, "parameters");
      form["input_schema"] = parameters == nullptr ? Json{{"type", "object"}} : *parameters;
      form.erase("parameters");
      form.erase("strict");
    } else {
      form = {{"type", "function"}};
      merge(form, *function);
    }
    out.push_back(form);
  }
  return out;
}

}  // namespace infermeter
