#include "cli/options/one_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "cli/options/header_values.hpp"
#include "infermeter/base/errors.hpp"
#include "model/target_url.hpp"

namespace infermeter {
namespace {

constexpr std::uint64_t kMaxGpus = 1'000'000;
constexpr std::uint64_t kMaxTokensTotal = 1'000'000'000'000;

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

std::optional<double> amount_of(const Values& values, std::string_view name) {
  return values.given(name) ? std::optional(values.amount(name)) : std::nullopt;
}

void read_costs(const Values& values, Target& target) {
  target.prices = {.input_per_million = amount_of(values, "price-input"),
                   .cached_per_million = amount_of(values, "price-cached"),
                   .output_per_million = amount_of(values, "price-output"),
                   .per_hour = amount_of(values, "price-per-hour")};
  if (values.given("gpus")) target.gpus = static_cast<std::uint32_t>(values.count("gpus", 1, kMaxGpus));
  if (values.given("max-cost")) target.max_cost = values.positive_number("max-cost");
  if (values.given("max-tokens-total"))
    target.max_tokens_total = values.count("max-tokens-total", 1, kMaxTokensTotal);
}

void read_endpoint(const Values& values, Target& target) {
  std::array<std::string_view, kEndpoints.size()> names;
  std::ranges::transform(kEndpoints, names.begin(), &EndpointRow::name);
  if (values.given("endpoint")) target.endpoint = kEndpoints[values.choice("endpoint", names)].endpoint;
  target.api_version = values.text("api-version");
  target.auth_header = values.text("auth-header");
  if (values.given("auth-header") && !is_header_name(target.auth_header))
    throw UsageError(
        fmt::format("{}: takes the name of a header, not its value", values.origin("auth-header")));
}

}  // namespace

Target target_of(const Values& values) {
  Target target;
  target.model = values.text("model");
  target.headers = headers_of(values);
  target.unix_socket = values.text("unix-socket");
  target.proxy = proxy_of(values);
  for (const auto& text : values.list("resolve")) {
    check_resolve(values, text);
    target.resolve.push_back(text);
  }
  read_endpoint(values, target);
  read_tls(values, target);
  read_costs(values, target);
  target.http2 = values.flag("http2");
  target.fresh_connections = values.flag("fresh-connections");
  return target;
}

}  // namespace infermeter
