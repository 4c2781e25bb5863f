#include "cli/options/target_urls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "infermeter/base/errors.hpp"
#include "model/target_url.hpp"

namespace infermeter {
namespace {

bool is_name(std::string_view text) {
  constexpr std::string_view kMarks = "-_.+@";
  return !text.empty() && std::ranges::all_of(text, [&](unsigned char c) {
    return std::isalnum(c) != 0 || c >= 0x80 || kMarks.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

/// `name=URL`; the '=' of a query stands behind a ':', '/' or '?', none of which a name has.
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

}  // namespace

std::vector<NamedUrls> named_urls(const Values& values) {
  std::vector<NamedUrls> all;
  for (const auto& text : values.list("url")) {
    all.push_back(split_name(text));
    check_urls(all.back().urls);
  }
  if (all.size() > 1) check_names(values, all);
  return all;
}

std::vector<std::string> replica_urls(const Values& values) {
  auto urls = values.parts("url");
  check_urls(urls);
  return urls;
}

std::string host_of(const std::string& url) {
  const std::string origin = resolve_target_url(url).origin();
  return origin.substr(origin.find("://") + 3);
}

}  // namespace infermeter
