// Messages and tools in chat's form, taken apart for the endpoints that have other forms. Private to this
// floor.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/request.hpp"
#include "protocol/request/json_object.hpp"

namespace infermeter {

/// Null where it is missing, null itself, or `json` is no object.
const Json* member(const Json& json, const char* name);
/// The text of a message's content: itself, or its parts' joined.
std::string plain_content(const Json& message);
/// That of all messages.
std::string joined(const Json& messages);
/// The message's content, each of its parts as `form` makes it.
Json content_in(const Json& message, const std::function<Json(const Json& part)>& form);
/// An image part's URL: {"image_url":{"url":…}} or {"image_url":…}; empty for any other part.
std::string image_url(const Json& part);
/// Puts them beside the text of the last message.
void attach_images(Json& messages, const std::vector<std::string>& images);
/// The functions of {"type":"function","function":{…}} as `form` makes them; other tools are left as they
/// are.
Json tools_in(const Json& tools, const std::function<Json(const Json& function)>& form);

void append_json_quoted(std::string& out, std::string_view text);
/// The messages' texts as a list.
void append_json_list(std::string& out, const std::vector<Message>& messages);

}  // namespace infermeter
