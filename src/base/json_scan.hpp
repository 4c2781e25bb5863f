// The door to simdjson's parsers: no text is parsed by them anywhere else (tests/tidy). What is read is
// written again and parsed by others, so that the same depth applies to all. Included only where that library
// has its room.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <string_view>

#include "base/nesting.hpp"

namespace infermeter {

/// On-Demand, for one pass forward; `capacity` readable bytes at `text.data()`, simdjson's padding included.
/// DEPTH_ERROR where the text is nested too deep.
inline simdjson::error_code json_scan(simdjson::ondemand::parser& parser, std::string_view text,
                                      std::size_t capacity, simdjson::ondemand::document& document) {
  if (is_too_deep(text)) return simdjson::DEPTH_ERROR;
  return parser.iterate(text.data(), text.size(), capacity).get(document);
}

/// The whole document, valid until the parser's next one. Likewise.
inline simdjson::error_code json_scan(simdjson::dom::parser& parser, std::string_view text,
                                      simdjson::dom::element& element) {
  if (is_too_deep(text)) return simdjson::DEPTH_ERROR;
  return parser.parse(text.data(), text.size()).get(element);
}

}  // namespace infermeter
