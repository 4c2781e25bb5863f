// Converts messages and tools from chat's format for endpoints with other formats. Private to this floor.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/request.hpp"
#include "protocol/request/json_object.hpp"

namespace infermeter {

/// Null if it is missing or null, or `json` is not an object.
const Json* member(const Json& json, const char* name);
/// The text of a message's content: the content itself, or the joined text of its parts.
std::string plain_content(const Json& message);
/// The texts of all messages, joined.
std::string joined(const Json& messages);
/// The message's content, with each part converted by `form`.
Json content_in(const Json& message, const std::function<Json(const Json& part)>& form);
/// An image part's URL: {"image_url":{"url":…}} or {"image_url":…}; empty for any other part.
std::string image_url(const Json& part);
/// Adds the images to the last message, beside its text.
void attach_images(Json& messages, const std::vector<std::string>& images);
/// The functions of {"type":"function","function":{…}} converted by `form`; other tools are left unchanged.
Json tools_in(const Json& tools, const std::function<Json(const Json& function)>& form);

void append_json_quoted(std::string& out, std::string_view text);
/// The messages' texts as a list.
void append_json_list(std::string& out, const std::vector<Message>& messages);

}  // namespace infermeter
