#include "config_sources.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "foreign_names.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/io/config_file.hpp"
#include "option_rules.hpp"

namespace infermeter {
namespace {

constexpr std::string_view kPrefix = "INFERMETER_";

std::string option_name(std::string_view variable) {
  std::string name(variable.substr(kPrefix.size()));
  std::ranges::transform(name, name.begin(), [](char c) {
    return c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return name;
}

/// One value a line in a variable; only lists can have several.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end != 0) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

Given given_as(const NamedOption& option, std::string origin, std::vector<std::string> texts) {
  const OptionSpec& spec = *option.spec;
  if (spec.takes != Takes::list && texts.size() != 1)
    throw UsageError(fmt::format("{}: takes one value, not {}", origin, texts.size()));
  // `sim = true` in a file is --sim without a preset.
  if (spec.takes == Takes::optional_value && texts[0] == "true") texts[0].clear();
  if (spec.takes == Takes::flag)
    texts[0] = parse_switch(origin, texts[0]) != option.opposite ? "true" : "false";
  return {std::string(spec.name), std::move(origin), std::move(texts)};
}

bool only_typed(std::string_view name) { return name == "help"; }

Values values_of(std::span<const OptionSpec> specs, const std::vector<Given>& source) {
  Values values(specs);
  for (const auto& given : source) values.add(given);
  refuse_conflicts(values);
  return values;
}

void put_over(Values& joined, const Values& higher) {
  drop_overruled(joined, higher);
  joined.override_with(higher);
}

}  // namespace

std::vector<Given> from_variables(std::span<const OptionSpec> specs, const Variables& variables) {
  std::vector<Given> out;
  for (const auto& [variable, text] : variables) {
    if (!variable.starts_with(kPrefix)) continue;
    const std::string name = option_name(variable);
    if (asks_for_key(name)) throw key_refusal(variable);
    const auto option = find_option(specs, name);
    if (!option || only_typed(option->spec->name))
      throw unknown_name(NameStyle::variable, "unknown variable " + variable, name, specs);
    const bool is_list = option->spec->takes == Takes::list;
    out.push_back(given_as(*option, variable, is_list ? lines_of(text) : std::vector{text}));
  }
  return out;
}

std::vector<Given> from_file(std::span<const OptionSpec> specs, const std::string& path) {
  std::vector<Given> out;
  for (const auto& entry : read_config_file(path)) {
    const std::string at = fmt::format("{}:{}: ", path, entry.line);
    if (asks_for_key(entry.name)) throw key_refusal(at + entry.name);
    const auto option = find_option(specs, entry.name);
    if (!option || only_typed(option->spec->name))
      throw unknown_name(NameStyle::file, fmt::format("{}unknown name '{}'", at, entry.name), entry.name,
                         specs);
    if (option->spec->name == "config") throw UsageError(at + "a configuration file cannot name another one");
    out.push_back(given_as(*option, at + entry.name, entry.values));
  }
  return out;
}

Values join_sources(std::span<const OptionSpec> specs, const Variables& variables,
                    const std::vector<Given>& typed) {
  const Values from_words = values_of(specs, typed);
  const Values from_environment = values_of(specs, from_variables(specs, variables));
  Values joined(specs);
  const std::string file =
      from_words.given("config") ? from_words.text("config") : from_environment.text("config");
  if (!file.empty()) put_over(joined, values_of(specs, from_file(specs, file)));
  put_over(joined, from_environment);
  put_over(joined, from_words);
  refuse_orphans(joined);
  return joined;
}

}  // namespace infermeter
