#include "cli/options/target_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "cli/options/header_values.hpp"
#include "cli/options/key_values.hpp"
#include "cli/options/one_target.hpp"
#include "cli/options/target_urls.hpp"
#include "infermeter/base/errors.hpp"
#include "model/target_url.hpp"

namespace infermeter {
namespace {

constexpr std::string_view kBaseUrlVariable = "OPENAI_BASE_URL";
constexpr std::string_view kUnixSocketUrl = "http://localhost";  // the Host header; nothing is resolved

/// A target before it gets its key, and the options that hold for it.
struct Draft {
  Target target;
  Values values;
};

Draft draft_of(const Values& values, std::string name, std::vector<std::string> urls) {
  Draft draft{target_of(values), values};
  draft.target.name = std::move(name);
  draft.target.url = std::move(urls.front());
  draft.target.replicas.assign(urls.begin() + 1, urls.end());
  resolve_target_url(draft.target.url, draft.target.endpoint, draft.target.api_version);
  return draft;
}

std::string url_of_environment(const Values& values, const Variables& variables) {
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

std::vector<Draft> drafts_of_urls(const Values& values, const Variables& variables) {
  std::vector<Draft> drafts;
  for (auto& [name, urls] : named_urls(values)) drafts.push_back(draft_of(values, name, std::move(urls)));
  if (drafts.empty()) drafts.push_back(draft_of(values, {}, {url_of_environment(values, variables)}));
  return drafts;
}

/// A key of its own replaces a header of the whole run that carries another one.
Values without_foreign_key(const Part& part) {
  Values values = part.values;
  const bool own_key = part.given.given("api-key-env") || part.given.given("api-key-file");
  if (!own_key || part.given.given("header") || !values.given("header")) return values;
  constexpr std::array<std::string_view, 3> kCarriers{"authorization", "api-key", "x-api-key"};
  Given kept{"header", values.origin("header"), values.list("header")};
  std::erase_if(kept.texts, [&](const std::string& text) {
    const std::string_view name = std::string_view(text).substr(0, text.find(':'));
    return std::ranges::any_of(kCarriers, [&](auto carrier) { return same_header(name, carrier); });
  });
  values.erase("header");
  if (!kept.texts.empty()) values.add(kept);
  return values;
}

Draft draft_of_block(const Part& part) {
  const Values values = without_foreign_key(part);
  const bool socket_only = !part.given.given("url") && part.given.given("unix-socket");
  if (!part.given.given("url") && !socket_only)
    throw UsageError(fmt::format("{}: needs url, or urls", part.where));
  auto urls = socket_only ? std::vector<std::string>{std::string(kUnixSocketUrl)} : replica_urls(part.given);
  std::string name = part.own.given("name") ? part.own.text("name") : host_of(urls.front());
  Draft draft = draft_of(values, std::move(name), std::move(urls));
  draft.target.extra_body = part.own.text("extra-body");
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

/// Two headers with a key would be an error at most servers: the one that was spelled out stands.
bool spells_out_key(const Target& target) {
  std::string carrier = target.auth_header.empty() ? "authorization" : target.auth_header;
  std::ranges::transform(carrier, carrier.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::any_of(target.headers, [&](const Header& header) {
    return same_header(header.first, carrier) || same_header(header.first, "authorization");
  });
}

}  // namespace

std::vector<Target> targets_of(const Settings& settings, const Variables& variables) {
  // The simulator asks for no key, and gets none.
  if (settings.values.given("sim")) return {target_of(settings.values)};
  auto drafts = settings.targets.empty() ? drafts_of_urls(settings.values, variables)
                                         : drafts_of_blocks(settings.targets);
  const bool one_host = on_one_host(drafts);
  std::vector<Target> targets;
  for (auto& [target, values] : drafts) {
    const bool named = values.given("api-key-env") || values.given("api-key-file");
    if ((named || one_host) && !spells_out_key(target)) target.api_key = api_key_of(values, variables);
    targets.push_back(std::move(target));
  }
  return targets;
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
