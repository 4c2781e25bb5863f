#include "cli/show.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "analysis/charts/charts.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/report/formats.hpp"
#include "io/files/result_folder.hpp"

namespace infermeter {

std::string show_run(const RunResult& run, std::span<const RequestRecord> records, const Format& format,
                     const TableOptions& options) {
  const FormatSpec& spec = format_named(format.name);
  const RunReport report{run, records, options, [&] { return make_charts(run, records); }};
  return format.per_request ? spec.requests(report) : spec.run(report);
}

std::string show_verdict(const Verdict& verdict, const Format& format, const TableOptions& options) {
  const FormatSpec& spec = format_named(format.name);
  if (spec.verdict) return spec.verdict(verdict, options);
  throw EnvironmentError(fmt::format("a verdict alone has no {}: that is made of a run's records", spec.name),
                         "Render the folders that the gate compared.");
}

void put_out(const std::string& text, const std::string& file) {
  if (!file.empty()) return write_file_atomically(file, text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw EnvironmentError(fmt::format("cannot write to stdout: {}", std::generic_category().message(errno)));
}

}  // namespace infermeter
