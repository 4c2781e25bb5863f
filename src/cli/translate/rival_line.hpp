// The command line of another benchmark, split into its options. Private to src/cli.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/rival_options.hpp"

namespace infermeter {

/// A text as a shell splits it: white space, quotes and backslashes; no variables.
std::vector<std::string> shell_words(std::string_view text);

struct RivalLine {
  Rival rival;
  std::vector<std::string> words;  // behind the program and its subcommand
};

/// The line of a benchmark that is known: `vllm bench serve …`, also behind `NAME=VALUE`, `python3 -m`, `uv
/// run` and as one quoted text. Nothing for any other. Throws UsageError for a subcommand that measures no
/// server.
std::optional<RivalLine> read_rival_line(const std::vector<std::string>& words);

/// The benchmark whose options these words use most, if any of them is one.
std::optional<Rival> likely_rival(const std::vector<std::string>& words);

/// `--max_concurrency=4` → "max-concurrency"; empty for a word that is no option.
std::string option_name(std::string_view word);

}  // namespace infermeter
