// What a picture costs in a prompt: a token for each tile of 28 × 28 pixels (Qwen2-VL's), begun ones counted.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/api/tokenizer.hpp"

namespace infermeter::sim {

struct ImageSize {
  std::uint32_t width = 0, height = 0;
};

/// Of a PNG, JPEG or GIF from its first bytes; nothing where it is none of them.
std::optional<ImageSize> image_size(std::string_view bytes);
/// Of a base64 text; bytes behind the first that is none are left out.
std::string from_base64(std::string_view text);

/// The tokens of an image given as base64 of its bytes, equal for equal ones; none where it is no image.
std::optional<Tokens> image_tokens_of_base64(std::string_view base64);
/// Of a `data:` URL; another URL is not fetched and counts as 512 × 512 pixels.
std::optional<Tokens> image_tokens_of_url(std::string_view url);

}  // namespace infermeter::sim
