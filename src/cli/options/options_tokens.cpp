#include "cli/options/values.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <map>

#include "cli/options/foreign_names.hpp"
#include "infermeter/base/errors.hpp"
#include "model/target_url.hpp"

namespace infermeter {
namespace {

constexpr std::string_view kEndOfOptions = "--";
constexpr int kMostArguments = 1000;

/// A name registered with the library, and our option for it.
struct Registered {
  NamedOption option;
  std::string origin;
};
using Registry = std::map<const CLI::Option*, Registered>;

/// The library only decides how many arguments an option takes: values come from files and variables too, and
/// are checked after merging. Not configurable: otherwise newer versions compare positional names with long
/// ones.
CLI::Option* add_name(CLI::App& app, Takes takes, const std::string& names) {
  const CLI::callback_t accept = [](const CLI::results_t&) { return true; };
  auto* option = is_switch(takes) ? app.add_flag(names) : app.add_option(names, accept);
  option->configurable(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  if (is_switch(takes)) return option;
  option->expected(takes == Takes::optional_value ? 0 : 1, takes == Takes::arguments ? kMostArguments : 1);
  option->allow_extra_args(takes == Takes::arguments);  // else a second argument is rejected
  return option;
}

void register_spec(CLI::App& app, const OptionSpec& spec, Registry& registry) {
  const std::string name(spec.name);
  const bool positional = is_positional(spec.takes);
  const std::string letter = spec.letter != 0 ? fmt::format(",-{}", spec.letter) : "";
  const std::string names = positional ? std::string(spec.argument) : fmt::format("--{}{}", name, letter);
  const std::string origin = positional ? std::string(spec.argument) : fmt::format("--{}", name);
  registry[add_name(app, spec.takes, names)] = {{&spec, false}, origin};
  if (spec.takes != Takes::flag || spec.name == "help") return;
  const std::string opposite = name.starts_with("no-") ? name.substr(3) : "no-" + name;
  registry[add_name(app, Takes::flag, "--" + opposite)] = {{&spec, true}, "--" + opposite};
}

void register_aliases(CLI::App& app, std::span<const OptionSpec> specs, Registry& registry) {
  for (const auto& alias : aliases()) {
    const auto option = find_option(specs, alias.name);
    if (!option) continue;
    const Takes own = is_positional(option->spec->takes) ? Takes::value : option->spec->takes;
    const Takes takes = option->value.empty() ? own : Takes::flag;
    const std::string name = fmt::format("--{}", alias.name);
    registry[add_name(app, takes, name)] = {*option, name};
  }
}

/// `--nonce=` is an empty value; the library would use the next argument instead.
std::vector<std::string> with_empty_values(std::span<const OptionSpec> specs,
                                           const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const auto& word : words) {
    out.push_back(word);
    if (!word.starts_with("--") || word.find('=') != word.size() - 1) continue;
    const auto option = find_option(specs, std::string_view(word).substr(2, word.size() - 3));
    if (!option || is_switch(option->spec->takes) || !option->value.empty()) continue;
    out.back().pop_back();
    out.emplace_back();
  }
  return out;
}

void refuse_keys(const std::vector<std::string>& words) {
  for (const auto& word : words) {
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(2, word.find('=') - 2);
    if (asks_for_key(name)) throw key_refusal("--" + name);
  }
}

/// Repeats only the name of an unknown option: the rest might be a secret.
void refuse_unknown(std::string_view command, std::span<const OptionSpec> specs,
                    const std::vector<std::string>& rest) {
  for (const auto& word : rest) {
    if (word.size() < 2 || word[0] != '-' || word == kEndOfOptions) continue;
    const bool is_long = word[1] == '-';
    const std::string name = is_long ? word.substr(2, word.find('=') - 2) : word.substr(1, 1);
    throw unknown_name(NameStyle::option, "unknown option " + written(NameStyle::option, name), name, specs,
                       command);
  }
  const auto extra = std::ranges::find_if(rest, [](const auto& word) { return word != kEndOfOptions; });
  if (extra != rest.end()) throw UsageError(fmt::format("'{}' is one argument too many", mask_url(*extra)));
}

std::string switch_text(const Registered& registered, const std::string& raw) {
  const bool on = parse_switch(registered.origin, raw);
  return on != registered.option.opposite ? "true" : "false";
}

std::vector<Given> in_typed_order(const CLI::App& app, const Registry& registry) {
  std::vector<Given> given;
  std::map<const CLI::Option*, std::size_t> next;
  for (const CLI::Option* option : app.parse_order()) {
    const Registered& registered = registry.at(option);
    const std::string& raw = option->results().at(next[option]++);
    const NamedOption& named = registered.option;
    const bool is_flag = named.spec->takes == Takes::flag;
    if (!named.value.empty() && !parse_switch(registered.origin, raw)) continue;
    given.push_back({std::string(named.spec->name),
                     registered.origin,
                     {is_flag               ? switch_text(registered, raw)
                      : named.value.empty() ? raw
                                            : std::string(named.value)}});
  }
  return given;
}

}  // namespace

std::vector<Given> read_tokens(std::string_view command, std::span<const OptionSpec> specs,
                               const std::vector<std::string>& words) {
  refuse_keys(words);
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  Registry registry;
  for (const auto& spec : specs) register_spec(app, spec, registry);
  register_aliases(app, specs, registry);
  const auto whole = with_empty_values(specs, words);
  try {
    app.parse(std::vector<std::string>(whole.rbegin(), whole.rend()));
  } catch (const CLI::ParseError&) {
    // Only a last argument without its value can fail: the library checks no values.
    throw UsageError(fmt::format("{} needs a value", words.back()));
  }
  auto given = in_typed_order(app, registry);
  const bool help = std::ranges::find(given, "help", &Given::option) != given.end();
  if (!help) refuse_unknown(command, specs, app.remaining());
  return given;
}

}  // namespace infermeter
