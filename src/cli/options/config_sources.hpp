// Merges options from a scenario, a file, the environment and the command line: a higher source replaces a
// lower one option by option, together with the options that exclude it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options/values.hpp"

namespace infermeter {

/// INFERMETER_<OPTION>; one that resembles an option is a UsageError that names it. Skips the project's other
/// variables (script/ci-gate, commands around a point) and unknown ones.
std::vector<Given> from_variables(std::span<const OptionSpec> specs, const Variables& variables);
/// The unknown ones, which set nothing: for a warning.
std::vector<std::string> unknown_variables(std::span<const OptionSpec> specs, const Variables& variables);

/// One [[target]] or [[class]].
struct Part {
  std::string where;  // "run.toml:3: [[target]]", for messages
  Values own;         // its own keys (block_keys)
  Values given;       // the options set in the block
  Values values;      // all options that apply to it
};

struct Settings {
  std::string scenario;  // its name, or empty
  Values values;         // for the whole run
  std::vector<Part> targets, classes;
};

/// Options of `run`. Priority: command line, environment, file, scenario (selected by --config and --scenario
/// in a higher source). Within a file or scenario: [quick] (with --quick), block, top level. Options that
/// exclude each other are rejected within one source; across sources the higher one wins. A URL or --sim
/// replaces the [[target]] blocks of lower sources.
Settings join_sources(const Variables& variables, const std::vector<Given>& typed);

}  // namespace infermeter
