#include "protocol/request/message_forms.hpp"

#include "base/text.hpp"

namespace infermeter {

const Json* member(const Json& json, const char* name) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(name);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

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

Json content_in(const Json& message, const std::function<Json(const Json& part)>& form) {
  const Json* content = member(message, "content");
  if (content == nullptr) return "";
  if (!content->is_array()) return *content;
  Json out = Json::array();
  for (const auto& part : *content) out.push_back(form(part));
  return out;
}

std::string image_url(const Json& part) {
  if (text_at(part, "type") != "image_url") return {};
  const Json* image = member(part, "image_url");
  if (image == nullptr) return {};
  return image->is_string() ? image->get<std::string>() : text_at(*image, "url");
}

void attach_images(Json& messages, const std::vector<std::string>& images) {
  if (images.empty() || messages.empty() || !messages.back().is_object()) return;
  Json& content = messages.back()["content"];
  if (!content.is_array()) content = Json::array({{{"type", "text"}, {"text", content}}});
  for (const auto& url : images) content.push_back({{"type", "image_url"}, {"image_url", {{"url", url}}}});
}

Json tools_in(const Json& tools, const std::function<Json(const Json& function)>& form) {
  Json out = Json::array();
  for (const auto& tool : tools) {
    const Json* function = member(tool, "function");
    out.push_back(function == nullptr ? tool : form(*function));
  }
  return out;
}

void append_json_quoted(std::string& out, std::string_view text) {
  out += '"';
  append_json_escaped(out, text);
  out += '"';
}

void append_json_list(std::string& out, const std::vector<Message>& messages) {
  out += '[';
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (i > 0) out += ',';
    append_json_quoted(out, messages[i].content);
  }
  out += ']';
}

}  // namespace infermeter
