#include "cli/show.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "analysis/charts/charts.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/model/figures.hpp"
#include "infermeter/report/result_json.hpp"
#include "infermeter/report/verdict_json.hpp"
#include "io/files/result_folder.hpp"
#include "report/formats/csv.hpp"
#include "report/formats/github.hpp"
#include "report/formats/junit.hpp"
#include "report/formats/markdown.hpp"
#include "report/formats/requests_csv.hpp"
#include "report/formats/vllm.hpp"
#include "report/page/html_page.hpp"

namespace infermeter {
namespace {

std::string_view word(Format format) {
  if (format == Format::vllm) return "vllm";
  return format == Format::html ? "html" : "csv";
}

}  // namespace

std::string show_run(const RunResult& run, std::span<const RequestRecord> records, Format format,
                     const TableOptions& options) {
  switch (format) {
    case Format::json:
      return result_to_json(run);
    case Format::csv:
      return result_to_csv(run);
    case Format::csv_per_request:
      return requests_to_csv(run, records, [](std::string_view metric, const RequestRecord& record) {
        return figure_of(*find_figure(metric), record);
      });
    case Format::markdown:
      return result_to_markdown(run);
    case Format::junit:
      return result_to_junit(run);
    case Format::github:
      return result_to_github(run);
    case Format::vllm:
      return result_to_vllm(run, records);
    case Format::html:
      return render_html(run, make_charts(run, records));
    default:
      return render_table(run, options);
  }
}

std::string show_verdict(const Verdict& verdict, Format format, const TableOptions& options) {
  switch (format) {
    case Format::table:
      return render_verdict(verdict, options);
    case Format::json:
      return verdict_to_json(verdict);
    case Format::markdown:
      return verdict_to_markdown(verdict);
    case Format::junit:
      return verdict_to_junit(verdict);
    case Format::github:
      return verdict_to_github(verdict);
    default:
      break;
  }
  throw EnvironmentError(
      fmt::format("a verdict alone has no {}: that is made of a run's records", word(format)),
      "Render the folders that the gate compared.");
}

void put_out(const std::string& text, const std::string& file) {
  if (!file.empty()) return write_file_atomically(file, text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw EnvironmentError(fmt::format("cannot write to stdout: {}", std::generic_category().message(errno)));
}

}  // namespace infermeter
