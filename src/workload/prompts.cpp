#include "workload/prompts.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include "base/random.hpp"
#include "infermeter/base/errors.hpp"
#include "workload/synthetic/words.hpp"

namespace infermeter {
namespace {

/// The file and line that an error message names.
struct Line {
  std::string_view file;
  std::size_t number;
  std::string_view text;
};

[[noreturn]] void refuse_line(const Line& line, std::string_view rule) {
  throw UsageError(fmt::format("--prompt-file {}, line {}: {}", line.file, line.number, rule));
}

std::string json_prompt(simdjson::dom::parser& parser, const Line& line) {
  simdjson::dom::object object;
  if (parser.parse(line.text.data(), line.text.size()).get(object) != simdjson::SUCCESS)
    refuse_line(line, "is not a JSON object (its first line began one, so every line is)");
  std::string_view prompt;
  if (object["prompt"].get(prompt) != simdjson::SUCCESS) refuse_line(line, "has no text under \"prompt\"");
  if (prompt.empty()) refuse_line(line, "has an empty \"prompt\"");
  return std::string(prompt);
}

std::string plain_prompt(const Line& line) {
  if (!simdjson::validate_utf8(line.text.data(), line.text.size())) refuse_line(line, "is not UTF-8");
  return std::string(line.text);
}

std::string_view cut_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_blank_line(std::string_view text) { return text.find_first_not_of(" \t") == std::string_view::npos; }
bool opens_object(std::string_view text) { return text[text.find_first_not_of(" \t")] == '{'; }

}  // namespace

std::vector<std::string> parse_prompt_lines(std::string_view file_name, std::string_view content) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (content.starts_with(kByteOrderMark)) content.remove_prefix(kByteOrderMark.size());
  std::vector<std::string> prompts;
  simdjson::dom::parser parser;
  bool json = false;
  for (std::size_t number = 1; !content.empty(); ++number) {
    const Line line{file_name, number, cut_line(content)};
    if (is_blank_line(line.text)) continue;
    if (prompts.empty()) json = opens_object(line.text);
    prompts.push_back(json ? json_prompt(parser, line) : plain_prompt(line));
  }
  if (prompts.empty()) throw UsageError(fmt::format("--prompt-file {}: holds no prompt", file_name));
  return prompts;
}

std::string make_nonce(std::uint64_t entropy) {
  constexpr std::uint32_t kNonceWords = 4;
  std::string nonce;
  for (std::uint32_t i = 0; i < kNonceWords; ++i) {
    if (i > 0) nonce += ' ';
    nonce += kWords[mix64(entropy + i) >> 32 & (kWordCount - 1)];
  }
  return nonce;
}

}  // namespace infermeter
