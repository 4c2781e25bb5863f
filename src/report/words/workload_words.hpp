// What is sent, as a person says it. Private to src/report.
#pragma once

#include <string>

#include "infermeter/model/result.hpp"

namespace infermeter {

/// "512 tokens in, exactly 128 out", "prompts of chats.jsonl (1,000 items), at most 128 out". `load` knows a
/// point's own lengths (--shape); without one the workload's own count.
std::string workload_words(const Workload& work, const LoadPoint* load);

}  // namespace infermeter
