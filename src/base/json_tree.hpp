// The door to nlohmann's parser, whose trees are copied, written and walked by recursion: no text is parsed
// into a tree anywhere else (tests/tidy). Included only where that library has its room.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/nesting.hpp"

namespace infermeter {

/// The tree; a discarded value if the text is no JSON, or nested more than `most` levels deep.
template <typename Tree>
Tree json_tree(std::string_view text, std::size_t most = kMostLevels) {
  if (is_too_deep(text, most)) return Tree(Tree::value_t::discarded);
  return Tree::parse(text, nullptr, false);
}

/// Whether json_tree() has a value for it; builds none.
inline bool is_json(std::string_view text) { return !is_too_deep(text) && nlohmann::json::accept(text); }

/// What is wrong with a text that is no JSON.
inline std::string json_error(std::string_view text) {
  try {
    return nlohmann::json::parse(text).is_discarded() ? "no value" : "";
  } catch (const nlohmann::json::parse_error& error) {
    return "syntax error at byte " + std::to_string(error.byte);
  } catch (const nlohmann::json::out_of_range&) {
    return "a number is out of range";
  }
}

}  // namespace infermeter
