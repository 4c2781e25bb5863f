#include "cli/commands.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/gate.hpp"
#include "cli/open.hpp"
#include "cli/options/values.hpp"
#include "cli/run.hpp"
#include "cli/saved.hpp"
#include "cli/scenarios.hpp"
#include "cli/shell/completions.hpp"
#include "cli/shell/manual.hpp"
#include "cli/simulate.hpp"
#include "cli/translate.hpp"
#include "cli/version.hpp"
#include "infermeter/report/formats.hpp"

namespace infermeter {
namespace {

using Words = std::vector<std::string>;

template <auto read, auto act>
Action parsed(const Invocation& invocation) {
  return [request = read(invocation)] { return act(request); };
}

std::string run_sources() {
  return "Every option also stands in --config F (TOML: output-tokens = 64) and in the\n"
         "environment (INFERMETER_OUTPUT_TOKENS=64); options win, then the environment.\n"
         "The key comes from OPENAI_API_KEY, the URL from OPENAI_BASE_URL if not given.\n";
}

std::string compare_formats() { return fmt::format("Formats: {}.\n", format_names(can_compare)); }
std::string report_formats() { return fmt::format("Formats: {}.\n", format_names(can_show_run)); }

std::string gate_run_options() {
  return "All other options of `run` say what each run is: load, prompts, length, output.\n"
         "--help all and --help GROUP list them. A configuration file may hold them too,\n"
         "and two [[target]] blocks in the place of the two URLs.\n";
}

constexpr CommandSpec kCommands[] = {
    {.name = "run",
     .arguments = "[URL]",
     .summary = "measure a server, or the built-in simulator with --sim",
     .exit_codes = "0 1 2 3 4 5 130",
     .examples = "infermeter run --sim\n"
                 "infermeter run http://localhost:8000 --concurrency 32 --duration 30s\n"
                 "infermeter run https://api.example.com/v1 --model NAME --rate 5 -n 100 -o out",
     .options = run_options,
     .listed = run_options,
     .parse = parsed<run_request, run_command>,
     .about = "Measures an OpenAI-compatible server: streams requests, stamps every chunk,\n"
              "prints a table and saves the records. Several servers: NAME=URL NAME=URL.\n"
              "Times: 250ms, 30s, 10m; counts: 4k, 8_192.\n"
              "A comma separates values: -c 1,8,64 is a sweep of three loads.\n",
     .more = run_sources,
     .essentials = run_essentials},
    {.name = "gate",
     .arguments = "[RESULT…]",
     .summary = "a verdict: candidate against baseline, or limits",
     .exit_codes = "0 1 2 3 4 5 130",
     .examples = kGateExamples,
     .options = gate_options,
     .listed = gate_own_options,
     .parse = parsed<gate_request, gate_command>,
     .about = "Compares a candidate with a baseline: two live servers by interleaved pairs of\n"
              "runs, two commands that serve in turn on one machine, or saved results. Or\n"
              "checks one saved result against limits. 0 pass, 1 fail, 5 inconclusive.\n",
     .more = gate_run_options},
    {.name = "simulate",
     .arguments = "[PRESET]",
     .summary = "the simulator as an OpenAI-compatible server",
     .exit_codes = "0 2 3",
     .examples = "infermeter simulate h100-8b --port 8000",
     .options = simulate_options,
     .listed = simulate_options,
     .parse = parsed<simulate_request, simulate_command>,
     .about = "Serves a simulated engine on OpenAI's API until it is stopped. The first line\n"
              "on stdout is \"listening on http://…\".\n",
     .more = simulator_lists},
    {.name = "compare",
     .arguments = "RESULT…",
     .summary = "saved results side by side, vLLM bench's too",
     .exit_codes = "0 2 3",
     .examples = "infermeter compare results/before results/after",
     .options = compare_options,
     .listed = compare_options,
     .parse = parsed<compare_request, compare_command>,
     .about = "Shows saved results side by side, each change with its interval. The first one\n"
              "is the reference. `infermeter gate` gives a verdict with an exit code.\n",
     .more = compare_formats},
    {.name = "report",
     .arguments = "DIR",
     .summary = "a saved run again: table, HTML, Markdown, JUnit …",
     .exit_codes = "0 2 3; with --assert also 1 4 5",
     .examples = "infermeter report results/20261129-121501-llama-3.1-8b",
     .options = report_options,
     .listed = report_options,
     .parse = parsed<report_request, report_command>,
     .about = "Renders a saved run again, also one that was killed: from its records.\n",
     .more = report_formats},
    {.name = "merge",
     .arguments = "DIR… -o DIR",
     .summary = "the shards of one run as one result",
     .exit_codes = "0 2 3",
     .examples = "infermeter merge shard-0 shard-1 -o whole",
     .options = merge_options,
     .listed = merge_options,
     .parse = parsed<merge_request, merge_command>,
     .about = "Joins the shards of one run (run --shard R/N). Every metric is computed from all\n"
              "records; nothing is averaged.\n",
     .more = nullptr},
    {.name = "scenarios",
     .arguments = "[NAME]",
     .summary = "the ready-made runs: infermeter run --scenario NAME",
     .exit_codes = "0 2",
     .examples = "infermeter scenarios chat",
     .options = scenarios_options,
     .listed = scenarios_options,
     .parse = parsed<scenarios_request, scenarios_command>,
     .about = "Lists the ready-made scenarios, or prints the file of one.\n",
     .more = nullptr},
    {.name = "open",
     .arguments = "[DIR]",
     .summary = "the page of the newest result, in the browser",
     .exit_codes = "0 2 3",
     .examples = "infermeter open results",
     .options = open_options,
     .listed = open_options,
     .parse = parsed<open_request, open_command>,
     .about = "Prints the path of a result's report.html and opens it where there is a display.\n"
              "A page that is missing, or older than the result, is made first.\n",
     .more = nullptr},
    {.name = "completions",
     .arguments = "SHELL",
     .summary = "completion for bash, zsh or fish",
     .exit_codes = "0 2 3",
     .examples = "infermeter completions bash",
     .options = completions_options,
     .listed = completions_options,
     .parse = parsed<completions_request, completions_command>,
     .about = "Prints the completion of a shell. In ~/.bashrc:\n"
              "  source <(infermeter completions bash)\n"
              "In ~/.zshrc, after compinit:\n"
              "  source <(infermeter completions zsh)\n"
              "In ~/.config/fish/config.fish:\n"
              "  infermeter completions fish | source\n",
     .more = nullptr},
    {.name = "man",
     .arguments = "[COMMAND]",
     .summary = "the manual page, for `man -l -`",
     .exit_codes = "0 2 3",
     .examples = "infermeter man run",
     .options = man_options,
     .listed = man_options,
     .parse = parsed<man_request, man_command>,
     .about = "Prints a manual page in roff: infermeter man run | man -l -\n",
     .more = nullptr},
    {.name = "translate",
     .arguments = "LINE…",
     .summary = "a line of vllm bench, AIPerf or guidellm as ours",
     .exit_codes = "0 2",
     .examples = "infermeter translate vllm bench serve --model NAME --request-rate 5",
     .options = translate_options_table,
     .listed = translate_options_table,
     .parse = parsed<translate_request, translate_command>,
     .about = "Prints the infermeter line for a line of vllm bench serve, sglang.bench_serving,\n"
              "aiperf, genai-perf, guidellm or llmperf. What has no equivalent stands on\n"
              "stderr, one line for each option. Sends nothing.\n",
     .more = nullptr,
     .takes_line = true},
};

/// The word behind --help, unless it was typed for something else: a URL, or what a switch is turned to.
std::string_view help_topic(std::string_view word) {
  const bool other =
      word == "true" || word == "false" || word.find_first_of(":/=.") != std::string_view::npos;
  return other ? std::string_view() : word;
}

const CommandSpec* find_command(std::string_view name) {
  const auto it = std::ranges::find(kCommands, name, &CommandSpec::name);
  return it == std::end(kCommands) ? nullptr : it;
}

[[noreturn]] void refuse_command(const std::string& word) {
  if (word.find("://") != std::string::npos || word.starts_with("localhost"))
    throw UsageError("a URL is measured by `infermeter run URL`");
  if (word.starts_with('-'))
    throw UsageError(fmt::format("{} stands before a command", word.substr(0, word.find('='))),
                     "infermeter run [URL] [OPTIONS]; infermeter --help lists the commands.");
  std::vector<std::string> names;
  for (const auto& command : kCommands) names.emplace_back(command.name);
  const auto nearest = nearest_name(word, names);
  throw UsageError(nearest ? fmt::format("unknown command '{}'; did you mean {}?", word, *nearest)
                           : fmt::format("unknown command '{}'", word),
                   nearest ? "" : "infermeter --help lists the commands.");
}

bool is_help(std::string_view word) { return word == "--help" || word == "-h"; }

std::vector<Given> read_words(const CommandSpec& command, const Words& words) {
  if (!command.takes_line) return read_tokens(command.name, command.options(), words);
  const auto help = std::ranges::find_if(words, is_help);
  if (help != words.end()) return {{"help", *help, {"true"}}};
  return {{"line", "LINE", words}};
}

CommandLine parse_command(const CommandSpec& command, const Words& words, const Variables& variables,
                          const Surroundings& here) {
  auto typed = read_words(command, words);
  if (const auto help = std::ranges::find(typed, "help", &Given::option); help != typed.end())
    return {command_help(command, help_topic(help->texts.back())), {}};
  return {
      {},
      command.parse({command.name, command.examples, command.options(), std::move(typed), variables, here})};
}

}  // namespace

std::span<const CommandSpec> commands() { return kCommands; }

std::string help_hint(const Words& words) {
  const auto* command = words.empty() ? nullptr : find_command(words.front());
  return command ? fmt::format("infermeter {} --help lists the options.", command->name)
                 : std::string("infermeter --help lists the commands.");
}

CommandLine parse_command_line(const Words& words, const Variables& variables, const Surroundings& here) {
  const std::string first = words.empty() ? "help" : words.front();
  if (first == "--version" || first == "-V" || first == "version") return {version_text(), {}};
  if (first == "help" || first == "--help" || first == "-h") {
    const auto* topic = words.size() > 1 ? find_command(words[1]) : nullptr;
    return {topic ? command_help(*topic, words.size() > 2 ? words[2] : "") : program_help(), {}};
  }
  const auto* command = find_command(first);
  if (!command) refuse_command(first);
  const Words rest(words.begin() + 1, words.end());
  try {
    return parse_command(*command, rest, variables, here);
  } catch (const UsageError& error) {
    if (command->name != "run") throw;
    throw with_whole_line(error, rest, variables, here);
  }
}

}  // namespace infermeter
