// The terminal's capabilities (width, colour, character set), and lines on standard error. Private to
// src/cli.
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

/// The same for an open file descriptor and this process's environment.
Terminal terminal_of(int fd);

TableOptions table_options(const Terminal& terminal, bool wide, std::string directory);

/// Writes as much as possible to stderr. Never throws: a full disk or a closed pipe must not lose a
/// measurement, or end the program while it prints an error.
void write_error_output(std::string_view text) noexcept;

}  // namespace infermeter
