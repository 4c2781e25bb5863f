#include "report.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "infermeter/report/csv.hpp"
#include "infermeter/report/result_json.hpp"
#include "saved_run.hpp"

namespace infermeter {

std::string render_report(const ReportOptions& options, const Terminal& terminal) {
  const RunResult run = read_saved_run(options.directory).run;
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

ExitCode report_command(const ReportOptions& options) {
  const std::string text = render_report(options, terminal_of(STDOUT_FILENO));
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw EnvironmentError(std::string("cannot write to stdout: ") + std::strerror(errno));
  return ExitCode::ok;
}

}  // namespace infermeter
