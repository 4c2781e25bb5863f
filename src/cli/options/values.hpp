// The given value of each option and its origin, with typed access: every error names the option as the user
// wrote it.
#pragma once

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

}  // namespace infermeter
