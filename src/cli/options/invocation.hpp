// One command line before its options are checked, and its environment.
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

/// Inputs of a run besides options and variables.
struct Surroundings {
  std::uint64_t entropy = 0;     // the source of a run's nonce if none is given
  std::int64_t now_unix_ms = 0;  // the current time
};

struct Invocation {
  std::string_view command;   // "run"
  std::string_view examples;  // correct ones, for advice
  std::span<const OptionSpec> options;
  std::vector<Given> typed;
  Variables variables;
  Surroundings here;
  /// Values from the command line only.
  Values values() const { return {options, typed}; }
};

}  // namespace infermeter
