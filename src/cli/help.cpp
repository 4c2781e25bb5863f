#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/options/option_table.hpp"

namespace infermeter {
namespace {

constexpr std::string_view kProgram =
    R"(infermeter measures LLM servers: TTFT, ITL, throughput, stamped by the kernel.

  infermeter run --sim
  infermeter run http://localhost:8000 --concurrency 32 --duration 30s
  infermeter run https://api.example.com/v1 --model NAME --rate 5 -n 100 -o out

Commands
  run [URL]          measure a server, or the built-in simulator with --sim
  gate               a verdict: candidate against baseline, or limits
  simulate [PRESET]  the simulator as an OpenAI-compatible server
  compare A B …      saved results side by side, vLLM bench's too
  report DIR         a saved run again: table, HTML, Markdown, JUnit …
  merge DIR…         the shards of one run as one result
  scenarios [NAME]   the ready-made runs: infermeter run --scenario NAME

infermeter COMMAND --help lists the options; --version tells the version.
Exit codes: 0 ok, 1 gate failed, 2 usage, 3 environment, 4 not to be trusted,
5 inconclusive, 130 interrupted.
)";

constexpr std::string_view kRun =
    R"(infermeter run [URL | NAME=URL …] [OPTIONS]
Measures an OpenAI-compatible server: streams requests, stamps every chunk,
prints a table and saves the records. Times: 250ms, 30s, 10m; counts: 4k, 8_192.
A comma separates values: -c 1,8,64 is a sweep of three loads.
)";

constexpr std::string_view kRunEnd =
    R"(
Every option also stands in --config F (TOML: output-tokens = 64) and in the
environment (INFERMETER_OUTPUT_TOKENS=64); options win, then the environment.
The key comes from OPENAI_API_KEY, the URL from OPENAI_BASE_URL if not given.
)";

constexpr std::string_view kGate =
    R"(infermeter gate --baseline-url URL --candidate-url URL [OPTIONS]
infermeter gate --baseline-cmd CMD --candidate-cmd CMD [URL OPTIONS]
infermeter gate --baseline DIR … --candidate DIR … [OPTIONS]
infermeter gate DIR --assert EXPR
Judges a candidate against a baseline by interleaved pairs of runs (0 pass,
1 fail, 5 cannot tell), or a saved result by its limits.
)";

constexpr std::string_view kGateEnd =
    R"(
All other options of `run` say what each run is: load, prompts, length, output.
infermeter run --help lists them. A configuration file may hold them too, and
two [[target]] blocks in the place of the two URLs.
)";

constexpr std::string_view kSimulate =
    R"(infermeter simulate [PRESET] [OPTIONS]
Serves a simulated engine on OpenAI's API until it is stopped. The first line
on stdout is "listening on http://…".
)";

constexpr std::string_view kCompare =
    R"(infermeter compare RESULT RESULT … [OPTIONS]
Shows saved results side by side, each change with its interval. The first one
is the reference. A verdict with an exit code is `infermeter gate`.
)";

constexpr std::string_view kReport =
    R"(infermeter report DIR [OPTIONS]
Renders a saved run again, also one that was killed: from its records. Formats:
table, json, csv, markdown, junit, github, vllm, html.
)";

constexpr std::string_view kMerge =
    R"(infermeter merge DIR… -o DIR [OPTIONS]
Joins the shards of one run (run --shard R/N): figures are made anew from all
records, none is averaged.
)";

constexpr std::string_view kScenarios =
    R"(infermeter scenarios [NAME]
Lists the ready-made scenarios, or prints the file of one.
)";

constexpr std::size_t kNames = 28;  // columns of the names before what they do
constexpr std::size_t kTerminal = 80;

/// "-c, --concurrency N"; options without a letter are indented like those with one.
std::string usage_of(const OptionSpec& spec) {
  if (is_positional(spec.takes)) return fmt::format("{}", spec.argument);
  const std::string letter = spec.letter != 0 ? fmt::format("-{}, ", spec.letter) : "    ";
  const std::string_view space = spec.argument.empty() ? "" : " ";
  return fmt::format("{}--{}{}{}", letter, spec.name, space, spec.argument);
}

std::string default_of(const OptionSpec& spec) {
  const std::string_view text = spec.fallback.empty() ? spec.otherwise : spec.fallback;
  return text.empty() ? "" : fmt::format(" [{}]", text);
}

/// What stands before the explanations: at least kNames wide, two spaces beyond the longest name.
std::size_t width_of_names(std::span<const OptionSpec> specs) {
  std::size_t width = kNames;
  for (const auto& spec : specs) width = std::max(width, usage_of(spec).size() + 2);
  return width;
}

std::string options_text(std::span<const OptionSpec> specs) {
  const std::size_t width = width_of_names(specs);
  std::string out, group;
  for (const auto& spec : specs) {
    if (spec.group != group) out += fmt::format("\n{}\n", spec.group);
    group = spec.group;
    out += fmt::format("  {:<{}}{}{}\n", usage_of(spec), width, spec.help, default_of(spec));
  }
  return out;
}

/// A text that begins at column `indent`, broken at spaces so that it fits a terminal.
std::string hanging(std::string_view text, std::size_t indent) {
  std::string out;
  while (indent + text.size() > kTerminal) {
    const std::size_t end = text.rfind(' ', kTerminal - indent);
    if (end == std::string_view::npos) break;
    out += fmt::format("{}\n{:{}}", text.substr(0, end), "", indent);
    text.remove_prefix(end + 1);
  }
  return out.append(text);
}

std::string list_text(std::string_view title, const NamedLines& lines) {
  std::string out = fmt::format("\n{}\n", title);
  for (const auto& [name, line] : lines)
    out += fmt::format("  {:<{}}{}\n", name, kNames, hanging(line, 2 + kNames));
  return out;
}

}  // namespace

std::string help_text(HelpTopic topic, const NamedLines& presets, const NamedLines& faults) {
  switch (topic) {
    case HelpTopic::run:
      return std::string(kRun) + options_text(run_options()) + std::string(kRunEnd);
    case HelpTopic::gate:
      return std::string(kGate) + options_text(gate_own_options()) + std::string(kGateEnd);
    case HelpTopic::simulate:
      return std::string(kSimulate) + options_text(simulate_options()) + list_text("Presets", presets) +
             list_text("Faults (KIND of --fault)", faults);
    case HelpTopic::compare:
      return std::string(kCompare) + options_text(compare_options());
    case HelpTopic::report:
      return std::string(kReport) + options_text(report_options());
    case HelpTopic::merge:
      return std::string(kMerge) + options_text(merge_options());
    case HelpTopic::scenarios:
      return std::string(kScenarios) + options_text(scenarios_options());
    case HelpTopic::program:
      break;
  }
  return std::string(kProgram);
}

}  // namespace infermeter
