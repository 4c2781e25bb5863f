// How fast one stream shows text, in characters, which tokenizers do not change. Pure; any thread.
#pragma once

#include <optional>

#include "infermeter/model/record.hpp"

namespace infermeter {

struct TextSpeed {
  double chars = 0;    // visible ones that came after the first visible instant, of one choice
  double seconds = 0;  // from there to the last token
};

/// The characters of single events are not kept: the visible ones are dealt out to the events from the first
/// visible one on by their tokens, and those of its instant are left out, as the first event's tokens are in
/// `tps`. Nothing without text, without a second visible instant, or where reasoning was streamed before the
/// text and gaps were not kept.
std::optional<TextSpeed> text_speed(const RequestRecord& record);

}  // namespace infermeter
