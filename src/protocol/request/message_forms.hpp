// Messages in chat's form (text or parts, tool calls, tool results), and the same in the form of the other
// endpoints. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "protocol/request/body.hpp"
#include "protocol/request/json_object.hpp"

namespace infermeter {

/// Beside the text of the last message.
void attach_images(Json& messages, const std::vector<std::string>& images);

/// Puts messages of chat's form into the body, in place of those it has; a class's system prompt stays
/// before them. Parts in the endpoint's own form are left as they are.
void put_messages(Json& body, const RequestShape& shape, const Json& messages);

/// The tools of chat's form ({"type":"function","function":{…}}) as the endpoint wants them.
Json tools_for(Endpoint endpoint, const Json& tools);

}  // namespace infermeter
