#include "cli/translate/translation.hpp"

#include <fmt/format.h>

#include "base/shell_text.hpp"
#include "cli/translate/parts.hpp"

namespace infermeter {
namespace {

/// Traces and replayed data sets have their own times: the load needs to know it.
void settle_replay(Parts& parts) {
  const std::string dataset = parts.text(Becomes::dataset), format = parts.text(Becomes::file_format);
  const bool timed = dataset == "timed_trace" || (dataset == "mooncake" && parts.has(Becomes::file));
  if (timed || (format == "mooncake_trace" && !parts.has(Becomes::rate) && !parts.has(Becomes::in_flight)))
    parts.set(Becomes::replay, "");
}

Translation assemble(Parts parts) {
  parts.put("run");
  settle_replay(parts);
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
