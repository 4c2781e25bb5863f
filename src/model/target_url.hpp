// The URL of a server as people write it, parsed once: a base with or without a path, or the whole path of an
// endpoint. Pure; any thread.
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
  bool slash = false;  // the endpoint's path ends with a slash
  std::string query;   // "?api-version=2024-10-21", or empty; sent with every request

  /// "http://host:8000"; the port is left out where it is the scheme's own.
  std::string origin() const;
  std::string request_url() const;                    // …/v1/chat/completions
  std::string models_url() const;                     // …/v1/models; Azure's of deployments: /openai/models
  std::string root_url(std::string_view path) const;  // origin and path, as for "/version"
  /// The key goes into Azure's header: for its host, or for a path of deployments behind another host.
  bool is_azure() const;
  /// The deployment in such a path, which takes the place of the model; else empty.
  std::string deployment() const;
  /// `request_url` for people and files: query values that look like secrets are masked.
  std::string shown() const;
};

/// `http://` is assumed without a scheme. A base without a path gets /v1 (on an Azure host /openai/v1).
/// Another path is kept unchanged; if it ends in an endpoint's path, it selects that endpoint unless `forced`
/// does. `api_version` is Azure's, added to the query. Throws UsageError if it is not the URL of such a
/// server, if two versions differ, and for credentials in it (which the message does not repeat).
TargetUrl resolve_target_url(std::string_view text, std::optional<Endpoint> forced,
                             std::string_view api_version);
TargetUrl resolve_target_url(std::string_view text);

/// Any URL for people and files: user and password, and query values that are secrets, are replaced by
/// "****".
std::string mask_url(std::string_view url);
/// Whether the value of "name=value" in a query is a secret: by its name (key, token, sig, k, …), or because
/// it looks like one: it begins as keys do (sk-, hf_, eyJ, …), is a UUID, or holds 20 letters and digits in a
/// row, both among them.
bool is_secret_parameter(std::string_view pair);

}  // namespace infermeter
