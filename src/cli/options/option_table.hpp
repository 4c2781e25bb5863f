// Every option of every command as data: what it is called, what it takes, what holds without it. Parser,
// configuration file, environment, help and documentation all read this one table.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace infermeter {

enum class Takes {
  value,
  flag,            // on or off; `--no-<name>` turns it off (and a flag named no-x is turned off by `--x`)
  optional_value,  // `--sim` or `--sim PRESET`
  list,            // repeatable, one value each time
  commas,          // values between commas; an array in a file is the same
  json,            // JSON text; a table in a file is the same
  argument,        // positional: [PRESET]
  arguments,       // positional, several: [URL...]
};

/// What an option makes different: results of plans that differ so are not resumed, merged or compared as
/// one.
enum class Enters {
  unhashed,    // neither of these: a load point, a secret, a place, the output
  in_plan,     // plan_hash: the run is another one
  in_request,  // and workload_hash: its requests, or how they are sent and stamped, are other ones
};

/// A row without `enters` does not compile, and a test changes every option and looks at both hashes.
struct OptionSpec {
  std::string_view name;  // --concurrency, INFERMETER_CONCURRENCY, `concurrency` in a file
  char letter = 0;        // -c
  Takes takes = Takes::value;
  Enters enters;
  std::string_view argument;   // as help shows it: "N"
  std::string_view fallback;   // the value that holds without the option, parsed like a given one
  std::string_view otherwise;  // what holds where no value can say it: "first of /v1/models"
  std::string_view group;
  std::string_view help;
};

/// Whether later values add to earlier ones.
constexpr bool adds_up(Takes takes) { return takes == Takes::list || takes == Takes::arguments; }
constexpr bool is_positional(Takes takes) { return takes == Takes::argument || takes == Takes::arguments; }

std::span<const OptionSpec> run_options();
std::span<const OptionSpec> gate_options();  // its own, and those of its runs
std::span<const OptionSpec> gate_own_options();
std::span<const OptionSpec> simulate_options();
std::span<const OptionSpec> compare_options();
std::span<const OptionSpec> report_options();
std::span<const OptionSpec> merge_options();
std::span<const OptionSpec> scenarios_options();

/// An option under one of its names: its own, an alias, or the opposite of a flag.
struct NamedOption {
  const OptionSpec* spec = nullptr;
  bool opposite = false;  // `no-http2` for http2, `stream` for no-stream
};

/// `name` without dashes in front.
std::optional<NamedOption> find_option(std::span<const OptionSpec> specs, std::string_view name);

}  // namespace infermeter
