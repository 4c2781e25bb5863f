#include "report.hpp"

#include <unistd.h>

#include "infermeter/analysis/charts.hpp"
#include "infermeter/report/csv.hpp"
#include "infermeter/report/html_page.hpp"
#include "infermeter/report/result_json.hpp"
#include "infermeter/report/terminal_plot.hpp"
#include "run_setup.hpp"
#include "saved_verdict.hpp"

namespace infermeter {

namespace {

SavedRun judged_run(const ReportOptions& options) {
  SavedRun saved = read_saved_run(options.directory);
  judge_again(saved, options.asserts);
  return saved;
}

std::string render(const SavedRun& saved, const ReportOptions& options, const Terminal& terminal) {
  const RunResult& run = saved.run;
  switch (options.format) {
    case Format::json:
      return result_to_json(run);
    case Format::csv:
      return result_to_csv(run);
    case Format::html:
      return render_html(run, make_charts(run, saved.records));
    default:
      break;
  }
  const TableOptions table = table_options(terminal, options.wide, options.directory);
  const std::string page = render_header(run, table) + "\n" + render_table(run, table);
  return options.plot ? page + "\n" + render_plot(run, make_charts(run, saved.records), table) : page;
}

}  // namespace

std::string render_report(const ReportOptions& options, const Terminal& terminal) {
  return render(judged_run(options), options, terminal);
}

ExitCode report_command(const ReportOptions& options) {
  const SavedRun saved = judged_run(options);
  print(render(saved, options, terminal_of(STDOUT_FILENO)));
  return exit_code_of(saved.run, options.asserts);
}

}  // namespace infermeter
