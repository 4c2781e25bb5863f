// A result in the format that was chosen, for every command that has one to show. Private to src/cli.
#pragma once

#include <span>
#include <string>

#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"
#include "infermeter/report/table.hpp"

namespace infermeter {

/// The run in `format`; a table without the header that `run` prints before it measures. `records` are all of
/// the run, in any order. `options` are of the table alone.
std::string show_run(const RunResult& run, std::span<const RequestRecord> records, const Format& format,
                     const TableOptions& options);

/// A verdict that stands alone (a gate of saved results). Throws EnvironmentError for a format that needs a
/// run.
std::string show_verdict(const Verdict& verdict, const Format& format, const TableOptions& options);

/// On stdout, or in `file` where it is not empty (written to a temporary name and renamed). Throws
/// EnvironmentError where it cannot be written.
void put_out(const std::string& text, const std::string& file = {});

}  // namespace infermeter
