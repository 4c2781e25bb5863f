// The synthetic prompt of a trace's request. Private to src/workload; pure, any thread.
#pragma once

#include <cstdint>
#include <string>

#include "workload/data/data_item.hpp"
#include "workload/synthetic/text.hpp"

namespace infermeter {

/// The nonce, then the item's blocks, each of words that are the block's own and as many as its place in the
/// prompt asks for, then words that only request `number` has. The server's count is the item's length where
/// there is a calibration, but never below what the nonce and the template take.
CountedText trace_text(const SyntheticText& text, const std::string& nonce, const DataItem& item,
                       std::uint64_t number);

}  // namespace infermeter
