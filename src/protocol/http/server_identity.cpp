#include "protocol/http/server_identity.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_tree.hpp"
#include "base/text.hpp"

namespace infermeter {
namespace {

using Json = nlohmann::ordered_json;
using Known = std::pair<std::string_view, std::string_view>;

constexpr std::size_t kVersionBytes = 200;

// owned_by in /v1/models, by engine.
constexpr std::array<Known, 9> kOwners{{{"vllm", "vllm"},
                                        {"sglang", "sglang"},
                                        {"tensorrt_llm", "tensorrt-llm"},
                                        {"tensorrt-llm", "tensorrt-llm"},
                                        {"llamacpp", "llama.cpp"},
                                        {"lmdeploy", "lmdeploy"},
                                        {"library", "ollama"},
                                        {"infermeter-sim", "infermeter-sim"},
                                        {"mlc-llm", "mlc-llm"}}};

// Names that occur in a `server` header or a /version answer; a longer name comes before a name it contains.
constexpr std::array<Known, 9> kNames{{{"infermeter-sim", "infermeter-sim"},
                                       {"llama.cpp", "llama.cpp"},
                                       {"tensorrt_llm", "tensorrt-llm"},
                                       {"tensorrt-llm", "tensorrt-llm"},
                                       {"lmdeploy", "lmdeploy"},
                                       {"sglang", "sglang"},
                                       {"vllm", "vllm"},
                                       {"ollama", "ollama"},
                                       {"mlc-llm", "mlc-llm"}}};

std::string string_at(const Json& entry, const char* name) {
  const auto found = entry.find(name);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const Json* list_of_models(const Json& body) {
  if (body.is_array()) return &body;
  if (!body.is_object()) return nullptr;
  for (const char* name : {"data", "models"}) {
    const auto found = body.find(name);
    if (found != body.end() && found->is_array()) return &*found;
  }
  return nullptr;
}

std::string_view engine_in(std::string_view text) {
  const std::string lower = lower_case(text);
  for (const auto& [name, engine] : kNames) {
    if (lower.find(name) != std::string::npos) return engine;
  }
  return {};
}

std::string_view engine_of_owner(std::string_view owner) {
  const std::string lower = lower_case(owner);
  for (const auto& [name, engine] : kOwners) {
    if (lower == name) return engine;
  }
  return {};
}

// "id" in OpenAI's format, "name" or "model" in Ollama's.
ModelEntry entry_of(const Json& item) {
  ModelEntry entry;
  for (const char* name : {"id", "name", "model"}) {
    if (entry.id.empty()) entry.id = string_at(item, name);
  }
  entry.owned_by = string_at(item, "owned_by");
  if (engine_of_owner(entry.owned_by) == "infermeter-sim") entry.simulated = string_at(item, "simulated");
  entry.json = item.dump(-1, ' ', false, Json::error_handler_t::replace);
  return entry;
}

}  // namespace

std::vector<ModelEntry> parse_models(std::string_view body) {
  std::vector<ModelEntry> out;
  const Json json = json_tree<Json>(body);
  const Json* list = list_of_models(json);
  if (list == nullptr) return out;
  for (const auto& item : *list) {
    if (!item.is_object()) continue;
    auto entry = entry_of(item);
    if (!entry.id.empty()) out.push_back(std::move(entry));
  }
  return out;
}

std::string parse_version(std::string_view body, const Secrets& secrets) {
  body = trim(body);
  const Json json = json_tree<Json>(body);
  const auto shown = [&](std::string text) { return one_line(secrets.mask(std::move(text)), kVersionBytes); };
  if (json.is_object()) return shown(string_at(json, "version"));
  if (json.is_string()) return shown(json.get<std::string>());
  // An error page is not a version.
  return body.starts_with('<') ? std::string() : shown(std::string(body));
}

std::string engine_name(const std::vector<ModelEntry>& models, std::string_view version_body,
                        std::string_view server_header) {
  for (const auto& model : models) {
    const auto engine = engine_of_owner(model.owned_by);
    if (!engine.empty()) return std::string(engine);
  }
  for (const auto text : {server_header, version_body}) {
    const auto engine = engine_in(text);
    if (!engine.empty()) return std::string(engine);
  }
  return {};
}

}  // namespace infermeter
