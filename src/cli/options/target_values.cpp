#include "cli/options/plan_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "base/nesting.hpp"
#include "base/text.hpp"
#include "cli/options/secrets.hpp"
#include "infermeter/base/errors.hpp"
#include "model/target_url.hpp"

namespace infermeter {
namespace {

struct NamedUrls {
  std::string name;               // empty: none was given
  std::vector<std::string> urls;  // ≥ 1, each one a URL
};

bool is_name(std::string_view text) {
  constexpr std::string_view kMarks = "-_.+@";
  return !text.empty() && std::ranges::all_of(text, [&](unsigned char c) {
    return std::isalnum(c) != 0 || c >= 0x80 || kMarks.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

/// `name=URL`; a '=' in a query comes after a ':', '/' or '?', which a name cannot contain.
NamedUrls split_name(const std::string& text) {
  const std::size_t equals = text.find('=');
  const bool named = equals != std::string::npos && is_name(std::string_view(text).substr(0, equals));
  if (!named) return {{}, split_at_commas(text)};
  return {text.substr(0, equals), split_at_commas(std::string_view(text).substr(equals + 1))};
}

void check_urls(const std::vector<std::string>& urls) {
  for (const auto& url : urls) resolve_target_url(url);
}

void check_names(const Values& values, const std::vector<NamedUrls>& all) {
  std::set<std::string> names;
  for (const auto& [name, urls] : all) {
    if (name.empty())
      throw UsageError(fmt::format("{}: several targets need names, and '{}' has none", values.origin("url"),
                                   mask_url(urls.front())),
                       "infermeter run one=http://localhost:8000 two=http://localhost:8001\n"
                       "Replicas of one server stand in one argument: http://a:8000,http://b:8000");
    if (!names.insert(name).second)
      throw UsageError(fmt::format("{}: two targets are called '{}'", values.origin("url"), name));
  }
}

/// From the arguments of the command line; empty if there are none. Several URLs need names.
std::vector<NamedUrls> named_urls(const Values& values) {
  std::vector<NamedUrls> all;
  for (const auto& text : values.list("url")) {
    all.push_back(split_name(text));
    check_urls(all.back().urls);
  }
  if (all.size() > 1) check_names(values, all);
  return all;
}

/// From one block: all are replicas of one target.
std::vector<std::string> replica_urls(const Values& values) {
  auto urls = values.parts("url");
  check_urls(urls);
  return urls;
}

/// "api.example.com" or "localhost:8000": the name of a target without one.
std::string host_of(const std::string& url) {
  const std::string origin = resolve_target_url(url).origin();
  return origin.substr(origin.find("://") + 3);
}

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
                   .cache_write_per_million = amount_of(values, "price-cache-write"),
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

/// A target without name, URLs and key.
Target target_of(const Values& values, const Vendor& vendor) {
  Target target;
  target.facts = vendor.facts;
  target.region = values.text("region");
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

constexpr std::string_view kBaseUrlVariable = "OPENAI_BASE_URL", kKeyVariable = "OPENAI_API_KEY";
constexpr std::string_view kUnixSocketUrl = "http://localhost";  // for the Host header; nothing is resolved

/// Whether the option is not the user's, but of the vendor's file.
bool is_of_vendor(const Values& values, const Vendor& vendor, std::string_view option) {
  return vendor.options.given(option) && values.origin(option) == vendor.options.origin(option);
}

/// A target without its key, and the options that apply to it.
struct Draft {
  Target target;
  Values values;
  Vendor vendor;
  bool of_block = false;  // of a [[target]] or of one of several --vendor: its key is meant for it
  bool at_vendor() const { return target.url == vendor.options.text("url"); }
};

/// The path of the user's own URL says more than the vendor's file.
void choose_endpoint(Draft& draft) {
  Target& target = draft.target;
  if (!is_of_vendor(draft.values, draft.vendor, "endpoint") || draft.at_vendor()) return;
  if (resolve_target_url(target.url, std::nullopt, target.api_version).endpoint != Endpoint::chat)
    target.endpoint.reset();
}

Draft draft_of(const Values& values, const Vendor& vendor, std::string name, std::vector<std::string> urls) {
  Draft draft{target_of(values, vendor), values, vendor};
  draft.target.name = std::move(name);
  draft.target.url = std::move(urls.front());
  draft.target.replicas.assign(urls.begin() + 1, urls.end());
  draft.target.extra_body = vendor.extra_body;
  if (!values.given("api-key-file")) draft.target.key_variable = values.text("api-key-env");
  choose_endpoint(draft);
  resolve_target_url(draft.target.url, draft.target.endpoint, draft.target.api_version);
  return draft;
}

/// The error for a vendor whose URL is the user's own.
UsageError no_url_of(const Vendor& vendor, std::string_view source) {
  return UsageError(fmt::format("{} has a URL of your own: infermeter run {} {}", vendor.facts.vendor,
                                vendor.url_example, source));
}

std::string url_of_environment(const Values& values, const Vendor& vendor, const Variables& variables) {
  const std::string base = variable(variables, kBaseUrlVariable);
  if (base.empty() && values.given("unix-socket")) return std::string(kUnixSocketUrl);
  if (base.empty() && !vendor.url_example.empty())
    throw no_url_of(vendor, values.given("vendor") ? "--vendor " + values.text("vendor")
                                                   : "--config " + values.text("config"));
  if (base.empty() && values.given("config"))
    throw UsageError(
        fmt::format("{0} names no url: give it, infermeter run URL --config {0}", values.text("config")));
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

std::vector<Draft> drafts_of_urls(const Values& values, const Vendor& vendor, const Variables& variables) {
  std::vector<Draft> drafts;
  for (auto& [name, urls] : named_urls(values))
    drafts.push_back(draft_of(values, vendor, name, std::move(urls)));
  if (drafts.empty())
    drafts.push_back(draft_of(values, vendor, {}, {url_of_environment(values, vendor, variables)}));
  return drafts;
}

/// A target's key replaces a header of the whole run that contains another key.
Values without_foreign_key(const Part& part) {
  Values values = part.values;
  const bool own_key = part.given.given("api-key-env") || part.given.given("api-key-file");
  if (!own_key || part.given.given("header") || !values.given("header")) return values;
  constexpr std::array<std::string_view, 3> kCarriers{"authorization", "api-key", "x-api-key"};
  Given kept{"header", values.origin("header"), values.list("header")};
  std::erase_if(kept.texts, [&](const std::string& text) {
    const std::string_view name = std::string_view(text).substr(0, text.find(':'));
    return std::ranges::any_of(kCarriers, [&](auto carrier) { return equals_ignoring_case(name, carrier); });
  });
  values.erase("header");
  if (!kept.texts.empty()) values.add(kept);
  return values;
}

UsageError no_url_of_block(const Part& part) {
  if (part.vendor.url_example.empty()) return UsageError(fmt::format("{}: needs url, or urls", part.where));
  return UsageError(fmt::format("{}: {} has a URL of your own: url = \"{}\"", part.where,
                                part.vendor.facts.vendor, part.vendor.url_example));
}

Draft draft_of_block(const Part& part) {
  const Values values = without_foreign_key(part);
  const bool socket_only = !part.given.given("url") && part.given.given("unix-socket");
  if (!part.given.given("url") && !socket_only) throw no_url_of_block(part);
  auto urls = socket_only ? std::vector<std::string>{std::string(kUnixSocketUrl)} : replica_urls(part.given);
  std::string name = part.own.given("name") ? part.own.text("name") : host_of(urls.front());
  Draft draft = draft_of(values, part.vendor, std::move(name), std::move(urls));
  draft.of_block = true;
  draft.target.label = part.own.text("label");
  if (part.own.given("extra-body"))
    refuse_too_deep(part.own.origin("extra-body"), part.own.text("extra-body"));
  if (part.own.given("extra-body")) draft.target.extra_body = part.own.text("extra-body");
  return draft;
}

std::vector<Draft> drafts_of_blocks(const std::vector<Part>& parts) {
  std::vector<Draft> drafts;
  std::set<std::string> names;
  for (const auto& part : parts) {
    drafts.push_back(draft_of_block(part));
    if (!names.insert(drafts.back().target.name).second)
      throw UsageError(fmt::format("{}: another target is called '{}' too: give each a name", part.where,
                                   drafts.back().target.name));
  }
  return drafts;
}

bool on_one_host(const std::vector<Draft>& drafts) {
  std::set<std::string> hosts;
  for (const auto& draft : drafts) hosts.insert(resolve_target_url(draft.target.url).host);
  return hosts.size() == 1;
}

/// Most servers reject two headers with a key: the one given as a header is sent.
bool spells_out_key(const Target& target) {
  const std::string carrier = target.auth_header.empty() ? "authorization" : target.auth_header;
  return std::ranges::any_of(target.headers, [&](const Header& header) {
    return equals_ignoring_case(header.first, carrier) || equals_ignoring_case(header.first, "authorization");
  });
}

/// Whether the user said that the key is for this target.
bool names_key(const Draft& draft) {
  const Values& values = draft.values;
  if (values.given("api-key-file")) return true;
  return values.given("api-key-env") &&
         (draft.of_block || !is_of_vendor(values, draft.vendor, "api-key-env"));
}

/// A server of one's own may need no key although the vendor's does, and a dry run sends none.
bool may_lack_key(const Draft& draft, const Variables& variables, bool dry) {
  const Values& values = draft.values;
  return is_of_vendor(values, draft.vendor, "api-key-env") && !values.given("api-key-file") &&
         variable(variables, values.text("api-key-env")).empty() && (dry || !draft.at_vendor());
}

/// The pages that are meant for this target: with its name, or of its own block, or it is the only one.
/// `names`: of all targets.
std::vector<std::string> metrics_urls_of(const Values& values, bool own, const std::set<std::string>& names,
                                         const std::string& name) {
  std::vector<std::string> pages;
  for (const auto& text : values.list("metrics-url")) {
    const NamedUrls given = split_name(text);
    const auto refuse = [&](const std::string& why) {
      throw UsageError(fmt::format("{}: {}", values.origin("metrics-url"), why),
                       fmt::format("The targets are {}.", fmt::join(names, ", ")));
    };
    check_urls(given.urls);
    if (!given.name.empty() && !names.contains(given.name))
      refuse(fmt::format("no target is called '{}'", given.name));
    if (given.name.empty() && !own && names.size() > 1)
      refuse(fmt::format("'{}' is of which target? name={}", mask_url(text), mask_url(text)));
    if (given.name.empty() || given.name == name)
      pages.insert(pages.end(), given.urls.begin(), given.urls.end());
  }
  return pages;
}

void read_metrics_urls(const Settings& settings, std::vector<Target>& targets) {
  std::set<std::string> names;
  for (const auto& target : targets) names.insert(target.name);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Part* block = settings.targets.empty() ? nullptr : &settings.targets[i];
    const bool own = block != nullptr && block->given.given("metrics-url");
    targets[i].metrics_urls =
        metrics_urls_of(block ? block->values : settings.values, own, names, targets[i].name);
  }
}

}  // namespace

std::vector<Target> targets_of(const Settings& settings, const Variables& variables) {
  // The simulator needs no key.
  if (settings.values.given("sim")) {
    std::vector<Target> targets{target_of(settings.values, settings.vendor)};
    read_metrics_urls(settings, targets);
    return targets;
  }
  auto drafts = settings.targets.empty() ? drafts_of_urls(settings.values, settings.vendor, variables)
                                         : drafts_of_blocks(settings.targets);
  const bool one_host = on_one_host(drafts), dry = settings.values.flag("dry-run");
  std::vector<Target> targets;
  for (auto& draft : drafts) {
    const bool sent = (one_host || names_key(draft)) && !spells_out_key(draft.target);
    if (sent && !may_lack_key(draft, variables, dry))
      draft.target.api_key = api_key_of(draft.values, variables);
    targets.push_back(std::move(draft.target));
  }
  read_metrics_urls(settings, targets);
  return targets;
}

std::vector<std::string> missing_key_notes(const Settings& settings, const Plan& plan,
                                           const Variables& variables) {
  std::vector<std::string> notes;
  const std::size_t parts = settings.targets.empty() ? plan.targets.size() : settings.targets.size();
  for (std::size_t i = 0; i < std::min(parts, plan.targets.size()) && !plan.simulator; ++i) {
    const Vendor& vendor = settings.targets.empty() ? settings.vendor : settings.targets[i].vendor;
    const Values& values = settings.targets.empty() ? settings.values : settings.targets[i].values;
    const std::string name = values.text("api-key-env");
    const bool missing = plan.targets[i].api_key.empty() && is_of_vendor(values, vendor, "api-key-env") &&
                         !spells_out_key(plan.targets[i]);
    if (!missing) continue;
    notes.push_back(
        variable(variables, name).empty()
            ? fmt::format("{} is not set: no key is sent to {}", name, vendor.facts.vendor)
            : fmt::format("{0} is sent to none of several hosts: --api-key-env {0} sends it to all", name));
  }
  const auto same = std::ranges::unique(notes);
  notes.erase(same.begin(), same.end());
  return notes;
}

std::string unsent_key_note(const Plan& plan, const Variables& variables) {
  const bool known = std::ranges::any_of(
      plan.targets, [](const Target& target) { return !target.api_key.empty() || spells_out_key(target); });
  if (plan.targets.size() < 2 || plan.simulator || known || variable(variables, kKeyVariable).empty())
    return {};
  return fmt::format(
      "{} is sent to none of several hosts: --api-key-env {} sends it to all of them, api_key_env in a "
      "[[target]] of --config to one",
      kKeyVariable, kKeyVariable);
}

TargetOrder target_order_of(const Values& values, std::size_t targets) {
  for (const auto* name : {"alternate", "sequential"}) {
    if (values.given(name) && targets < 2)
      throw UsageError(fmt::format("{} needs several targets", values.origin(name)));
  }
  if (values.flag("alternate")) return TargetOrder::alternate;
  return values.flag("sequential") ? TargetOrder::sequential : TargetOrder::at_once;
}

}  // namespace infermeter
