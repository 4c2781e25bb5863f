// Keys and header values, so that they can be removed from server messages: some servers repeat the key that
// they reject.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "infermeter/model/plan.hpp"

namespace infermeter {

/// The key and the header values of a target and of the classes sent to it, if they have six characters or
/// more (shorter ones are not secrets, and would occur in any text).
std::vector<std::string> secrets_of(const Target& target, const std::vector<TrafficClass>& classes = {});

/// A value, and the part after its scheme, if they are long enough.
void add_secret(std::string_view value, std::vector<std::string>& secrets);

/// `text` with each of them replaced by "****".
std::string without_secrets(std::string text, const std::vector<std::string>& secrets);

}  // namespace infermeter
