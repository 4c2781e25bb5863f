// `infermeter translate`: another benchmark's line as ours; and the same as advice behind `run`. Private to
// src/cli.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/values.hpp"
#include "cli/translate/translation.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {

/// Throws UsageError for a line of no known benchmark.
Translation translate_request(const Invocation& invocation);
/// The line on stdout, the notes on stderr.
ExitCode translate_command(const Translation& translation);

/// The same error with the whole line in our options, if the words behind `run` are another tool's, or some
/// of them are, and that line would be accepted; else the error as it was.
UsageError with_whole_line(const UsageError& error, const std::vector<std::string>& words,
                           const Variables& variables, const Surroundings& here);

}  // namespace infermeter
