// Keys and header values, so that they can be struck out of what a server says: some repeat the key that they
// refuse.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "infermeter/model/plan.hpp"

namespace infermeter {

/// The key and the header values of a target and of the classes sent to it, those of six characters and more
/// (shorter ones are no secrets, and would be found in any text).
std::vector<std::string> secrets_of(const Target& target, const std::vector<TrafficClass>& classes = {});

/// One value, and what stands behind its scheme, if they are long enough.
void add_secret(std::string_view value, std::vector<std::string>& secrets);

/// `text` with each of them replaced by "****".
std::string without_secrets(std::string text, const std::vector<std::string>& secrets);

}  // namespace infermeter
