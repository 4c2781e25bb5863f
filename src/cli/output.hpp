// What the commands write: a result or a verdict in the chosen format on stdout or in a file, lines on
// standard error, and what the terminal can show. Private to src/cli.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/log/log.hpp"
#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"
#include "infermeter/report/table.hpp"
#include "model/secrets/secrets.hpp"

namespace infermeter {

struct Terminal {
  unsigned width = 80;
  bool color = false;
  bool ascii = false;
};

/// Reads one environment variable; nothing if it is not set.
using VariableLookup = std::function<std::optional<std::string>(const char* name)>;

/// Width: `columns` (0: unknown), else COLUMNS, else 80. Colour: on a terminal only, not under NO_COLOR or
/// TERM=dumb. ASCII: where the charset of LC_ALL, LC_CTYPE or LANG, the first that is set, is not UTF-8.
Terminal describe_terminal(bool is_terminal, unsigned columns, const VariableLookup& variables);

/// The same for an open file descriptor and this process's environment.
Terminal terminal_of(int fd);

TableOptions table_options(const Terminal& terminal, bool wide, std::string directory);

/// Writes as much as possible to stderr, as it is: for our own text. Never throws: a full disk or a closed
/// pipe must not lose a measurement, or end the program while it prints an error.
void write_error_output(std::string_view text) noexcept;
/// Masked in all that is written to stdout, stderr and a file from then on; before threads are started.
void keep_from_output(Secrets secrets);
/// A line on stderr with text from anywhere: a line break in it becomes a space.
void print_line(std::string_view line) noexcept;
/// A line on stderr for each.
void print_warnings(std::span<const std::string> warnings);
/// One, if another process is still writing a result in this folder.
void warn_of_unfinished(const std::string& folder);

/// The run in `format`; a table without the header that `run` prints before measuring. `records` are all
/// records of the run, in any order. `options` apply to the table only.
std::string show_run(const RunResult& run, std::span<const RequestRecord> records, const Format& format,
                     const TableOptions& options);

/// What -v and --log ask for; null: nothing is logged. Its lines go to stderr as print_line's. Throws
/// EnvironmentError if the file cannot be written.
std::unique_ptr<Log> make_log(unsigned verbosity, const std::string& file, const std::string& command_line);

/// Beside the result.
inline constexpr std::string_view kPageName = "report.html";
/// The page of a run, or of a verdict without a run, in its folder. Warns where it cannot be written: the
/// result is saved, and `infermeter open` makes the page later.
void write_page(const RunResult& run, std::span<const RequestRecord> records, const std::string& directory);
void write_page(const Verdict& verdict, const std::string& directory);

/// A verdict without a run (a gate of saved results). Throws EnvironmentError for a format that needs a run.
std::string show_verdict(const Verdict& verdict, const Format& format, const TableOptions& options);

/// Writes to stdout, or to `file` if that is not empty (by a temporary name and a rename). Throws
/// EnvironmentError if it cannot be written.
void put_out(const std::string& text, const std::string& file = {});

}  // namespace infermeter
