#include "cli/translate/translation.hpp"

#include <fmt/format.h>

#include "base/shell_text.hpp"
#include "cli/translate/parts.hpp"

namespace infermeter {
namespace {

/// What a data set says about the load: the times of a trace, the number of prompts.
void settle_dataset(Parts& parts) {
  const std::string dataset = parts.text(Becomes::dataset), format = parts.text(Becomes::file_format);
  if (dataset == "timed_trace" || format == "mooncake_trace" ||
      (dataset == "mooncake" && parts.has(Becomes::file)))
    parts.set(Becomes::replay, "");
  if (parts.has(Becomes::no_replay)) parts.forget(Becomes::replay);
  if (dataset == "timed_trace" && !parts.has(Becomes::trace_unit)) parts.set(Becomes::trace_unit, "1");
  if (dataset == "generated-shared-prefix" && parts.whole())
    parts.set(Becomes::requests, number_text(parts.number(Becomes::prefixes).value_or(64) *
                                             parts.number(Becomes::per_prefix).value_or(16)));
}

Translation assemble(Parts parts) {
  parts.put("run");
  settle_dataset(parts);
  put_target(parts);
  put_load(parts);
  put_workload(parts);
  put_answers(parts);
  parts.out.words.insert(parts.out.words.end(), parts.complete.begin(), parts.complete.end());
  return std::move(parts.out);
}

bool is_header(const std::vector<std::string>& words, std::size_t at) {
  return at > 0 && words[at - 1] == "-H";
}

}  // namespace

Translation translate(const RivalLine& line) {
  Parts parts(line.rival, true);
  parts.read(line.words);
  return assemble(std::move(parts));
}

Translation translate_options(Rival likely, const std::vector<std::string>& words) {
  Parts parts(likely, false);
  parts.read(words);
  return assemble(std::move(parts));
}

std::string line_text(const Translation& translation) {
  std::string out = "infermeter";
  const auto& words = translation.words;
  for (std::size_t i = 0; i < words.size(); ++i)
    out += is_header(words, i) ? fmt::format(" \"{}\"", words[i]) : " " + shell_quoted(words[i]);
  return out;
}

}  // namespace infermeter
