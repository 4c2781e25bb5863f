// Short ways to parse a command line in tests.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/gate.hpp"
#include "cli/options/values.hpp"
#include "cli/run.hpp"
#include "infermeter/base/errors.hpp"
#include "temporary_file.hpp"

namespace infermeter::test {

inline const Variables kNoVariables;
/// 2026-01-31T12:00:00Z.
inline const Surroundings kHere{.entropy = 7, .now_unix_ms = 1'769'860'800'000};

inline std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

inline CommandLine parse(const std::vector<std::string>& words, const Variables& variables = kNoVariables) {
  return parse_command_line(words, variables, kHere);
}

inline const CommandSpec& command(std::string_view name) {
  return *std::ranges::find(commands(), name, &CommandSpec::name);
}

/// The result of a command's own parser for a command line: invoked(merge_request, {"merge", "a"}).
template <typename Request>
Request invoked(Request (*read)(const Invocation&), const std::vector<std::string>& words,
                const Variables& variables = kNoVariables, const Surroundings& here = kHere) {
  const CommandSpec& spec = command(words.front());
  const auto typed = read_tokens(spec.name, spec.options(), {words.begin() + 1, words.end()});
  return read({spec.name, spec.examples, spec.options(), typed, variables, here});
}

inline RunRequest run_of(const std::vector<std::string>& words, const Variables& variables = kNoVariables) {
  return invoked(run_request, words, variables);
}

/// A run that measures "http://h", with options split at white space.
inline RunRequest run_of(const std::string& options, const Variables& variables = kNoVariables) {
  return run_of(words_of("run http://h " + options), variables);
}

inline Plan plan_of(const std::string& options, const Variables& variables = kNoVariables) {
  return run_of(options, variables).plan;
}

/// Message and advice of the usage error that a command line causes.
inline std::string error_of(const std::vector<std::string>& words,
                            const Variables& variables = kNoVariables) {
  try {
    parse(words, variables);
  } catch (const UsageError& error) {
    return error.advice().empty() ? std::string(error.what())
                                  : std::string(error.what()) + " | " + error.advice();
  }
  return "no error";
}

inline std::string error_of(const std::string& line, const Variables& variables = kNoVariables) {
  return error_of(words_of(line), variables);
}

/// The same of a command line with this configuration file, without the file's random name.
inline std::string error_of_file(const std::string& content, const std::string& line = "run http://h",
                                 const Variables& variables = kNoVariables) {
  const TemporaryFile file(content);
  const std::string error = error_of(line + " --config " + file.path(), variables);
  return error.starts_with(file.path()) ? error.substr(file.path().size()) : error;
}

}  // namespace infermeter::test
