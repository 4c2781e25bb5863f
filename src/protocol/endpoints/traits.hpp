// Facts about an endpoint that need no codec. Plain values; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "infermeter/model/endpoint.hpp"

namespace infermeter {

struct EndpointTraits {
  Endpoint endpoint = Endpoint::chat;
  bool generates = true;     // tokens, streamed if requested; false: one non-streamed answer of items
  bool takes_images = true;  // attached to the last message
  bool takes_system_messages = true;        // at any position in the conversation
  bool prompt_in_text = false;              // the prompt is inside a string, not a value of its own
  bool asks_usage = false;                  // in a stream, by stream_options
  std::string_view limit_field = {};        // limit of output tokens; empty: none
  std::string_view newer_limit_field = {};  // sent instead if a server rejects the first; empty: none
  bool demands_limit = false;
  std::uint32_t least_limit = 1;
  std::string_view key_header = {};      // carries the key; empty: Authorization: Bearer, on Azure api-key
  std::string_view version_header = {};  // sent with each request, with the value `version`; empty: none
  std::string_view version = {};
};

const EndpointTraits& traits_of(Endpoint endpoint);

}  // namespace infermeter
