// Set-up failures: thrown as `Error`, caught once in cli. A request that fails is data, never an Error.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace infermeter {

/// The exit codes of every command (docs/exit-codes.md).
enum class ExitCode {
  ok = 0,
  gate_failed = 1,
  usage = 2,          // a wrong option, value or configuration
  environment = 3,    // unreachable, unreadable, every request failed, --max-error-rate reached
  untrustworthy = 4,  // measured, but the numbers are not to be trusted
  inconclusive = 5,
  interrupted = 130,  // what was measured is saved
};

/// One clear line for the user, and optional advice on separate lines.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message, std::string advice = {})
      : std::runtime_error(message), code_(code), advice_(std::move(advice)) {}
  ExitCode code() const { return code_; }
  const std::string& advice() const { return advice_; }

 private:
  ExitCode code_;
  std::string advice_;
};

/// Bad input: names the option, the value and the rule.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message, std::string advice = {})
      : Error(ExitCode::usage, message, std::move(advice)) {}
};

/// A problem of the environment: unreachable server, unwritable folder.
class EnvironmentError : public Error {
 public:
  explicit EnvironmentError(const std::string& message, std::string advice = {})
      : Error(ExitCode::environment, message, std::move(advice)) {}
};

}  // namespace infermeter
