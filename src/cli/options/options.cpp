#include "cli/options/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "cli/options/gate_values.hpp"
#include "cli/options/load_values.hpp"
#include "cli/options/options_tokens.hpp"
#include "cli/options/shard_values.hpp"
#include "cli/shown_command.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/suggest.hpp"
#include "infermeter/model/target_url.hpp"

namespace infermeter {
namespace {

using Words = std::vector<std::string>;

bool asks_for_help(const std::vector<Given>& typed) {
  return std::ranges::find(typed, "help", &Given::option) != typed.end();
}

std::string sim_preset_of(const Values& values) {
  const std::string preset = values.text("sim");
  if (preset.find("://") != std::string::npos)
    throw UsageError(fmt::format("{} and a URL exclude each other", values.origin("sim")),
                     "--sim measures the built-in simulator, a URL the server there.");
  return preset.empty() ? sim::ServerOptions{}.preset : preset;
}

Command run_request(const Words& words, const Variables& variables, const Surroundings& here) {
  const auto typed = read_tokens(run_options(), words);
  if (asks_for_help(typed)) return ShowHelp{HelpTopic::run};
  const Settings settings = join_sources(variables, typed);
  const Values& values = settings.values;
  RunRequest request;
  request.sim = values.given("sim");
  if (request.sim) request.sim_preset = sim_preset_of(values);
  request.plan = plan_of(settings, variables, here);
  request.plan.command_line = shown_command("run", run_options(), typed);
  request.faults = values.list("fault");
  request.truth = values.text("truth");
  request.dry_run = values.flag("dry-run");
  request.quiet = values.flag("quiet");
  request.note = unused_launcher_note(request.plan, variables);
  return request;
}

Command simulate_request(const Words& words) {
  const auto typed = read_tokens(simulate_options(), words);
  if (asks_for_help(typed)) return ShowHelp{HelpTopic::simulate};
  Values values(simulate_options());
  for (const auto& given : typed) values.add(given);
  SimulateRequest request;
  request.server.preset = values.text("preset");
  request.server.host = values.text("host");
  request.server.port =
      static_cast<std::uint16_t>(values.count("port", 0, std::numeric_limits<std::uint16_t>::max()));
  request.server.time_scale = values.positive_number("time-scale");
  request.server.truth_path = values.text("truth");
  request.server.seed = values.count("seed", 0, kMaxSeed);
  request.faults = values.list("fault");
  return request;
}

Command compare_command_of(const Words& words) {
  const auto typed = read_tokens(compare_options(), words);
  if (asks_for_help(typed)) return ShowHelp{HelpTopic::compare};
  Values values(compare_options());
  for (const auto& given : typed) values.add(given);
  return compare_request(values);
}

Command report_request(const Words& words) {
  const auto typed = read_tokens(report_options(), words);
  if (asks_for_help(typed)) return ShowHelp{HelpTopic::report};
  Values values(report_options());
  for (const auto& given : typed) values.add(given);
  ReportOptions options;
  options.directory = values.text("directory");
  if (options.directory.empty())
    throw UsageError("report: names no folder", "infermeter report results/20261129-121501-llama-3.1-8b");
  options.format = format_of(values);
  options.wide = values.flag("wide");
  options.asserts = asserts_of(values);
  options.plot = values.flag("plot");
  options.file = values.text("out");
  if (options.plot && options.format != Format::table)
    throw UsageError("--plot: draws beneath the table; --format html has its own pictures");
  return options;
}

Command merge_request(const Words& words) {
  const auto typed = read_tokens(merge_options(), words);
  if (asks_for_help(typed)) return ShowHelp{HelpTopic::merge};
  Values values(merge_options());
  for (const auto& given : typed) values.add(given);
  MergeRequest request;
  request.directories = values.list("directories");
  request.out = values.text("out");
  constexpr std::string_view kExample = "infermeter merge shard-0 shard-1 -o whole";
  if (request.directories.empty())
    throw UsageError("merge: names no folders of shards", std::string(kExample));
  if (request.out.empty()) throw UsageError("merge: names no folder for the result", std::string(kExample));
  request.allow_missing = values.flag("allow-missing");
  request.format = format_of(values);
  request.wide = values.flag("wide");
  return request;
}

Command scenarios_request(const Words& words) {
  const auto typed = read_tokens(scenarios_options(), words);
  if (asks_for_help(typed)) return ShowHelp{HelpTopic::scenarios};
  Values values(scenarios_options());
  for (const auto& given : typed) values.add(given);
  return ScenariosRequest{values.text("name")};
}

Command help_request(const Words& words) {
  const std::string topic = words.size() > 1 ? words[1] : "";
  if (topic == "run") return ShowHelp{HelpTopic::run};
  if (topic == "gate") return ShowHelp{HelpTopic::gate};
  if (topic == "simulate") return ShowHelp{HelpTopic::simulate};
  if (topic == "compare") return ShowHelp{HelpTopic::compare};
  if (topic == "report") return ShowHelp{HelpTopic::report};
  if (topic == "merge") return ShowHelp{HelpTopic::merge};
  if (topic == "scenarios") return ShowHelp{HelpTopic::scenarios};
  return ShowHelp{HelpTopic::program};
}

[[noreturn]] void refuse_command(const std::string& word) {
  const std::array<std::string, 7> commands{"run",    "gate",  "simulate", "compare",
                                            "report", "merge", "scenarios"};
  if (word.find("://") != std::string::npos || word.starts_with("localhost"))
    throw UsageError("a URL is measured by `infermeter run URL`");
  if (word.starts_with('-'))
    throw UsageError(fmt::format("{} stands before a command", word.substr(0, word.find('='))),
                     "infermeter run [URL] [OPTIONS]; infermeter --help lists the commands.");
  const auto nearest = nearest_name(word, commands);
  throw UsageError(nearest ? fmt::format("unknown command '{}'; did you mean {}?", word, *nearest)
                           : fmt::format("unknown command '{}'", word),
                   nearest ? "" : "infermeter --help lists the commands.");
}

}  // namespace

Command parse_command_line(const Words& words, const Variables& variables, const Surroundings& here) {
  if (words.empty()) return ShowHelp{};
  const std::string& command = words.front();
  const Words rest(words.begin() + 1, words.end());
  if (command == "run") return run_request(rest, variables, here);
  if (command == "gate") return gate_request(rest, variables, here);
  if (command == "simulate") return simulate_request(rest);
  if (command == "compare") return compare_command_of(rest);
  if (command == "report") return report_request(rest);
  if (command == "merge") return merge_request(rest);
  if (command == "scenarios") return scenarios_request(rest);
  if (command == "help" || command == "--help" || command == "-h") return help_request(words);
  if (command == "--version" || command == "-V" || command == "version") return ShowVersion{};
  refuse_command(command);
}

}  // namespace infermeter
