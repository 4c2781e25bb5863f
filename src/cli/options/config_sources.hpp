// Merges options from a scenario, a file, the environment and the command line: a higher source replaces a
// lower one option by option, together with the options that exclude it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options/values.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

/// INFERMETER_<OPTION>; one that resembles an option is a UsageError that names it. Skips the project's other
/// variables (script/ci-gate, commands around a point) and unknown ones.
std::vector<Given> from_variables(std::span<const OptionSpec> specs, const Variables& variables);
/// The unknown ones, which set nothing: for a warning.
std::vector<std::string> unknown_variables(std::span<const OptionSpec> specs, const Variables& variables);

/// What is known about the vendor of a target; empty if nothing is.
struct Vendor {
  VendorFacts facts;
  std::string url_example;        // if its URL is the user's own
  std::string extra_body;         // of its file
  Values options{run_options()};  // of its file: the lowest priority. Empty if the facts are of --config
};

/// One [[target]], --vendor or [[class]].
struct Part {
  std::string where;  // "run.toml:3: [[target]]", for messages
  Values own;         // its own keys (block_keys)
  Values given;       // the options set in the block, or by its vendor
  Values values;      // all options that apply to it
  Vendor vendor;
};

struct Settings {
  std::string scenario;  // its name, or empty
  Values values;         // for the whole run
  Vendor vendor;         // of a run without parts
  std::vector<Part> targets, classes;
  std::vector<std::string> notes;  // for warnings: two files that disagree
};

/// Options of `run`. Priority: command line, environment, files, scenario (selected by --config and
/// --scenario in a higher source), the vendor's file. Of several files the later one wins. Within a file or
/// scenario: [quick] (with --quick), block, top level. Options that exclude each other are rejected within
/// one source; across sources the higher one wins. A URL, --vendor or --sim replaces the [[target]] blocks of
/// lower sources; several --vendor are several targets.
Settings join_sources(const Variables& variables, const std::vector<Given>& typed);

}  // namespace infermeter
