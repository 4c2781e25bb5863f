// What synthetic text costs in the server's tokens, learnt without a tokenizer: by /tokenize where the server
// has one, else from usage.prompt_tokens of a few short probes. Pure; the probes are sent by
// engine/calibrate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace infermeter {

struct Calibration {
  std::string source;  // "tokenize", "usage"; empty: not calibrated, one token a word is assumed
  std::uint32_t overhead_tokens = 0;      // of an empty prompt: chat template, start token
  std::vector<std::uint8_t> word_tokens;  // by word of the synthetic vocabulary; 0: not to be used
  std::string report;                     // one line with figures, for the header and the result
};

}  // namespace infermeter
