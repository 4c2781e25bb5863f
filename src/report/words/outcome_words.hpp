// The outcome classes and flags in prose, and the advice for a failure. Private to src/report.
#pragma once

#include <string>
#include <string_view>

#include "infermeter/model/outcome.hpp"

namespace infermeter {

/// "HTTP 429", "no first token in time": the class in words; its name where that is clear enough.
std::string words_for(Outcome outcome, int status);
/// Advice for the user; empty where there is none in general.
std::string_view advice_for(Outcome outcome, int status, std::string_view example);
/// What was odd about an answer; empty for flags that the verdict shows already.
std::string_view words_for(Flag flag);

}  // namespace infermeter
