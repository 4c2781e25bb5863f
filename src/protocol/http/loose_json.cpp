#include "protocol/http/loose_json.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_tree.hpp"
#include "base/text.hpp"

namespace infermeter {
namespace {

using Tree = nlohmann::json;

constexpr std::size_t kMostObjects = 64;
constexpr int kDeepestText = 6;  // a text inside a text

// Python's notation of a dict as JSON: quotes, tuples, True, False, None.
std::string from_python(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> words{
      {{"True", "true"}, {"False", "false"}, {"None", "null"}}};
  std::string out;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == '\\' && i + 1 < text.size()) {
        const char next = text[++i];
        if (next != '\'') out += c;
        out += next;
      } else if (c == quote) {
        quote = '\0';
        out += '"';
      } else {
        if (c == '"') out += '\\';
        out += c;
      }
      continue;
    }
    const auto word = std::find_if(words.begin(), words.end(),
                                   [&](const auto& w) { return text.substr(i).starts_with(w.first); });
    if (c == '\'' || c == '"') {
      quote = c;
      out += '"';
    } else if (word != words.end()) {
      out += word->second;
      i += word->first.size() - 1;
    } else {
      out += c == '(' ? '[' : c == ')' ? ']' : c;
    }
  }
  return out;
}

// With the control characters inside its strings escaped, which some servers send as they are.
std::string with_escapes(std::string_view json) {
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') quoted = !quoted;
    if (quoted && static_cast<unsigned char>(c) < ' ') {
      append_json_escaped(out, json.substr(i, 1));
      continue;
    }
    out += c;
    if (quoted && c == '\\' && i + 1 < json.size()) out += json[++i];
  }
  return out;
}

bool is_tree(const Tree& tree) { return tree.is_object() || (tree.is_array() && !tree.empty()); }

std::string without_escapes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\')) ++i;
    out += text[i];
  }
  return out;
}

void add_objects(std::string_view text, std::vector<std::string>& out, int depth) {
  text = trim(text);
  while (text.starts_with("data:")) text = trim(text.substr(5));
  if (text.empty() || depth > kDeepestText || out.size() >= kMostObjects) return;
  if (text.front() == '"') {
    const Tree tree = json_tree<Tree>(text);
    if (tree.is_string()) return add_objects(tree.get_ref<const std::string&>(), out, depth + 1);
  }
  const bool may_be = text.front() == '{' || text.front() == '[';
  const Tree tree = may_be ? parsed(text) : Tree(Tree::value_t::discarded);
  if (tree.is_object()) {
    out.push_back(json_text(tree));
  } else if (tree.is_array()) {
    for (const auto& item : tree) {
      if (item.is_object() && out.size() < kMostObjects) out.push_back(json_text(item));
    }
  } else if (text.find('\n') != std::string_view::npos) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      add_objects(text.substr(0, end), out, depth + 1);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
}

}  // namespace

std::string_view without_framing(std::string_view body) {
  if (!body.starts_with("data:") && !body.starts_with("event:")) return body;
  const std::size_t data = body.find("data:");
  if (data == std::string_view::npos) return body;
  body = body.substr(data + 5);
  return trim(body.substr(0, body.find_first_of("\r\n")));
}

std::string json_text(const Tree& tree) { return tree.dump(-1, ' ', false, Tree::error_handler_t::replace); }

nlohmann::json parsed(std::string_view text) {
  text = without_framing(trim(text));
  Tree tree = json_tree<Tree>(text);
  if (tree.is_discarded() && std::any_of(text.begin(), text.end(), is_control))
    tree = json_tree<Tree>(with_escapes(text));
  if (!tree.is_discarded() || text.find('\'') == std::string_view::npos) return tree;
  return json_tree<Tree>(from_python(text));
}

nlohmann::json quoted_in(std::string_view text, std::string& before) {
  constexpr int tries = 4;
  std::size_t at = text.find_first_of("{[");
  for (int i = 0; i < tries && at != std::string_view::npos; ++i, at = text.find_first_of("{[", at + 1)) {
    const std::size_t end = text.find_last_of(text[at] == '{' ? '}' : ']');
    if (end == std::string_view::npos || end <= at) continue;
    const auto piece = text.substr(at, end - at + 1);
    Tree tree = parsed(piece);
    if (!is_tree(tree)) tree = parsed(without_escapes(piece));
    if (!is_tree(tree)) tree = parsed("[" + std::string(piece) + "]");  // several, separated by commas
    const bool speaks = is_tree(tree) && (tree.is_object() || tree.front().is_object());
    if (!speaks) continue;
    before = text.substr(0, at);
    return tree;
  }
  return Tree(Tree::value_t::discarded);
}

std::vector<std::string> objects_in(std::string_view data) {
  std::vector<std::string> out;
  add_objects(data, out, 0);
  return out;
}

std::string unquoted(std::string_view data) {
  if (!data.starts_with('"')) return std::string(data);
  const Tree tree = json_tree<Tree>(data);
  return tree.is_string() ? tree.get<std::string>() : std::string(data);
}

}  // namespace infermeter
