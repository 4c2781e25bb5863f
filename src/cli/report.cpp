#include "report.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "infermeter/report/csv.hpp"
#include "infermeter/report/result_json.hpp"
#include "saved_verdict.hpp"

namespace infermeter {

namespace {

RunResult judged_run(const ReportOptions& options) {
  SavedRun saved = read_saved_run(options.directory);
  judge_again(saved, options.asserts);
  return std::move(saved.run);
}

std::string render(const RunResult& run, const ReportOptions& options, const Terminal& terminal) {
  switch (options.format) {
    case Format::json:
      return result_to_json(run);
    case Format::csv:
      return result_to_csv(run);
    default:
      break;
  }
  const TableOptions table = table_options(terminal, options.wide, options.directory);
  return render_header(run, table) + "\n" + render_table(run, table);
}

}  // namespace

std::string render_report(const ReportOptions& options, const Terminal& terminal) {
  return render(judged_run(options), options, terminal);
}

ExitCode report_command(const ReportOptions& options) {
  const RunResult run = judged_run(options);
  const std::string text = render(run, options, terminal_of(STDOUT_FILENO));
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw EnvironmentError(std::string("cannot write to stdout: ") + std::strerror(errno));
  return exit_code_of(run, options.asserts);
}

}  // namespace infermeter
