// What there is to know of an endpoint without asking its codec. Plain values; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "infermeter/model/endpoint.hpp"

namespace infermeter {

struct EndpointTraits {
  Endpoint endpoint = Endpoint::chat;
  bool generates = true;     // tokens, streamed where that is asked for; else one whole answer of items
  bool takes_images = true;  // beside the last message
  bool takes_system_messages = true;        // anywhere among the others
  bool prompt_in_text = false;              // the prompt is the inside of a text, not a value of its own
  bool asks_usage = false;                  // of a stream, by stream_options
  std::string_view limit_field = {};        // of the output tokens; empty: none
  std::string_view newer_limit_field = {};  // sent instead where a server refuses the first; empty: none
  bool demands_limit = false;
  std::uint32_t least_limit = 1;
  std::string_view key_header = {};      // carries the key; empty: Authorization: Bearer, on Azure api-key
  std::string_view version_header = {};  // sent with each request, with `version`; empty: none
  std::string_view version = {};
};

const EndpointTraits& traits_of(Endpoint endpoint);

}  // namespace infermeter
