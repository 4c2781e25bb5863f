// The URL of a server as people give it, taken apart once: a base with or without a path, or the whole path
// of an endpoint. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "infermeter/model/endpoint.hpp"

namespace infermeter {

struct TargetUrl {
  std::string scheme;  // "http", "https"
  std::string host;    // without brackets, as "::1"
  std::uint16_t port = 0;
  std::string prefix;  // "/v1", "/api/v1", "/openai/deployments/x", or empty
  Endpoint endpoint = Endpoint::chat;
  std::string query;  // "?api-version=2024-10-21", or empty; sent with every request

  /// "http://host:8000"; the port is left out where it is the scheme's own.
  std::string origin() const;
  std::string request_url() const;                    // …/v1/chat/completions
  std::string models_url() const;                     // …/v1/models; Azure's of deployments: /openai/models
  std::string root_url(std::string_view path) const;  // origin and path, as for "/version"
  /// The key goes by Azure's header: its host, or its path of deployments through another.
  bool is_azure() const;
  /// The deployment in such a path, which stands for the model; else empty.
  std::string deployment() const;
  /// `request_url` for people and files: query values that look like secrets are masked.
  std::string shown() const;
};

/// `http://` is assumed where no scheme is given. A base without a path gets /v1 (on an Azure host
/// /openai/v1); another path is kept as it is, and one that ends in an endpoint's decides which it is, unless
/// `forced` does. `api_version` is Azure's, added to the query. Throws UsageError for what is no URL of such
/// a server, for two versions that differ, and for credentials in it (which it does not repeat).
TargetUrl resolve_target_url(std::string_view text, std::optional<Endpoint> forced,
                             std::string_view api_version);
TargetUrl resolve_target_url(std::string_view text);

/// Any URL for people and files: user and password, and query values whose name tells of a secret (key,
/// token, sig, …), are replaced by "****".
std::string mask_url(std::string_view url);

}  // namespace infermeter
