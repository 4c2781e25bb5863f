// Requests made of synthetic text. Pure; any thread.
#pragma once

#include <memory>
#include <string>

#include "workload/request_source.hpp"

namespace infermeter {

/// A prompt opens with the shared prefix of its group, or the nonce where nothing is shared; then come words
/// that only this prompt has, words up to its length and, from 24 tokens on, a sentence that asks for a long
/// answer. With a calibration the server's count is the drawn length; it is never below what the fixed parts
/// take. The first turn's length is that of the whole prompt, a later one's that of its new words.
/// Throws UsageError where the shared prefix leaves no room.
std::unique_ptr<RequestSource> make_synthetic_source(SourceInputs inputs);

}  // namespace infermeter
