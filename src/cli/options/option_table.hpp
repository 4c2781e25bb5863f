// Every option of every command as data: name, argument, default. Parser, configuration file, environment,
// help and documentation all read this table.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace infermeter {

enum class Takes {
  value,
  flag,            // on or off; `--no-<name>` turns it off (and a flag named no-x is turned off by `--x`)
  level,           // a flag that adds up, `-vv`; elsewhere a number
  optional_value,  // `--sim` or `--sim PRESET`
  list,            // repeatable, one value each time
  commas,          // comma-separated values; an array in a file is equivalent
  json,            // JSON text; a table in a file is equivalent
  argument,        // positional: [PRESET]
  arguments,       // positional, several: [URL...]
};

/// The hashes that an option enters: results of plans that differ in a hash are not resumed, merged or
/// compared as one.
enum class Enters {
  unhashed,    // neither hash: a load point, a secret, a file location, the output
  in_plan,     // plan_hash: the run is a different one
  in_request,  // also workload_hash: the requests, or how they are sent and stamped, differ
};

/// A row without `enters` does not compile, and a test changes every option and checks both hashes.
struct OptionSpec {
  std::string_view name;  // --concurrency, INFERMETER_CONCURRENCY, `concurrency` in a file
  char letter = 0;        // -c
  Takes takes = Takes::value;
  Enters enters;
  std::string_view argument;   // as shown in help: "N"
  std::string_view fallback;   // the default, parsed like a given value
  std::string_view otherwise;  // the default as text where no value expresses it: "first of /v1/models"
  std::string_view group;
  std::string_view help;
};

/// Whether later values add to earlier ones.
constexpr bool adds_up(Takes takes) {
  return takes == Takes::list || takes == Takes::arguments || takes == Takes::level;
}
/// A switch: no value follows it on the command line.
constexpr bool is_switch(Takes takes) { return takes == Takes::flag || takes == Takes::level; }
constexpr bool is_positional(Takes takes) { return takes == Takes::argument || takes == Takes::arguments; }

std::span<const OptionSpec> run_options();
std::span<const OptionSpec> gate_options();  // its own options and those of its runs
std::span<const OptionSpec> gate_own_options();
std::span<const OptionSpec> simulate_options();
std::span<const OptionSpec> compare_options();
std::span<const OptionSpec> report_options();
std::span<const OptionSpec> merge_options();
std::span<const OptionSpec> scenarios_options();
std::span<const OptionSpec> completions_options();
std::span<const OptionSpec> man_options();
std::span<const OptionSpec> open_options();

/// The options of `run` that most people need, in the order of its first help page.
std::span<const std::string_view> run_essentials();
std::span<const OptionSpec> translate_options_table();

/// An option found by one of its names: its own, an alias, or the opposite of a flag.
struct NamedOption {
  const OptionSpec* spec = nullptr;
  bool opposite = false;  // `no-http2` for http2, `stream` for no-stream
  std::string_view value =
      {};  // that the name stands for: `json` is `format = json`; empty: it takes its own
};

/// `name` without leading dashes.
std::optional<NamedOption> find_option(std::span<const OptionSpec> specs, std::string_view name);

}  // namespace infermeter
