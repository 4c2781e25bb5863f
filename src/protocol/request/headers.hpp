// The header lines of a request. Pure; any thread. The lines hold secrets: never shown, never saved.
#pragma once

#include <string>
#include <vector>

#include "infermeter/model/plan.hpp"
#include "model/target_url.hpp"

namespace infermeter {

/// Our headers and the target's, which replace ours of the same name. The key goes into the endpoint's
/// header, by default Authorization: Bearer, on Azure api-key; or into `target.auth_header`, where
/// "Authorization" means Bearer.
std::vector<std::string> header_lines(const Target& target, const TargetUrl& url, bool stream);

}  // namespace infermeter
