#include "text_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "infermeter/base/errors.hpp"

namespace infermeter {

std::string read_text_file(const Values& values, std::string_view option) {
  const std::string path = values.text(option);
  std::ifstream file(path, std::ios::binary);
  file.peek();  // a folder opens well and fails here
  if (!file.is_open() || file.bad())
    throw UsageError(fmt::format("{}: '{}' cannot be read", values.origin(option), path));
  file.clear();
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace infermeter
