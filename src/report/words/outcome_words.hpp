// What the outcome classes and flags are called in prose, and what to do about a failure. Private to
// src/report.
#pragma once

#include <string>
#include <string_view>

#include "infermeter/model/outcome.hpp"

namespace infermeter {

/// A class that means that no good answer came, through no act of ours: a miss.
bool is_failure(Outcome outcome);
/// "HTTP 429", "no first token in time": the class in words; its name where that says it already.
std::string words_for(Outcome outcome, int status);
/// What a user could do about it; empty where there is nothing general to say.
std::string_view advice_for(Outcome outcome, int status);
/// How an answer was odd; empty for flags that the verdict tells of already.
std::string_view words_for(Flag flag);

}  // namespace infermeter
