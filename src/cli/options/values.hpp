// The given value of each option and its origin, with typed access, and the rules between options: every
// error names the option as the user wrote it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/option_table.hpp"
#include "infermeter/base/clock.hpp"

namespace infermeter {

/// An option given once (or, in a file, with an array).
struct Given {
  std::string option;  // its own name: "input-tokens"
  std::string origin;  // as written: "--isl", "INFERMETER_ISL", "run.toml:3: isl"
  std::vector<std::string> texts;
};

/// Values of the options of one table; a name that is not in it is a bug (std::logic_error).
class Values {
 public:
  explicit Values(std::span<const OptionSpec> specs) : specs_(specs) {}
  Values(std::span<const OptionSpec> specs, const std::vector<Given>& source) : specs_(specs) {
    for (const auto& given : source) add(given);
  }

  /// A later value of the same option replaces the earlier one; for a list it is appended.
  void add(const Given& given);
  void erase(std::string_view name);
  /// Takes over the options of `higher`, each one completely.
  void override_with(const Values& higher);

  /// The options that both give, with different texts.
  std::vector<std::string> that_differ(const Values& other) const;

  /// Given, and not turned off (a flag, or `sim = false` in a file).
  bool given(std::string_view name) const;
  /// Given at all, on or off.
  bool mentioned(std::string_view name) const;
  /// How the option was written, for messages; `--name` where it was not given.
  std::string origin(std::string_view name) const;
  std::string text(std::string_view name) const;  // else the table's fallback
  std::vector<std::string> list(std::string_view name) const;
  /// The comma-separated parts of a text (or of each text of a list), trimmed: a comma always separates.
  std::vector<std::string> parts(std::string_view name) const;
  bool flag(std::string_view name) const;
  /// How often a Takes::level was given; a number stands for so many times, and `false` for none.
  unsigned level(std::string_view name) const;

  /// Whole number in [least, most].
  std::uint64_t count(std::string_view name, std::uint64_t least, std::uint64_t most) const;
  /// Finite and above 0.
  double positive_number(std::string_view name) const;
  /// Finite and not below 0.
  double amount(std::string_view name) const;
  nanoseconds duration(std::string_view name) const;
  nanoseconds positive_duration(std::string_view name) const;
  /// The position of the text among `choices`.
  std::size_t choice(std::string_view name, std::span<const std::string_view> choices) const;
  /// "--rate: '0' is not above 0".
  [[noreturn]] void refuse(std::string_view name, std::string_view rule) const;

 private:
  const OptionSpec& spec(std::string_view name) const;

  std::span<const OptionSpec> specs_;
  std::map<std::string, Given, std::less<>> given_;
};

/// Reads a file that an option names: `path`, or the option's text. Throws UsageError naming option and file
/// if it cannot be read.
std::string read_text_file(const Values& values, std::string_view option, const std::string& path);
std::string read_text_file(const Values& values, std::string_view option);

/// The comma-separated parts of a text, trimmed.
std::vector<std::string> split_at_commas(std::string_view text);

/// true, yes, on, 1 and their opposites; throws UsageError naming `origin`.
bool parse_switch(std::string_view origin, std::string_view text);

/// Environment variables by name, as the caller found them.
using Variables = std::map<std::string, std::string>;

/// Inputs of a run besides options and variables.
struct Surroundings {
  std::uint64_t entropy = 0;     // the source of a run's nonce if none is given
  std::int64_t now_unix_ms = 0;  // the current time
};

/// One command line before its options are checked, and its environment.
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

/// The arguments of a command line as options of a table, in the order typed (options_tokens.cpp, which alone
/// includes the command-line library). Flags become "true" or "false", an omitted optional value "". Throws
/// UsageError for an unknown option (with a hint or the nearest name), a missing value, too many arguments,
/// and for any option that would take a key; the error never contains the text typed after it. `--help` takes
/// precedence over everything. `command` is the one whose help lists the options.
std::vector<Given> read_tokens(std::string_view command, std::span<const OptionSpec> specs,
                               const std::vector<std::string>& words);

/// The rules between options (option_rules.cpp). Throws UsageError where one source gives two options that
/// exclude each other.
void refuse_conflicts(const Values& source);
/// Erases from `lower` the options that an option of `higher` excludes, and those that need an erased one.
void drop_overruled(Values& lower, const Values& higher);
struct Overruled {
  std::string_view winner, loser;  // options
};
/// The options that `lower` sets and an option of `higher` excludes, each once.
std::vector<Overruled> overruled(const Values& lower, const Values& higher);
/// Throws UsageError if an option is set without the one that it needs.
void refuse_orphans(const Values& values);

}  // namespace infermeter
