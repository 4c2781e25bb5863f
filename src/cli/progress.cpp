#include "cli/progress.hpp"

#include <unistd.h>

#include "cli/error_output.hpp"
#include "cli/terminal.hpp"

namespace infermeter {

ProgressStyle progress_style(const Plan& plan) {
  const Terminal terminal = terminal_of(STDERR_FILENO);
  ProgressStyle style{.kind = plan.output.progress, .width = terminal.width, .ascii = terminal.ascii};
  if (style.kind == Progress::automatic)
    style.kind = isatty(STDERR_FILENO) != 0 ? Progress::bar : Progress::plain;
  return style;
}

Say say_progress(const ProgressStyle& style) {
  return [quiet = style.kind == Progress::none](const std::string& line) {
    if (!quiet) write_error_output(line + "\n");
  };
}

}  // namespace infermeter
