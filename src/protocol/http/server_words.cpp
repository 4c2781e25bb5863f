#include "protocol/http/server_words.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "base/text.hpp"

namespace infermeter {
namespace {

using Tree = nlohmann::json;
using Names = std::string_view;

constexpr std::size_t kWordsBytes = 1024;
constexpr int kDeepest = 6;
constexpr std::size_t kMostObjects = 64;

// Where servers put their message, the best first.
constexpr std::array<Names, 18> kMessages{
    "error",        "message",   "msg",        "detail",      "error_message", "error_msg",
    "errorMessage", "errmsg",    "status_msg", "errors",      "base_resp",     "reason",
    "description",  "exception", "fault",      "faultstring", "x_groq",        "response"};
// Where gateways put what the server behind them said.
constexpr std::array<Names, 8> kCauses{
    "metadata", "raw", "cause", "innererror", "inner_error", "upstream_error", "original", "provider_error"};

const Tree* member(const Tree& tree, Names name) {
  if (!tree.is_object()) return nullptr;
  for (const auto& [key, value] : tree.items()) {  // AWS writes "Message"
    if (equals_ignoring_case(key, name)) return value.is_null() ? nullptr : &value;
  }
  return nullptr;
}

std::string text_in(const Tree& tree, Names name) {
  const Tree* found = member(tree, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

std::string json_text(const Tree& tree) { return tree.dump(-1, ' ', false, Tree::error_handler_t::replace); }

// null, false, 0, "", [] and {} are no error.
bool says_something(const Tree* tree) {
  if (tree == nullptr) return false;
  if (tree->is_boolean()) return tree->get<bool>();
  if (tree->is_number()) return tree->get<double>() != 0;
  return tree->is_string() ? !trim(tree->get_ref<const std::string&>()).empty() : !tree->empty();
}

// Python's notation of a dict as JSON: quotes, tuples, True, False, None.
std::string from_python(std::string_view text) {
  constexpr std::array<std::pair<Names, Names>, 3> words{
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

// Writing a tree recurses: a hostile one with thousands of levels is no message.
bool too_deep(std::string_view json) {
  constexpr int most = 200;
  int depth = 0;
  return std::any_of(json.begin(), json.end(), [&depth](char c) {
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    return depth > most;
  });
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

struct Quoted {
  std::string before;  // the text before it
  Tree tree;
};

// JSON inside a text: "Error from provider: {"error":{…}}", also with escaped quotes or in Python's notation.
std::optional<Quoted> quoted_in(std::string_view text) {
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
    if (speaks) return Quoted{std::string(text.substr(0, at)), std::move(tree)};
  }
  return std::nullopt;
}

std::string message_of(const Tree& tree, int depth);

// Without the text of which it is only a repetition.
void add_words(std::string& out, std::string text) {
  text = trim(text);
  if (text.empty() || out.find(text) != std::string::npos) return;
  if (!out.empty() && text.find(out) != std::string::npos) {
    out = std::move(text);
    return;
  }
  while (!out.empty() && (out.back() == ':' || out.back() == ' ')) out.pop_back();
  out += out.empty() ? "" : ": ";
  out += text;
}

std::string object_message(const Tree& object, int depth);

bool has_message(const Tree& tree, int depth) {
  if (tree.is_object()) return !object_message(tree, depth).empty();
  return tree.is_array() && std::any_of(tree.begin(), tree.end(),
                                        [depth](const Tree& item) { return has_message(item, depth); });
}

std::string unpacked(const std::string& text, int depth) {
  if (depth > kDeepest) return text;
  const auto quoted = quoted_in(text);
  if (!quoted) return text;
  if (!has_message(quoted->tree, depth + 1)) return text;
  const std::string inner = message_of(quoted->tree, depth + 1);
  std::string out(trim(quoted->before, " \t\r\n:-b'\""));
  add_words(out, inner);
  return out;
}

// pydantic: [{"type":"extra_forbidden","loc":["body","min_tokens"],"msg":"Extra inputs are not permitted"}]
std::string item_message(const Tree& item, int depth) {
  std::string out = message_of(item, depth);
  const Tree* place = member(item, "loc");
  if (place == nullptr || !place->is_array() || place->empty()) return out;
  const Tree& last = place->back();
  return out + " (" + (last.is_string() ? last.get<std::string>() : json_text(last)) + ")";
}

std::string list_message(const Tree& list, int depth) {
  std::string out;
  for (const auto& item : list) {
    const std::string text = item_message(item, depth);
    if (text.empty()) continue;
    if (!out.empty()) out += "; ";
    out += text;
  }
  return out;
}

void add_causes(std::string& out, const Tree& object, int depth) {
  for (const auto name : kCauses) {
    const Tree* cause = member(object, name);
    if (cause == nullptr) continue;
    const std::string text = message_of(*cause, depth + 1);
    if (!cause->is_object() || text != json_text(*cause)) add_words(out, text);
  }
  // A parameter's name is one word; some gateways put the whole reason there.
  const std::string param = text_in(object, "param");
  if (param.find(' ') != std::string::npos) add_words(out, param);
}

// In a choice, or in its delta.
std::string choice_message(const Tree& choices, int depth) {
  for (const auto& choice : choices) {
    const Tree* delta = member(choice, "delta");
    const Tree* error = member(choice, "error");
    if (!says_something(error) && delta != nullptr) error = member(*delta, "error");
    if (says_something(error)) return message_of(*error, depth);
  }
  return {};
}

std::string object_message(const Tree& object, int depth) {
  std::string out, silent;
  for (const auto name : kMessages) {
    const Tree* inner = member(object, name);
    if (!says_something(inner) || inner->is_boolean() || inner->is_number()) continue;
    const std::string text = message_of(*inner, depth + 1);
    if (inner->is_object() && text == json_text(*inner)) {
      if (name == "error") silent = text;
      continue;
    }
    if (out.empty()) {
      out = text;
      // A short code may stand beside the message.
      if (!inner->is_string() || name == "message") break;
    } else if (name == "message" || name == "detail" || name == "error_message") {
      add_words(out, text);
    }
  }
  add_causes(out, object, depth);
  if (!out.empty() || !silent.empty()) return out.empty() ? silent : out;
  const Tree* choices = member(object, "choices");
  return choices != nullptr && choices->is_array() ? choice_message(*choices, depth + 1) : std::string();
}

std::string message_of(const Tree& tree, int depth) {
  if (depth > kDeepest) return json_text(tree);
  std::string out;
  if (tree.is_string()) return unpacked(tree.get<std::string>(), depth + 1);
  if (tree.is_array()) out = list_message(tree, depth + 1);
  if (tree.is_object()) out = object_message(tree, depth);
  return out.empty() ? json_text(tree) : out;
}

// An error may arrive as an event of a stream: then its data is read.
std::string_view without_framing(std::string_view body) {
  if (!body.starts_with("data:") && !body.starts_with("event:")) return body;
  const std::size_t data = body.find("data:");
  if (data == std::string_view::npos) return body;
  body = body.substr(data + 5);
  return trim(body.substr(0, body.find_first_of("\r\n")));
}

bool names_error(const std::string& type) {
  const std::string low = lower_case(type);
  return low.find("error") != std::string::npos || low == "failed" || low == "exception";
}

// A code that means success in some API: 0, 200, "ok".
bool is_good(const Tree& code) {
  if (code.is_number()) return code == 0 || (code >= 200 && code < 300);
  if (!code.is_string()) return true;
  const std::string low = lower_case(code.get<std::string>());
  return low.empty() || low == "ok" || low == "success" || low == "0" || low == "200";
}

bool said_false(const Tree& object, Names name) {
  const Tree* found = member(object, name);
  return found != nullptr && found->is_boolean() && !found->get<bool>();
}

// A message alone is a failure, but not beside a word such as "queued" that says what is going on.
bool message_fails(const Tree& object) {
  const bool speaks = !text_in(object, "message").empty() || !text_in(object, "msg").empty() ||
                      !text_in(object, "status_msg").empty();
  if (!speaks) return false;
  for (const auto name : {"code", "status_code", "statusCode", "status"}) {
    const Tree* code = member(object, name);
    if (code == nullptr) continue;
    const bool word = code->is_string() && std::string_view(name) == "status";
    return word ? names_error(code->get<std::string>()) : !is_good(*code);
  }
  const auto named = [&object](Names name) { return !text_in(object, name).empty(); };
  return !named("type") && !named("object") && !named("event");
}

bool fails(const Tree& object) {
  constexpr std::array<Names, 10> kErrors{"error",     "errors",     "detail",       "error_message",
                                          "error_msg", "error_type", "errorMessage", "exception",
                                          "traceback", "fault"};
  const auto said = [&](Names name) { return says_something(member(object, name)); };
  if (std::any_of(kErrors.begin(), kErrors.end(), said)) return true;
  if (said_false(object, "success") || said_false(object, "ok")) return true;
  if (names_error(text_in(object, "type")) || names_error(text_in(object, "object"))) return true;
  if (const Tree* base = member(object, "base_resp")) {
    if (const Tree* code = member(*base, "status_code"); code != nullptr && !is_good(*code)) return true;
  }
  const Tree* status = member(object, "status");
  if (status != nullptr && status->is_string() && names_error(status->get<std::string>())) return true;
  return message_fails(object);
}

void visit_objects(const Tree& tree, const std::function<void(const Tree&)>& visit, int depth) {
  if (depth > kDeepest) return;
  if (tree.is_array()) {
    for (const auto& item : tree) visit_objects(item, visit, depth + 1);
  }
  if (tree.is_string()) {
    if (const auto quoted = quoted_in(tree.get_ref<const std::string&>()))
      visit_objects(quoted->tree, visit, depth + 1);
  }
  if (!tree.is_object()) return;
  visit(tree);
  for (const auto& names : {std::span<const Names>(kMessages), std::span<const Names>(kCauses)}) {
    for (const auto name : names) {
      if (const Tree* inner = member(tree, name)) visit_objects(*inner, visit, depth + 1);
    }
  }
}

void add_objects(std::string_view text, std::vector<std::string>& out, int depth) {
  text = trim(text);
  while (text.starts_with("data:")) text = trim(text.substr(5));
  if (text.empty() || depth > kDeepest || out.size() >= kMostObjects) return;
  if (text.front() == '"') {
    const Tree tree = Tree::parse(text, nullptr, false);
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

nlohmann::json parsed(std::string_view text) {
  text = without_framing(trim(text));
  if (too_deep(text)) return Tree(Tree::value_t::discarded);
  Tree tree = Tree::parse(text, nullptr, false);
  if (tree.is_discarded() && std::any_of(text.begin(), text.end(), is_control))
    tree = Tree::parse(with_escapes(text), nullptr, false);
  if (!tree.is_discarded() || text.find('\'') == std::string_view::npos) return tree;
  return Tree::parse(from_python(text), nullptr, false);
}

std::string server_words(std::string_view text) {
  const Tree tree = parsed(text);
  const bool structured = tree.is_object() || tree.is_array() || tree.is_string();
  return one_line(structured ? message_of(tree, 0) : unpacked(std::string(without_framing(trim(text))), 0),
                  kWordsBytes);
}

bool reports_failure(std::string_view json) {
  const Tree tree = parsed(json);
  return tree.is_object() && fails(tree);
}

std::vector<std::string> objects_in(std::string_view data) {
  std::vector<std::string> out;
  add_objects(data, out, 0);
  return out;
}

std::string unquoted(std::string_view data) {
  if (!data.starts_with('"')) return std::string(data);
  const Tree tree = Tree::parse(data, nullptr, false);
  return tree.is_string() ? tree.get<std::string>() : std::string(data);
}

void each_error_object(const nlohmann::json& body, const std::function<void(const nlohmann::json&)>& visit) {
  visit_objects(body, visit, 0);
}

}  // namespace infermeter
