// `infermeter open [DIR]`: the page of a result, in the user's browser.
#pragma once

#include <string>

#include "cli/options/values.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {

struct OpenRequest {
  std::string directory;
};
OpenRequest open_request(const Invocation& invocation);

/// `directory` itself if it holds a result, else the folder in it whose result was written last. Throws
/// EnvironmentError if there is none.
std::string newest_result(const std::string& directory);

/// Makes the page if it is missing or older than the result, prints its path, and starts the desktop's opener
/// where there is a display; without an opener the path is all. Throws EnvironmentError.
ExitCode open_command(const OpenRequest& request);

}  // namespace infermeter
