#include "protocol/http/server_words.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "base/text.hpp"
#include "protocol/http/loose_json.hpp"

namespace infermeter {
namespace {

using Tree = nlohmann::json;
using Names = std::string_view;

constexpr std::size_t kWordsBytes = 1024;
constexpr int kDeepest = 6;

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

// null, false, 0, "", [] and {} are no error.
bool says_something(const Tree* tree) {
  if (tree == nullptr) return false;
  if (tree->is_boolean()) return tree->get<bool>();
  if (tree->is_number()) return tree->get<double>() != 0;
  return tree->is_string() ? !trim(tree->get_ref<const std::string&>()).empty() : !tree->empty();
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
  std::string before;
  const Tree quoted = quoted_in(text, before);
  if (quoted.is_discarded() || !has_message(quoted, depth + 1)) return text;
  const std::string inner = message_of(quoted, depth + 1);
  std::string out(trim(before, " \t\r\n:-b'\""));
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
    std::string before;
    visit_objects(quoted_in(tree.get_ref<const std::string&>(), before), visit, depth + 1);
  }
  if (!tree.is_object()) return;
  visit(tree);
  for (const auto& names : {std::span<const Names>(kMessages), std::span<const Names>(kCauses)}) {
    for (const auto name : names) {
      if (const Tree* inner = member(tree, name)) visit_objects(*inner, visit, depth + 1);
    }
  }
}

}  // namespace

std::string raw_server_words(std::string_view text) {
  const Tree tree = parsed(text);
  const bool structured = tree.is_object() || tree.is_array() || tree.is_string();
  return structured ? message_of(tree, 0) : unpacked(std::string(without_framing(trim(text))), 0);
}

std::string server_words(std::string_view text, const Secrets& secrets) {
  return one_line(secrets.mask(raw_server_words(text)), kWordsBytes);
}

bool reports_failure(std::string_view json) {
  const Tree tree = parsed(json);
  return tree.is_object() && fails(tree);
}

void each_error_object(const nlohmann::json& body, const std::function<void(const nlohmann::json&)>& visit) {
  visit_objects(body, visit, 0);
}

}  // namespace infermeter
