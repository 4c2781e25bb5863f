#include "target_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "infermeter/model/target_url.hpp"
#include "text_file.hpp"

namespace infermeter {
namespace {

constexpr std::string_view kBaseUrlVariable = "OPENAI_BASE_URL";
constexpr std::string_view kUnixSocketUrl = "http://localhost";  // the Host header; nothing is resolved

bool is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }

std::string trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t from = text.find_first_not_of(kSpace);
  if (from == std::string_view::npos) return {};
  return std::string(text.substr(from, text.find_last_not_of(kSpace) - from + 1));
}

std::string variable(const Variables& variables, std::string_view name) {
  const auto it = variables.find(std::string(name));
  return it == variables.end() ? std::string() : it->second;
}

/// As nearly all are written: anything else may be the key itself, and is not repeated.
bool is_variable_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_';
  });
}

std::string key_from_variable(const Values& values, const Variables& variables) {
  const std::string name = values.text("api-key-env");
  const std::string key = variable(variables, name);
  if (!key.empty() || !values.given("api-key-env")) return key;
  const std::string origin = values.origin("api-key-env");
  if (is_variable_name(name)) throw UsageError(fmt::format("{}: the variable {} is not set", origin, name));
  throw UsageError(fmt::format("{}: takes the name of a variable that is set, not the key itself", origin));
}

std::string key_from_file(const Values& values) {
  const std::string content = read_text_file(values, "api-key-file");
  const std::string key = trimmed(std::string_view(content).substr(0, content.find('\n')));
  if (key.empty()) values.refuse("api-key-file", "has no key in its first line");
  return key;
}

std::string api_key_of(const Values& values, const Variables& variables) {
  const bool in_file = values.given("api-key-file");
  const std::string key = in_file ? key_from_file(values) : key_from_variable(values, variables);
  if (std::ranges::none_of(key, is_control)) return key;
  const std::string where = in_file ? values.origin("api-key-file") : values.text("api-key-env");
  throw UsageError(fmt::format("{}: the key holds a line break or a control character", where));
}

bool is_header_name(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";  // RFC 9110, token
  return !name.empty() && std::ranges::all_of(name, [&](unsigned char c) {
    return std::isalnum(c) != 0 || kMarks.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

/// `lower` in lower case.
bool same_name(std::string_view name, std::string_view lower) {
  return std::ranges::equal(name, lower, [](unsigned char a, char b) { return std::tolower(a) == b; });
}

Header header_of(const std::string& origin, const std::string& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string name = text.substr(0, colon);
  const std::string value = trimmed(std::string_view(text).substr(std::min(colon + 1, text.size())));
  if (!is_header_name(name) || value.empty())
    throw UsageError(fmt::format("{}: one header is not of the form 'Name: value'", origin));
  if (std::ranges::any_of(value, is_control))
    throw UsageError(
        fmt::format("{}: the value of {} holds a line break or a control character", origin, name));
  if (same_name(name, "content-length") || same_name(name, "transfer-encoding"))
    throw UsageError(fmt::format("{}: {} follows from the body and cannot be set", origin, name));
  return {name, value};
}

bool is_authorization(const Header& header) { return same_name(header.first, "authorization"); }

std::string url_of(const Values& values, const Variables& variables) {
  if (values.given("url")) {
    const std::string url = values.text("url");
    resolve_target_url(url);
    return url;
  }
  const std::string base = variable(variables, kBaseUrlVariable);
  if (base.empty() && values.given("unix-socket")) return std::string(kUnixSocketUrl);
  if (base.empty())
    throw UsageError(fmt::format("no server to measure: give its URL, or set {}", kBaseUrlVariable),
                     "infermeter run http://localhost:8000\n"
                     "No server at hand? `infermeter run --sim` measures the built-in simulator.");
  try {
    resolve_target_url(base);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", kBaseUrlVariable, error.what()), error.advice());
  }
  return base;
}

void check_resolve(const Values& values, const std::string& text) {
  const std::size_t first = text.find(':');
  const std::size_t second = first == std::string::npos ? first : text.find(':', first + 1);
  const bool parts = second != std::string::npos && first > 0 && second + 1 < text.size();
  const std::string_view port = parts ? std::string_view(text).substr(first + 1, second - first - 1) : "";
  const bool digits =
      !port.empty() && std::ranges::all_of(port, [](unsigned char c) { return std::isdigit(c) != 0; });
  if (!digits)
    throw UsageError(
        fmt::format("{}: '{}' is not of the form host:port:address", values.origin("resolve"), text));
}

std::string proxy_of(const Values& values) {
  const std::string proxy = values.text("proxy");
  const bool clean = std::ranges::none_of(proxy, [](unsigned char c) { return c <= ' ' || c == 0x7f; });
  if (values.given("proxy") && (proxy.empty() || !clean))
    throw UsageError(fmt::format("{}: '{}' is not a URL such as http://proxy:3128", values.origin("proxy"),
                                 mask_url(proxy)));
  return proxy;
}

void read_tls(const Values& values, Target& target) {
  target.ca_file = values.text("cacert");
  target.cert_file = values.text("cert");
  target.key_file = values.text("key");
  target.verify_tls = !values.flag("insecure");
}

}  // namespace

Target target_of(const Values& values, const Variables& variables) {
  Target target;
  target.model = values.text("model");
  for (const auto& text : values.list("header"))
    target.headers.push_back(header_of(values.origin("header"), text));
  target.unix_socket = values.text("unix-socket");
  target.proxy = proxy_of(values);
  for (const auto& text : values.list("resolve")) {
    check_resolve(values, text);
    target.resolve.push_back(text);
  }
  read_tls(values, target);
  target.http2 = values.flag("http2");
  target.fresh_connections = values.flag("fresh-connections");
  if (values.given("sim")) return target;  // the simulator asks for no key, and gets none
  target.url = url_of(values, variables);
  // Two Authorization headers would be an error at most servers: the one that was spelled out stands.
  if (std::ranges::none_of(target.headers, is_authorization)) target.api_key = api_key_of(values, variables);
  return target;
}

}  // namespace infermeter
