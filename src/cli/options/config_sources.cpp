#include "cli/options/config_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/options/foreign_names.hpp"
#include "cli/options/source_file.hpp"
#include "cli/options/values.hpp"
#include "cli/scenarios.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

constexpr std::string_view kPrefix = "INFERMETER_";

/// Variables of the project that are no options: of script/ci-gate and script/ci-install, of the commands
/// around a point, of servers that a gate starts, of the tests.
constexpr std::array<std::string_view, 8> kOtherVariables{
    "INFERMETER_BUILD",        "INFERMETER_CHROMIUM",  "INFERMETER_FORMATS", "INFERMETER_POINT_LOAD",
    "INFERMETER_POINT_NUMBER", "INFERMETER_POINT_URL", "INFERMETER_SERVER",  "INFERMETER_UPDATE_GOLDEN"};

/// Whether it may set an option, rightly or misspelt.
bool concerns_options(std::string_view variable) {
  return variable.starts_with(kPrefix) &&
         std::ranges::find(kOtherVariables, variable) == kOtherVariables.end();
}

std::string option_name(std::string_view variable) {
  std::string name(variable.substr(kPrefix.size()));
  std::ranges::transform(name, name.begin(), [](char c) {
    return c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return name;
}

/// A variable has one value per line; only lists can have several.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end != 0) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

Values values_from(const std::vector<Given>& source) {
  Values values(run_options(), source);
  refuse_conflicts(values);
  return values;
}

void put_over(Values& joined, const Values& higher) {
  drop_overruled(joined, higher);
  joined.override_with(higher);
}

/// All sources of a run's options, in ascending priority.
struct Sources {
  Source scenario = empty_source(), file = empty_source();
  Values environment{run_options()}, words{run_options()};

  /// `text` from the highest source that sets it, without the scenario, which some of these options select.
  std::string text(std::string_view name) const {
    for (const Values* place : {&words, &environment, &file.top}) {
      if (place->given(name)) return place->text(name);
    }
    return {};
  }
  bool given(std::string_view name) const {
    return words.given(name) || environment.given(name) || file.top.given(name);
  }
};

void put_source_over(Values& joined, const Source& source, bool quick, const Values* block) {
  put_over(joined, source.top);
  if (block != nullptr) put_over(joined, *block);
  if (quick) put_over(joined, source.quick);
}

Values join(const Sources& sources, bool quick, const Values* of_scenario, const Values* of_file) {
  Values joined(run_options());
  put_source_over(joined, sources.scenario, quick, of_scenario);
  put_source_over(joined, sources.file, quick, of_file);
  put_over(joined, sources.environment);
  put_over(joined, sources.words);
  return joined;
}

std::vector<Part> parts_of(const Sources& sources, bool quick, std::vector<Block> Source::* blocks) {
  const bool from_file = !(sources.file.*blocks).empty();
  std::vector<Part> parts;
  for (const Block& block : (from_file ? sources.file : sources.scenario).*blocks) {
    Values values =
        join(sources, quick, from_file ? nullptr : &block.options, from_file ? &block.options : nullptr);
    refuse_orphans(values);
    parts.push_back({block.where, block.own, block.options, std::move(values)});
  }
  return parts;
}

std::vector<Part> targets_of(const Sources& sources, bool quick) {
  for (const auto* name : {"url", "sim"}) {
    if (sources.words.given(name) || sources.environment.given(name)) return {};
    if (!sources.file.targets.empty() && sources.file.top.given(name))
      throw UsageError(fmt::format("{} and {} exclude each other", sources.file.targets.front().where,
                                   sources.file.top.origin(name)));
  }
  return parts_of(sources, quick, &Source::targets);
}

Sources read_sources(const Variables& variables, const std::vector<Given>& typed) {
  Sources sources;
  sources.words = values_from(typed);
  sources.environment = values_from(from_variables(run_options(), variables));
  if (const std::string path = sources.text("config"); !path.empty()) sources.file = read_source(path);
  if (const std::string name = sources.text("scenario"); !name.empty())
    sources.scenario = find_scenario(name);
  // A scenario's faults apply to the simulator only; a real server cannot have them.
  if (!sources.given("sim")) {
    sources.scenario.top.erase("fault");
    sources.scenario.quick.erase("fault");
  }
  return sources;
}

bool is_quick(const Sources& sources) {
  const bool quick = sources.given("quick");
  if (quick && !sources.scenario.has_quick && !sources.file.has_quick)
    throw UsageError("--quick needs a --scenario, or a --config file with a [quick] table");
  return quick;
}

}  // namespace

std::vector<Given> from_variables(std::span<const OptionSpec> specs, const Variables& variables) {
  std::vector<Given> out;
  for (const auto& [variable, text] : variables) {
    if (!concerns_options(variable)) continue;
    const std::string name = option_name(variable);
    if (asks_for_key(name)) throw key_refusal(variable);
    if (name == "help") throw UsageError(fmt::format("{}: --help stands on the command line only", variable));
    const auto option = find_option(specs, name);
    if (!option && !resembles_known(NameStyle::variable, name, specs)) continue;
    if (!option) throw unknown_name(NameStyle::variable, "unknown variable " + variable, name, specs);
    out.push_back(
        given_as(*option, variable, adds_up(option->spec->takes) ? lines_of(text) : std::vector{text}));
  }
  return out;
}

std::vector<std::string> unknown_variables(std::span<const OptionSpec> specs, const Variables& variables) {
  std::vector<std::string> unknown;
  for (const auto& [variable, text] : variables) {
    if (!concerns_options(variable)) continue;
    const std::string name = option_name(variable);
    if (!find_option(specs, name) && !resembles_known(NameStyle::variable, name, specs))
      unknown.push_back(variable);
  }
  return unknown;
}

Settings join_sources(const Variables& variables, const std::vector<Given>& typed) {
  const Sources sources = read_sources(variables, typed);
  const bool quick = is_quick(sources);
  Settings settings{.scenario = scenario_name(sources.text("scenario")),
                    .values = join(sources, quick, nullptr, nullptr),
                    .targets = targets_of(sources, quick),
                    .classes = parts_of(sources, quick, &Source::classes)};
  // With classes, a needed option may be set in each class instead: parts_of has checked these.
  if (settings.classes.empty()) refuse_orphans(settings.values);
  return settings;
}

}  // namespace infermeter
