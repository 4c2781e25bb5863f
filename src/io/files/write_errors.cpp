#include "io/files/write_errors.hpp"

#include <fmt/format.h>

#include <cerrno>

#include "infermeter/base/errors.hpp"
#include "io/host/client_limit.hpp"

namespace infermeter {

void refuse_file(std::string_view action, const std::string& path, int error) {
  throw EnvironmentError(fmt::format("cannot {} {}: {}", action, path, error_words(error)));
}

void refuse_folder(const std::string& folder, int error) {
  if (error == ENOSPC || error == EDQUOT)
    throw EnvironmentError(fmt::format("no room in {}: {}", folder, error_words(error)),
                           "Free some space, or write elsewhere with --out.");
  refuse_file("write in", folder, error);
}

}  // namespace infermeter
