#include "cli/translate.hpp"

#include <fmt/format.h>

#include "cli/output.hpp"
#include "cli/run.hpp"

namespace infermeter {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kExample =
    "infermeter translate vllm bench serve --model NAME --request-rate 5 --num-prompts 100";

/// Why `run --dry-run` would refuse the line; empty: it would not.
std::string refusal_of(const Translation& translation, const Variables& variables, const Surroundings& here) {
  try {
    const auto options = run_options();
    const Words& words = translation.words;
    const RunRequest request = run_request(
        {"run", "", options, read_tokens("run", options, {words.begin() + 1, words.end()}), variables, here});
    dry_run_text(request.plan);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

Translation translated(const Words& words) {
  const auto line = read_rival_line(words);
  if (!line)
    throw UsageError(
        "translate: not a line of vllm bench serve, sglang.bench_serving, aiperf, genai-perf, guidellm or "
        "llmperf",
        std::string(kExample));
  return translate(*line);
}

std::optional<Translation> mixed_line(const Words& words) {
  const auto rival = likely_rival(words);
  if (!rival) return std::nullopt;
  auto translation = translate_options(*rival, words);
  if (!translation.foreign || translation.unknown) return std::nullopt;
  return translation;
}

}  // namespace

Translation translate_request(const Invocation& invocation) {
  const Words words = invocation.values().list("line");
  if (words.empty()) throw UsageError("translate: no line given", std::string(kExample));
  Translation translation = translated(words);
  const std::string refusal = refusal_of(translation, invocation.variables, invocation.here);
  if (!refusal.empty()) translation.notes.push_back("not yet accepted: " + refusal);
  return translation;
}

ExitCode translate_command(const Translation& translation) {
  put_out(line_text(translation) + "\n");
  for (const auto& note : translation.notes) print_line(note);
  return ExitCode::ok;
}

UsageError with_whole_line(const UsageError& error, const Words& words, const Variables& variables,
                           const Surroundings& here) {
  const auto line = read_rival_line(words);
  const auto translation = line ? translate(*line) : mixed_line(words);
  if (!translation || (!line && !refusal_of(*translation, variables, here).empty())) return error;
  std::string advice = line || error.advice().empty() ? "" : error.advice() + "\n";
  advice += "The whole line here:\n" + line_text(*translation);
  for (const auto& note : translation->notes) advice += "\n" + note;
  return UsageError(line ? fmt::format("run: this is a line of {}", title_of(line->rival)) : error.what(),
                    advice);
}

}  // namespace infermeter
