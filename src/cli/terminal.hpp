// What the terminal can show (its width, colour, and which characters), and lines on standard error. Private
// to src/cli.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "infermeter/report/table.hpp"

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

/// The same of an open file descriptor and this process's environment.
Terminal terminal_of(int fd);

TableOptions table_options(const Terminal& terminal, bool wide, std::string directory);

/// Writes to stderr what can be written. Never throws: a full disk or a closed pipe there is no reason to
/// lose a measurement, or to die while an error is printed.
void write_error_output(std::string_view text) noexcept;

}  // namespace infermeter
