#include "cli/options/text_file.hpp"

#include <fmt/format.h>

#include "infermeter/base/errors.hpp"
#include "io/files/result_folder.hpp"

namespace infermeter {

// A file that an option names is part of the command line: that it cannot be read is a usage error.
std::string read_text_file(const Values& values, std::string_view option) {
  const std::string path = values.text(option);
  try {
    return read_file(path);
  } catch (const EnvironmentError&) {
    throw UsageError(fmt::format("{}: '{}' cannot be read", values.origin(option), path));
  }
}

}  // namespace infermeter
