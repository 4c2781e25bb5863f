#include "cli/saved.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "analysis/charts/charts.hpp"
#include "cli/options/plan_values.hpp"
#include "cli/output.hpp"
#include "infermeter/analysis/thresholds.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/report/formats.hpp"
#include "infermeter/report/result_json.hpp"
#include "infermeter/run/saved_run.hpp"
#include "io/files/result_folder.hpp"
#include "model/load.hpp"
#include "run/exit_codes.hpp"

namespace infermeter {
namespace {

bool holds(const std::string& directory, const char* name) {
  std::error_code ignored;
  return std::filesystem::exists(directory + "/" + name, ignored);
}

Verdict read_verdict(const std::string& directory) {
  const std::string path = directory + "/verdict.json";
  try {
    return verdict_from_json(read_file(path));
  } catch (const EnvironmentError& error) {
    throw EnvironmentError(path + ": " + error.what(), error.advice());
  }
}

/// A gate of saved results has no measurement of its own.
bool is_verdict_alone(const std::string& directory) {
  return holds(directory, "verdict.json") && !holds(directory, "result.json");
}

void compare_as_asked(const ReportOptions& options, SavedRun& saved) {
  if (!options.against.empty() || !options.sort.empty()) {
    if (saved.run.targets.size() < 2)
      throw UsageError(fmt::format("{} needs several targets: {} has one",
                                   options.sort.empty() ? "--against" : "--sort", options.directory));
  }
  std::vector<std::string> names;
  for (const auto& target : saved.run.targets) names.push_back(target_name(target));
  const auto against = options.against.empty()
                           ? std::nullopt
                           : std::optional(target_named("--against", options.against, names));
  compare_again(saved, against, options.sort);
}

SavedRun judged_run(const ReportOptions& options) {
  SavedRun saved = read_saved_run(options.directory);
  compare_as_asked(options, saved);
  judge_again(saved, options.asserts.thresholds, options.asserts.by_point);
  if (!saved.run.verdict && holds(options.directory, "verdict.json"))
    saved.run.verdict = read_verdict(options.directory);
  return saved;
}

std::string render_run(const SavedRun& saved, const ReportOptions& options, const TableOptions& table) {
  const std::string text = show_run(saved.run, saved.records, options.format, table);
  if (options.format.name != "table") return text;
  const std::string page = render_header(saved.run, table) + "\n" + text;
  return options.plot ? page + "\n" + render_plot(saved.run, make_charts(saved.run, saved.records), table)
                      : page;
}

struct Rendered {
  std::string text;
  ExitCode code = ExitCode::ok;
};

Rendered rendered(const ReportOptions& options, const Terminal& terminal) {
  const TableOptions table = table_options(terminal, options.wide, options.directory);
  if (is_verdict_alone(options.directory) && !options.asserts.thresholds.empty())
    throw UsageError(fmt::format("--assert: {} has only a verdict, no run to check", options.directory));
  if (is_verdict_alone(options.directory))
    return {show_verdict(read_verdict(options.directory), options.format, table)};
  const SavedRun saved = judged_run(options);
  if (options.page) write_page(saved.run, saved.records, options.directory);
  const bool judged = !options.asserts.thresholds.empty();
  return {render_run(saved, options, table), judged ? exit_code_of_saved(saved.run) : ExitCode::ok};
}

}  // namespace

ReportOptions report_request(const Invocation& invocation) {
  const Values values = invocation.values();
  ReportOptions options;
  options.directory = values.text("directory");
  if (options.directory.empty())
    throw UsageError("report: no folder given", std::string(invocation.examples));
  options.format = format_of(values);
  options.wide = values.flag("wide");
  options.asserts = asserts_of(values);
  options.against = values.text("against");
  if (values.given("sort")) options.sort = parse_figure(values.origin("sort"), values.text("sort"));
  options.plot = values.flag("plot");
  options.file = values.text("out");
  if (options.plot && options.format.name != "table")
    throw UsageError("--plot: draws below the table; --format html has its own charts");
  return options;
}

std::string render_report(const ReportOptions& options, const Terminal& terminal) {
  return rendered(options, terminal).text;
}

ExitCode report_command(const ReportOptions& options) {
  // A file is not formatted for this terminal.
  const Terminal terminal = options.file.empty() ? terminal_of(STDOUT_FILENO) : Terminal{};
  warn_of_unfinished(options.directory);
  const Rendered report = rendered(options, terminal);
  put_out(report.text, options.file);
  return report.code;
}

}  // namespace infermeter
