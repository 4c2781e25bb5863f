// JSON as servers and gateways write it where they fail: in Python's notation, with control characters inside
// its strings, quoted inside a text, framed as an event. Pure; any thread. For failures only: it parses into
// trees and allocates.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace infermeter {

/// JSON, or Python's notation of it, also framed as an event; a discarded value if it is neither, or nested
/// beyond all reason.
nlohmann::json parsed(std::string_view text);

/// As text, ill-formed UTF-8 replaced.
std::string json_text(const nlohmann::json& tree);

/// JSON inside a text: "Error from provider: {"error":{…}}", also with escaped quotes or in Python's
/// notation; a discarded value if there is none. `before`: the text before it.
nlohmann::json quoted_in(std::string_view text, std::string& before);

/// The JSON objects that can be read in the data of an event that is not one: JSON inside a JSON string, the
/// elements of an array, each of several lines, Python's notation, a second "data:". As JSON text; empty if
/// there is none.
std::vector<std::string> objects_in(std::string_view data);

/// The characters of `data` if it is one JSON string, else `data`.
std::string unquoted(std::string_view data);

/// The data of a body that is an event of a stream; any other body as it is.
std::string_view without_framing(std::string_view body);

}  // namespace infermeter
