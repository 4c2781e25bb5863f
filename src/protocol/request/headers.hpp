// The header lines of a request. Pure; any thread. The lines hold secrets: never shown, never saved.
#pragma once

#include <string>
#include <vector>

#include "infermeter/model/plan.hpp"
#include "model/target_url.hpp"

namespace infermeter {

/// Ours, and the target's own in place of ours of the same name. The key goes as
/// the endpoint wants it, on Azure as api-key, else as Authorization: Bearer; or in
/// `target.auth_header`, of which "Authorization" means Bearer.
std::vector<std::string> header_lines(const Target& target, const TargetUrl& url, bool stream);

}  // namespace infermeter
