// Embeddings that mean nothing: unit vectors from the input's tokens, equal for equal inputs. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace infermeter::sim {

std::vector<float> embedding(std::span<const std::uint32_t> tokens, std::uint32_t dimensions);
std::string to_base64(std::string_view bytes);

}  // namespace infermeter::sim
