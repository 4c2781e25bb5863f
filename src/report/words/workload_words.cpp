#include "report/words/workload_words.hpp"

#include <fmt/format.h>

#include "infermeter/base/units.hpp"
#include "report/tables/figures.hpp"

namespace infermeter {
namespace {

/// "4096" → "4,096"; "uniform:1k,8k" stays as people write it.
std::string length_words(const std::string& text) {
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos)
    return text;
  return format_count(parse_count("tokens", text));
}

/// One side of "8k/1k".
std::string side(const std::string& shape, bool output) {
  const auto slash = shape.find('/');
  if (slash == std::string::npos) return {};
  return output ? shape.substr(slash + 1) : shape.substr(0, slash);
}

std::string asked(std::uint32_t tokens, const LoadPoint* load, bool output, const std::string& own) {
  if (load && !load->shape.empty() && tokens == 0) return side(load->shape, output);
  return tokens > 0 ? format_count(tokens) : length_words(own);
}

std::string items_words(const Workload& work) {
  std::string text;
  if (work.items > 0) text = counted(work.items, "item", "items");
  if (work.bad_lines > 0)
    text += (text.empty() ? "" : ", ") + counted(work.bad_lines, "bad line", "bad lines") + " skipped";
  return text.empty() ? text : " (" + text + ")";
}

}  // namespace

std::string workload_words(const Workload& work, const LoadPoint* load) {
  const std::string out = asked(load ? load->output_tokens : 0, load, true, work.output_tokens);
  const std::string in = asked(load ? load->input_tokens : 0, load, false, work.input_tokens);
  const std::string exactly = work.exact_output ? "exactly " : "";
  if (work.source == "synthetic" || work.source.empty()) {
    const std::string text = in + " tokens in";
    return out.empty() ? text : fmt::format("{}, {}{} out", text, exactly, out);
  }
  const std::string from = work.source == "prompt" ? "the prompt given" : "prompts of " + work.source;
  const std::string text = from + items_words(work);
  if (out.empty()) return text;
  return fmt::format("{}, {}{} out", text, work.exact_output ? "exactly " : "at most ", out);
}

}  // namespace infermeter
