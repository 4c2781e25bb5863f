// The limits that a response's headers show as used up, each with its reset. Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "infermeter/model/record.hpp"

namespace infermeter {

/// Views of the headers.
struct UsedUpLimit {
  std::string_view remaining;  // the header's name: "x-ratelimit-remaining-tokens"
  std::string_view reset;      // the value of the header with its reset, in any form; empty: there is none
};

/// Names are in lower case.
std::vector<UsedUpLimit> used_up_limits(const HeaderValues& headers);

}  // namespace infermeter
