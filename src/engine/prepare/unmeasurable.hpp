// One-line errors that say why a server cannot be measured, thrown by preflight. They contain no secrets.
#pragma once

#include <atomic>
#include <string>

#include "engine/prepare/fetch.hpp"
#include "engine/prepare/preflight.hpp"
#include "engine/prepare/trial.hpp"

namespace infermeter {

/// Throws if the run was interrupted.
void refuse_interrupted(const std::atomic<bool>& interrupt);
/// Throws for a failure of the transport.
[[noreturn]] void fail_to_reach(const PreparedTarget& prepared, const HttpAnswer& answer);
/// The server's message in an error answer, or the beginning of any other answer.
std::string excerpt(const PreparedTarget& prepared, const HttpAnswer& answer);
/// Throws for an error status.
[[noreturn]] void fail_by_status(const std::string& url, int status, const std::string& said);
/// Whether the trial's answer rules out measuring.
bool cannot_measure(const RequestRecord& record);
[[noreturn]] void fail_trial(const PreparedTarget& prepared, const Trial& trial);

}  // namespace infermeter
