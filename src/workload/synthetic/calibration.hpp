// The number of server tokens in synthetic text, learnt without a tokenizer: by /tokenize if the server has
// it, else from usage.prompt_tokens of a few short probes. Pure; engine/calibrate sends the probes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace infermeter {

struct SourceInputs;

struct Calibration {
  std::string source;  // "tokenize", "usage"; empty: not calibrated, one token per word is assumed
  std::uint32_t overhead_tokens = 0;      // of an empty prompt: chat template, system prompt, start token
  std::vector<std::uint8_t> word_tokens;  // by word of the synthetic vocabulary; 0: must not be used
  std::uint32_t task_tokens = 0;          // of the sentence that ends longer prompts; 0: must not be used
  double stretch = 1;  // counted tokens per calculated token: a correction from the check of a whole prompt
  std::string report;  // one line with the results, for the header and the result
};

/// Asks a server for token counts. Each function returns nothing if the server gives no count or cannot be
/// reached.
struct TokenProbes {
  using Count = std::function<std::optional<std::uint32_t>(const std::string& text)>;
  Count usage;      // prompt_tokens of a request whose user message is `text`
  Count templated;  // the same by /tokenize, through the chat template
  /// The tokens of the bare text, by /tokenize; empty if not supported.
  std::function<std::vector<std::uint32_t>(const std::string& text)> tokens;
};

/// Sends two to nine probes, the last one or two with a whole prompt of the mean of inputs.input_tokens (at
/// most 8,192 tokens) as a check. If nothing can be learnt, the source is empty and the report says why. Uses
/// prompts, lengths and seed of `inputs`.
Calibration learn_calibration(const TokenProbes& probes, const SourceInputs& inputs);

}  // namespace infermeter
