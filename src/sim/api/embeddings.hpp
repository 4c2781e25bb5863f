// Embeddings that mean nothing: unit vectors from the input's tokens, equal for equal inputs. Pure; any
// thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/api/api_request.hpp"
#include "sim/api/usage.hpp"

namespace infermeter::sim {

std::vector<float> embedding(std::span<const std::uint32_t> tokens, std::uint32_t dimensions);
std::string to_base64(std::string_view bytes);

/// OpenAI's body, one vector for each prompt of `request`.
std::string embeddings_body(const ApiRequest& request, std::string_view model, const Usage* usage);

}  // namespace infermeter::sim
