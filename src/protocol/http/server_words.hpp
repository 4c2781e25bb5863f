// What a server says of a failure, in any of the formats that servers and the gateways before them use. Pure;
// any thread. For failures only: it parses into trees and allocates.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "model/secrets/secrets.hpp"

namespace infermeter {

/// The message of an error body or event, on one line of at most 1 kB: JSON of any shape, Python's notation
/// of it, the framing of an event around it, or plain text. The cause that a gateway quotes inside a message
/// (JSON text, `metadata.raw`) is part of it; without a message the whole text is. Secrets are masked before
/// the cut.
std::string server_words(std::string_view text, const Secrets& secrets = {});

/// The same as the server wrote it, of any length.
std::string raw_server_words(std::string_view text);

/// Whether an object that holds neither choices nor usage reports a failure. `json`: one JSON object.
bool reports_failure(std::string_view json);

/// Calls `visit` for the body itself and each object in it that may describe the failure, also those inside
/// quoted JSON text.
void each_error_object(const nlohmann::json& body, const std::function<void(const nlohmann::json&)>& visit);

}  // namespace infermeter
