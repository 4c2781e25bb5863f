#include "model/target_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>

#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

constexpr std::string_view kMask = "****";
constexpr std::string_view kDeployments = "/openai/deployments/";
constexpr std::array<std::string_view, 3> kOtherEndpoints{"/images/generations", "/audio/speech",
                                                          "/audio/transcriptions"};

[[noreturn]] void refuse(std::string_view text, std::string_view rule) {
  throw UsageError(fmt::format("URL '{}' {}", mask_url(text), rule));
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

/// Cuts off the text before `separator`, and the separator; nothing without a separator.
std::string_view cut_before(std::string_view& rest, std::string_view separator) {
  const std::size_t at = rest.find(separator);
  if (at == std::string_view::npos) return {};
  const std::string_view before = rest.substr(0, at);
  rest.remove_prefix(at + separator.size());
  return before;
}

std::uint16_t default_port(std::string_view scheme) { return scheme == "https" ? 443 : 80; }

std::uint16_t parse_port(std::string_view url, std::string_view text) {
  unsigned port = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = error == std::errc() && stop == text.data() + text.size();
  if (!whole || port == 0 || port > 65535) refuse(url, "has no port in 1 … 65535 after the colon");
  return static_cast<std::uint16_t>(port);
}

bool is_host_name(std::string_view host) {
  return !host.empty() && std::ranges::all_of(host, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_' || c >= 0x80;
  });
}

bool is_address_v6(std::string_view host) {
  return host.find(':') != std::string_view::npos && std::ranges::all_of(host, [](unsigned char c) {
           return std::isalnum(c) != 0 || c == ':' || c == '.' || c == '%' || c == '-' || c == '_';
         });
}

void read_authority(std::string_view url, std::string_view authority, TargetUrl& out) {
  out.port = default_port(out.scheme);
  std::string_view after_host;
  if (authority.starts_with('[')) {
    authority.remove_prefix(1);
    out.host = cut_before(authority, "]");
    after_host = authority;
    if (!is_address_v6(out.host)) refuse(url, "has no IPv6 address between its brackets");
  } else {
    out.host = authority.substr(0, authority.find(':'));
    after_host = authority.substr(out.host.size());
    if (!is_host_name(out.host)) refuse(url, "names no host");
  }
  if (after_host.empty()) return;
  if (!after_host.starts_with(':')) refuse(url, "names no host");
  out.port = parse_port(url, after_host.substr(1));
}

bool is_azure_host(std::string_view host) { return lower(host).ends_with(".azure.com"); }

std::string base_path(std::string_view path, std::string_view host) {
  if (is_azure_host(host) && (path.empty() || path == "/openai")) return "/openai/v1";
  return path.empty() ? "/v1" : std::string(path);
}

void read_path(std::string_view url, std::string_view path, TargetUrl& out) {
  const bool slash = path.ends_with('/');
  while (path.ends_with('/')) path.remove_suffix(1);
  for (const auto other : kOtherEndpoints) {
    if (path.ends_with(other)) refuse(url, "is no endpoint that can be measured");
  }
  for (const auto& row : kEndpoints) {
    if (!path.ends_with(row.path)) continue;
    out.endpoint = row.endpoint;
    out.slash = slash;  // some servers have the path only with it
    out.prefix = path.substr(0, path.size() - row.path.size());
    return;
  }
  out.prefix = base_path(path, out.host);
}

void add_api_version(std::string_view url, std::string_view version, TargetUrl& out) {
  constexpr std::string_view name = "api-version=";
  if (version.empty()) return;
  const std::size_t at = out.query.find(name);
  if (at == std::string::npos) {
    out.query += fmt::format("{}{}{}", out.query.empty() ? '?' : '&', name, version);
    return;
  }
  const std::string_view given = std::string_view(out.query).substr(at + name.size());
  if (given.substr(0, given.find('&')) != version)
    refuse(url, fmt::format("names another API version than {}", version));
}

std::string_view read_scheme(std::string_view url, std::string_view& rest) {
  rest = url;
  const std::size_t colon = url.find("://");
  // "://" behind a slash or a question mark belongs to the path or query of a URL without a scheme.
  if (colon == std::string_view::npos || url.find_first_of("/?") < colon) return "http";
  return cut_before(rest, "://");
}

bool names_secret_parameter(std::string_view name) {
  constexpr std::array<std::string_view, 9> kWords{"key",  "token", "secret", "sig",       "auth",
                                                   "pass", "code",  "bearer", "credential"};
  constexpr std::array<std::string_view, 5> kShort{"k", "t", "pw", "pwd", "jwt"};
  return std::ranges::find(kShort, name) != kShort.end() ||
         std::ranges::any_of(kWords, [&](auto word) { return name.find(word) != std::string_view::npos; });
}

bool is_alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool is_uuid(std::string_view text) {
  constexpr std::string_view kForm = "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh";
  return std::ranges::equal(text, kForm, [](char c, char form) {
    return form == '-' ? c == '-' : std::isxdigit(static_cast<unsigned char>(c)) != 0;
  });
}

/// Not a version ("2024-10-21-preview"), a model or a number.
bool looks_like_secret(std::string_view value) {
  constexpr std::array<std::string_view, 10> kBegins{"sk-", "sk_",  "hf_",  "gsk_",   "xai-",
                                                     "eyJ", "AIza", "ghp_", "nvapi-", "pplx-"};
  constexpr std::size_t kShortestKey = 16, kRun = 20;
  const auto begins = [&](auto begin) { return value.starts_with(begin); };
  if (is_uuid(value) || (value.size() >= kShortestKey && std::ranges::any_of(kBegins, begins))) return true;
  while (!value.empty()) {
    const auto end = std::ranges::find_if_not(value, is_alphanumeric);
    const std::string_view run = value.substr(0, static_cast<std::size_t>(end - value.begin()));
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto digits = static_cast<std::size_t>(std::ranges::count_if(run, is_digit));
    if (run.size() >= kRun && digits > 0 && digits < run.size()) return true;
    value.remove_prefix(std::min(run.size() + 1, value.size()));
  }
  return false;
}

std::string mask_query(std::string_view query) {
  std::string out;
  while (!query.empty()) {
    out += query.front();
    query.remove_prefix(1);
    const std::string_view pair = query.substr(0, query.find_first_of("&;"));
    query.remove_prefix(pair.size());
    out += is_secret_parameter(pair) ? fmt::format("{}={}", pair.substr(0, pair.find('=')), kMask)
                                     : std::string(pair);
  }
  return out;
}

}  // namespace

std::string TargetUrl::origin() const {
  const bool v6 = host.find(':') != std::string::npos;
  const std::string name = v6 ? fmt::format("[{}]", host) : host;
  return port == default_port(scheme) ? fmt::format("{}://{}", scheme, name)
                                      : fmt::format("{}://{}:{}", scheme, name, port);
}

std::string TargetUrl::request_url() const {
  return fmt::format("{}{}{}{}{}", origin(), prefix, row_of(endpoint).path, slash ? "/" : "", query);
}

// Azure's list of models is beside its deployments, not below them.
std::string TargetUrl::models_url() const {
  const std::string_view base =
      prefix.starts_with(kDeployments) ? std::string_view("/openai") : std::string_view(prefix);
  return fmt::format("{}{}/models{}", origin(), base, query);
}

bool TargetUrl::is_azure() const { return is_azure_host(host) || prefix.starts_with(kDeployments); }

std::string TargetUrl::deployment() const {
  if (!prefix.starts_with(kDeployments)) return {};
  const std::string name = prefix.substr(kDeployments.size());
  return name.substr(0, name.find('/'));
}

std::string TargetUrl::root_url(std::string_view path) const { return origin() + std::string(path); }
std::string TargetUrl::shown() const { return mask_url(request_url()); }

TargetUrl resolve_target_url(std::string_view text) { return resolve_target_url(text, std::nullopt, {}); }

TargetUrl resolve_target_url(std::string_view text, std::optional<Endpoint> forced,
                             std::string_view api_version) {
  if (text.empty()) throw UsageError("the URL is empty");
  const bool clean = std::ranges::none_of(text, [](unsigned char c) { return c <= ' ' || c == 0x7f; });
  if (!clean) throw UsageError("the URL holds white space or control characters");
  TargetUrl out;
  std::string_view rest;
  out.scheme = lower(read_scheme(text, rest));
  if (out.scheme != "http" && out.scheme != "https") refuse(text, "does not begin with http:// or https://");
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  rest.remove_prefix(authority.size());
  if (authority.find('@') != std::string_view::npos)
    throw UsageError("the URL holds a user or password, which would be seen by everyone who sees it",
                     "--api-key-env NAME sends a key, -H 'Authorization: Basic …' anything else.");
  read_authority(text, authority, out);
  if (rest.find('#') != std::string_view::npos) refuse(text, "has a fragment (#), which no server would see");
  const std::string_view path = rest.substr(0, rest.find('?'));
  read_path(text, path, out);
  out.query = rest.substr(path.size());
  if (forced) out.endpoint = *forced;
  add_api_version(text, api_version, out);
  return out;
}

bool is_secret_parameter(std::string_view pair) {
  const std::size_t equals = pair.find('=');
  if (equals == std::string_view::npos) return false;
  return names_secret_parameter(lower(pair.substr(0, equals))) || looks_like_secret(pair.substr(equals + 1));
}

std::string mask_url(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::size_t from = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t end = std::min(url.find_first_of("/?#", from), url.size());
  const std::size_t at = url.substr(0, end).rfind('@');
  std::string out(url.substr(0, from));
  const bool credentials = at != std::string_view::npos && at >= from;
  if (credentials) out += fmt::format("{}@", kMask);
  const std::string_view rest = url.substr(credentials ? at + 1 : from);
  const std::size_t query = std::min(rest.find('?'), rest.size());
  return out + std::string(rest.substr(0, query)) + mask_query(rest.substr(query));
}

}  // namespace infermeter
