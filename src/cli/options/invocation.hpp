// One command as it was typed, before its options are judged, and what surrounds the process.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/values.hpp"

namespace infermeter {

/// Environment variables by name, as the caller found them.
using Variables = std::map<std::string, std::string>;

/// What a run takes from its surroundings beside options and variables.
struct Surroundings {
  std::uint64_t entropy = 0;     // makes the nonce of a run that is given none
  std::int64_t now_unix_ms = 0;  // says what today is
};

struct Invocation {
  std::string_view command;   // "run"
  std::string_view examples;  // right ones, for advice
  std::span<const OptionSpec> options;
  std::vector<Given> typed;
  Variables variables;
  Surroundings here;
  /// Of the command line alone.
  Values values() const { return {options, typed}; }
};

}  // namespace infermeter
