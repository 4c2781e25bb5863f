// What a server reports about itself: /v1/models, /version, its `server` header. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/secrets/secrets.hpp"

namespace infermeter {

struct ModelEntry {
  std::string id;
  std::string owned_by;
  std::string simulated;  // by infermeter's simulator: the preset and faults
  std::string json;       // the whole entry
};

/// The entries of a /v1/models answer ({"data":[{"id":…}]}, a bare array, or {"models":[…]}); empty if it has
/// none.
std::vector<ModelEntry> parse_models(std::string_view body);

/// The version in a /version answer ({"version":"0.10.1"}, or plain text), at most 200 characters; empty if
/// none. Secrets are masked.
std::string parse_version(std::string_view body, const Secrets& secrets = {});

/// "vllm", "sglang", "tensorrt-llm", "llama.cpp", "lmdeploy", "ollama", "infermeter-sim", …, from any source
/// that names it (owned_by of the models, /version's body, the `server` header); empty if none does.
std::string engine_name(const std::vector<ModelEntry>& models, std::string_view version_body,
                        std::string_view server_header);

}  // namespace infermeter
