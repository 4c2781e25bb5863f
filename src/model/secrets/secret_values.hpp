// Where the secrets of a run are: keys, header values, credentials and keys in URLs, values in the user's
// commands, variables of the environment. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "infermeter/model/plan.hpp"
#include "model/secrets/secrets.hpp"

namespace infermeter {

/// All of a plan.
Secrets secrets_of(const Plan& plan);

/// A header's value and, behind a scheme, the key alone; of Basic credentials the password too. Nothing of a
/// header such as Accept, whose values are words of the protocol.
std::vector<Secret> secrets_in_header(std::string_view name, std::string_view value);

/// User and password of a URL, and the values of its query that are secrets (is_secret_parameter).
std::vector<Secret> secrets_in_url(std::string_view url);

/// Whether a name says that its value is a secret: "api_key", "HF_TOKEN", "password".
bool names_secret(std::string_view name);

/// Whether the value of this variable of the environment is one: "HF_TOKEN", but not "SSH_AUTH_SOCK".
bool is_secret_variable(std::string_view name, std::string_view value);

}  // namespace infermeter
