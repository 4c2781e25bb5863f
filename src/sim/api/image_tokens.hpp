// The number of tokens that an image adds to a prompt: one per tile of 28 × 28 pixels (as Qwen2-VL), partial
// tiles included. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/api/tokenizer.hpp"

namespace infermeter::sim {

struct ImageSize {
  std::uint32_t width = 0, height = 0;
};

/// The size of a PNG, JPEG or GIF from its first bytes; nothing for other data.
std::optional<ImageSize> image_size(std::string_view bytes);
/// Decodes base64 text up to the first character that is not base64.
std::string from_base64(std::string_view text);

/// The tokens of an image given as base64 of its bytes, equal for equal images; none if it is not an image.
std::optional<Tokens> image_tokens_of_base64(std::string_view base64);
/// The tokens of a `data:` URL; any other URL is not fetched and counts as 512 × 512 pixels.
std::optional<Tokens> image_tokens_of_url(std::string_view url);

}  // namespace infermeter::sim
