// `infermeter report DIR`: renders a saved run or verdict in any format, on stdout or to a file.
#pragma once

#include <string>

#include "cli/options/assert_values.hpp"
#include "cli/options/invocation.hpp"
#include "cli/terminal.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

struct ReportOptions {
  std::string directory;
  Format format;
  bool wide = false;
  Asserts asserts;    // none: the assertions of the run
  bool plot = false;  // charts below the table
  std::string file;   // --out; empty: stdout
};
ReportOptions report_request(const Invocation& invocation);

/// The whole output. Throws EnvironmentError if the folder holds neither a readable run nor a verdict.
std::string render_report(const ReportOptions& options, const Terminal& terminal);

/// Prints it. Returns 0 without assertions; with --assert 1 or 5 as the verdict says, or 4 for an
/// untrustworthy run.
ExitCode report_command(const ReportOptions& options);

}  // namespace infermeter
