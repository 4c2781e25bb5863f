// The secrets in a shell command: header values, passwords, what stands behind --api-key or HF_TOKEN=. Pure;
// any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/secrets/secrets.hpp"

namespace infermeter {

/// The command for people and files: "curl -H 'Authorization: ****' http://h".
std::string mask_command(std::string_view command);

/// The values that `mask_command` hides, without those that the shell fills in ("$KEY").
std::vector<Secret> secrets_in_command(std::string_view command);

}  // namespace infermeter
