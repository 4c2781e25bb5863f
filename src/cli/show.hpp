// Renders a result in the chosen format, for every command that shows one. Private to src/cli.
#pragma once

#include <span>
#include <string>

#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"
#include "infermeter/report/table.hpp"

namespace infermeter {

/// The run in `format`; a table without the header that `run` prints before measuring. `records` are all
/// records of the run, in any order. `options` apply to the table only.
std::string show_run(const RunResult& run, std::span<const RequestRecord> records, const Format& format,
                     const TableOptions& options);

/// A verdict without a run (a gate of saved results). Throws EnvironmentError for a format that needs a run.
std::string show_verdict(const Verdict& verdict, const Format& format, const TableOptions& options);

/// Writes to stdout, or to `file` if that is not empty (by a temporary name and a rename). Throws
/// EnvironmentError if it cannot be written.
void put_out(const std::string& text, const std::string& file = {});

}  // namespace infermeter
