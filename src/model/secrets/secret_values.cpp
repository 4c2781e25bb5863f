#include "model/secrets/secret_values.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "model/secrets/shell_secrets.hpp"
#include "model/target_url.hpp"

namespace infermeter {
namespace {

/// Headers whose values are words of HTTP or of a vendor's API.
constexpr std::array<std::string_view, 12> kOpenHeaders{"accept",
                                                        "accept-encoding",
                                                        "accept-language",
                                                        "anthropic-beta",
                                                        "anthropic-version",
                                                        "cache-control",
                                                        "connection",
                                                        "content-type",
                                                        "openai-beta",
                                                        "pragma",
                                                        "te",
                                                        "upgrade"};

std::optional<std::string> from_base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0, count = 0;
  for (const char c : trim(text, "=")) {
    const std::size_t digit = kDigits.find(c == '-' ? '+' : c == '_' ? '/' : c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = (bits << 6) | static_cast<unsigned>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>((bits >> count) & 0xff);
  }
  return out;
}

void add_credentials(std::string_view text, std::vector<Secret>& all) {
  const std::size_t colon = text.find(':');
  all.push_back({std::string(text)});
  if (colon != std::string_view::npos) all.push_back({std::string(text.substr(colon + 1))});
}

void append(std::vector<Secret> more, std::vector<Secret>& all) {
  std::ranges::move(more, std::back_inserter(all));
}

void add_headers(const std::vector<Header>& headers, std::vector<Secret>& all) {
  for (const auto& [name, value] : headers) append(secrets_in_header(name, value), all);
}

void add_target(const Target& target, std::vector<Secret>& all) {
  all.push_back({target.api_key});
  add_headers(target.headers, all);
  append(secrets_in_url(target.url), all);
  append(secrets_in_url(target.proxy), all);
  for (const auto& url : target.replicas) append(secrets_in_url(url), all);
  for (const auto& url : target.metrics_urls) append(secrets_in_url(url), all);
}

/// What the user also gave in the open is none: -H 'X-Model: small' beside --model small.
bool is_open(const Plan& plan, const Secret& secret) {
  const auto named = [&](const auto& one) { return one.model == secret.value; };
  return !secret.credential &&
         (std::ranges::any_of(plan.targets, named) || std::ranges::any_of(plan.classes, named));
}

}  // namespace

Secrets secrets_of(const Plan& plan) {
  std::vector<Secret> all;
  for (const auto& value : plan.secrets) all.push_back({value});
  for (const auto& target : plan.targets) add_target(target, all);
  add_headers(plan.metrics.headers, all);
  for (const auto& traffic : plan.classes) add_headers(traffic.headers, all);
  for (const auto& command : {plan.sweep.before_point, plan.sweep.after_point})
    append(secrets_in_command(command), all);
  std::erase_if(all, [&](const Secret& secret) { return is_open(plan, secret); });
  return Secrets(all);
}

std::vector<Secret> secrets_in_header(std::string_view name, std::string_view value) {
  std::vector<Secret> all;
  if (std::ranges::find(kOpenHeaders, lower_case(name)) != kOpenHeaders.end()) return all;
  const bool credential = names_secret(name);
  for (std::string_view rest = trim(value); !rest.empty();) {
    all.push_back({std::string(rest), credential});
    const std::size_t space = rest.find(' ');
    rest = space == std::string_view::npos ? std::string_view() : trim(rest.substr(space));
  }
  if (lower_case(value.substr(0, 6)) != "basic ") return all;
  if (const auto pair = from_base64(trim(value.substr(6)))) add_credentials(*pair, all);
  return all;
}

std::vector<Secret> secrets_in_url(std::string_view url) {
  std::vector<Secret> all;
  const std::size_t scheme = url.find("://");
  const std::size_t from = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t end = std::min(url.find_first_of("/?#", from), url.size());
  const std::string_view authority = url.substr(from, end - from);
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos)
    add_credentials(authority.substr(0, at), all);
  std::string_view query = url.substr(std::min(url.find('?', end), url.size()));
  while (!query.empty()) {
    query.remove_prefix(1);
    const std::string_view pair = query.substr(0, query.find_first_of("&;#"));
    query.remove_prefix(pair.size());
    if (is_secret_parameter(pair)) all.push_back({std::string(pair.substr(pair.find('=') + 1))});
  }
  return all;
}

// By the ends of its words: --max-tokens and --tokenizer name none.
bool names_secret(std::string_view name) {
  constexpr std::array<std::string_view, 13> kEnds{
      "key",  "token",         "secret", "password", "passwd",    "passphrase", "pass",
      "auth", "authorization", "bearer", "cookie",   "signature", "credentials"};
  std::string low = lower_case(name);
  std::ranges::replace_if(low, [](char c) { return (c < 'a' || c > 'z') && (c < '0' || c > '9'); }, ' ');
  for (std::string_view rest = low; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    if (std::ranges::any_of(kEnds, [&](auto end) { return word.ends_with(end); })) return true;
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return false;
}

bool is_secret_variable(std::string_view name, std::string_view value) {
  constexpr std::array<std::string_view, 8> kEnds{"KEY",    "TOKEN",  "SECRET",      "PASSWORD",
                                                  "PASSWD", "BEARER", "CREDENTIALS", "AUTHORIZATION"};
  if (value.starts_with('/')) return false;  // a file that holds it
  return std::ranges::any_of(kEnds, [&](auto end) { return name.ends_with(end); });
}

}  // namespace infermeter
