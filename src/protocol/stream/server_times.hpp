// The raw times of ServerTiming in one meaning and one unit, where the server's own documentation says what
// they are (docs/vendors.md). Pure; any thread.
#pragma once

#include <string_view>

#include "infermeter/model/record.hpp"

namespace infermeter {

/// `server_json` as RequestRecord::server has it; empty or unknown text gives nothing.
ServerTimes server_times(std::string_view server_json);

}  // namespace infermeter
