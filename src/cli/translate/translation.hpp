// A line of another benchmark as a line of infermeter. Pure: reads no file, sends nothing. Private to
// src/cli.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/translate/rival_line.hpp"

namespace infermeter {

struct Translation {
  std::vector<std::string> words;  // "run", the URL and options
  std::vector<std::string> notes;  // one for each option that has no equivalent, or none that is exact
  bool foreign = false;            // whether any option was another tool's
  bool unknown = false;            // or nobody's
};

/// A whole line of the other tool, with the defaults of that tool where they are not ours.
Translation translate(const RivalLine& line);

/// Words behind `run` that may mix our options with another tool's: only what was typed, no defaults.
Translation translate_options(Rival likely, const std::vector<std::string>& words);

/// The line, quoted for a shell. Values of headers are variables in it: they may be secret.
std::string line_text(const Translation& translation);

}  // namespace infermeter
