// Why a server cannot be measured, said in one clear line: what preflight throws. No secret is in any of
// them.
#pragma once

#include <atomic>
#include <string>

#include "engine/prepare/fetch.hpp"
#include "engine/prepare/preflight.hpp"
#include "engine/prepare/trial.hpp"

namespace infermeter {

/// Throws if a signal came.
void refuse_interrupted(const std::atomic<bool>& interrupt);
/// The transport failed.
[[noreturn]] void fail_to_reach(const PreparedTarget& prepared, const HttpAnswer& answer);
/// What the server said in an error answer, or the head of any other.
std::string excerpt(const PreparedTarget& prepared, const HttpAnswer& answer);
/// It answered with an error status.
[[noreturn]] void fail_by_status(const std::string& url, int status, const std::string& said);
/// Whether the trial's answer rules out measuring, and the words for that.
bool cannot_measure(const RequestRecord& record);
[[noreturn]] void fail_trial(const PreparedTarget& prepared, const Trial& trial);

}  // namespace infermeter
