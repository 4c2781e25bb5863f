#include "workload/data/data_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

/// The text of the string whose quote is the first character; `rest` then begins after the string. If the
/// string does not end, `rest` is empty.
std::string_view take_string(std::string_view& rest) {
  std::size_t end = 1;
  while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
  if (end >= rest.size()) {
    rest = {};
    return {};
  }
  const std::string_view text = rest.substr(1, end - 1);
  rest.remove_prefix(end + 1);
  return text;
}

bool colon_follows(std::string_view rest) {
  const std::size_t at = rest.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && rest[at] == ':';
}

// The keys of the first object, inside an array or not, as written (escapes are not resolved), as far as
// `head` goes.
std::vector<std::string> first_keys(std::string_view head) {
  std::vector<std::string> keys;
  const std::size_t open = head.find('{');
  if (open == std::string_view::npos) return keys;
  head.remove_prefix(open + 1);
  int depth = 1;
  while (!head.empty() && depth > 0) {
    const char c = head.front();
    if (c == '"') {
      const std::string_view text = take_string(head);
      if (depth == 1 && colon_follows(head)) keys.emplace_back(text);
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    head.remove_prefix(1);
  }
  return keys;
}

using std::string_view;

constexpr std::array<string_view, 6> kNames{"text", "jsonl", "sharegpt", "batch", "mooncake", "azure"};
/// Other tools' names for the formats.
constexpr std::array<std::pair<string_view, DataFormat>, 4> kOtherNames{{{"vllm", DataFormat::jsonl},
                                                                         {"custom", DataFormat::jsonl},
                                                                         {"openai-batch", DataFormat::batch},
                                                                         {"openai", DataFormat::batch}}};

constexpr string_view kKnown =
    "One prompt a line, JSONL with `prompt` or `messages`, ShareGPT, OpenAI batch, a Mooncake trace or an "
    "Azure CSV; name it as in sharegpt:FILE.";

[[noreturn]] void refuse_format(string_view path, string_view what) {
  throw UsageError(fmt::format("{}: {}", path, what), std::string(kKnown));
}

string_view without_blanks(string_view head) {
  constexpr string_view kByteOrderMark = "\xef\xbb\xbf";
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return first == string_view::npos ? string_view{} : head.substr(first);
}

bool is_array_of_objects(string_view head) {
  return head.starts_with('[') && (without_blanks(head.substr(1)).starts_with('{'));
}

/// Ignores spaces, quotes and case.
std::string plain_header(string_view line) {
  std::string plain;
  for (const char c : line) {
    if (c == ' ' || c == '"' || c == '\r') continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return plain;
}

DataFormat format_of_keys(string_view path, const std::vector<std::string>& keys) {
  const auto has = [&](string_view key) { return std::ranges::find(keys, key) != keys.end(); };
  if (has("conversations")) return DataFormat::sharegpt;
  if (has("prompt") || has("messages")) return DataFormat::jsonl;
  if (has("body")) return DataFormat::batch;
  if (has("input_length") || has("hash_ids")) return DataFormat::mooncake;
  refuse_format(path, keys.empty()
                          ? "its first object has no keys"
                          : fmt::format("what is to be sent is not clear from the keys of its first object "
                                        "({})",
                                        fmt::join(keys, ", ")));
}

}  // namespace

std::vector<std::string> data_format_names() { return {kNames.begin(), kNames.end()}; }

string_view name(DataFormat format) { return kNames[static_cast<std::size_t>(format)]; }

std::optional<DataFormat> data_format_from_name(string_view name) {
  const auto known = std::ranges::find(kNames, name);
  if (known != kNames.end()) return static_cast<DataFormat>(known - kNames.begin());
  const auto other = std::ranges::find(kOtherNames, name, &std::pair<string_view, DataFormat>::first);
  return other == kOtherNames.end() ? std::nullopt : std::optional(other->second);
}

DataFile parse_data_file(string_view workload) {
  const std::size_t colon = workload.find(':');
  const auto format =
      colon == string_view::npos ? std::nullopt : data_format_from_name(workload.substr(0, colon));
  if (!format) return {std::string(workload), std::nullopt};
  return {std::string(workload.substr(colon + 1)), format};
}

DataFormat detect_format(string_view path, string_view head) {
  const string_view content = without_blanks(head);
  if (content.starts_with('{') || (is_array_of_objects(content) && !path.ends_with(".txt")))
    return format_of_keys(path, first_keys(content));
  if (plain_header(content.substr(0, content.find('\n'))) == "timestamp,contexttokens,generatedtokens")
    return DataFormat::azure;
  if (path.ends_with(".csv"))
    refuse_format(path, "its first line is not TIMESTAMP,ContextTokens,GeneratedTokens");
  if (path.ends_with(".json") || path.ends_with(".jsonl"))
    refuse_format(path, "does not begin with a JSON object");
  return DataFormat::text;
}

}  // namespace infermeter
