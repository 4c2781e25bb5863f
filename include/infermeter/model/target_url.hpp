// The URL of a server as people give it, taken apart once: a base with or without a path, or the whole path
// of an endpoint. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "infermeter/model/plan.hpp"

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
  std::string models_url() const;                     // …/v1/models
  std::string root_url(std::string_view path) const;  // origin and path, as for "/version"
  /// `request_url` for people and files: query values that look like secrets are masked.
  std::string shown() const;
};

/// `http://` is assumed where no scheme is given. A base without a path gets /v1; another path is kept as it
/// is, and one that ends in /chat/completions or /completions decides the endpoint. Throws UsageError for
/// what is no URL of such a server, and for credentials in it (which it does not repeat).
TargetUrl resolve_target_url(std::string_view text);

/// Any URL for people and files: user and password, and query values whose name tells of a secret (key,
/// token, sig, …), are replaced by "****".
std::string mask_url(std::string_view url);

}  // namespace infermeter
