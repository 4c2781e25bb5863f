// `infermeter report DIR`: a saved run or verdict again, in any format, on stdout or in a file.
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
  Asserts asserts;    // none: those that the run was made with
  bool plot = false;  // charts below the table
  std::string file;   // --out; empty: stdout
};
ReportOptions report_request(const Invocation& invocation);

/// The whole output. Throws EnvironmentError where the folder holds neither a readable run nor a verdict.
std::string render_report(const ReportOptions& options, const Terminal& terminal);

/// Prints it, and returns 0 unless --assert asks for a verdict: then 1, 5 or, of an untrustworthy run, 4.
ExitCode report_command(const ReportOptions& options);

}  // namespace infermeter
