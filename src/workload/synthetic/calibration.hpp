// What synthetic text costs in the server's tokens, learnt without a tokenizer: by /tokenize where the server
// has one, else from usage.prompt_tokens of a few short probes. Pure; the probes are sent by
// engine/calibrate.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace infermeter {

struct SourceInputs;

struct Calibration {
  std::string source;  // "tokenize", "usage"; empty: not calibrated, one token a word is assumed
  std::uint32_t overhead_tokens = 0;      // of an empty prompt: chat template, system prompt, start token
  std::vector<std::uint8_t> word_tokens;  // by word of the synthetic vocabulary; 0: not to be used
  std::uint32_t task_tokens = 0;          // of the sentence that ends longer prompts; 0: not to be used
  double stretch = 1;  // tokens counted for each one reckoned: what a check of a whole prompt corrected
  std::string report;  // one line with figures, for the header and the result
};

/// How a server is asked what text costs. Each answers nothing where the server does not say or was not
/// reached.
struct TokenProbes {
  using Count = std::function<std::optional<std::uint32_t>(const std::string& text)>;
  Count usage;      // prompt_tokens of a request whose user message is `text`
  Count templated;  // the same by /tokenize, through the chat template
  /// The tokens of the bare text, by /tokenize; empty: no such thing.
  std::function<std::vector<std::uint32_t>(const std::string& text)> tokens;
};

/// Asks two to nine times, the last one or two with a whole prompt of the mean of inputs.input_tokens (at
/// most 8,192 tokens) as a check. Where nothing can be learnt the source is empty and the report says why.
/// Uses prompts, lengths and seed of `inputs`.
Calibration learn_calibration(const TokenProbes& probes, const SourceInputs& inputs);

}  // namespace infermeter
