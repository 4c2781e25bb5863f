#include "cli/options/config_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "base/nesting.hpp"
#include "cli/options/foreign_names.hpp"
#include "cli/options/source_file.hpp"
#include "cli/options/values.hpp"
#include "cli/options/vendors.hpp"
#include "cli/scenarios.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

constexpr std::string_view kPrefix = "INFERMETER_";

/// Variables of the project that are no options: of script/ci-gate and script/ci-install, of the commands
/// around a point, of the tests.
constexpr std::array<std::string_view, 7> kOtherVariables{
    "INFERMETER_BUILD",        "INFERMETER_CHROMIUM",  "INFERMETER_FORMATS",      "INFERMETER_POINT_LOAD",
    "INFERMETER_POINT_NUMBER", "INFERMETER_POINT_URL", "INFERMETER_UPDATE_GOLDEN"};

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
  std::vector<std::string> notes;

  /// The highest source that sets the option, without the scenario, which some of these options select; null:
  /// none does.
  const Values* setting(std::string_view name) const {
    for (const Values* place : {&words, &environment, &file.top}) {
      if (place->given(name)) return place;
    }
    return nullptr;
  }
  std::string text(std::string_view name) const {
    const Values* place = setting(name);
    return place != nullptr ? place->text(name) : std::string();
  }
  bool given(std::string_view name) const { return setting(name) != nullptr; }
  /// On the command line or in the environment.
  bool asked(std::string_view name) const { return words.given(name) || environment.given(name); }
};

void put_source_over(Values& joined, const Source& source, bool quick, const Values* block) {
  put_over(joined, source.top);
  if (block != nullptr) put_over(joined, *block);
  if (quick) put_over(joined, source.quick);
}

struct BlockOptions {
  const Values *of_scenario = nullptr, *of_file = nullptr;
};

Values join(const Sources& sources, bool quick, const Vendor& vendor, BlockOptions block = {}) {
  Values joined(vendor.options);
  put_source_over(joined, sources.scenario, quick, block.of_scenario);
  put_source_over(joined, sources.file, quick, block.of_file);
  put_over(joined, sources.environment);
  put_over(joined, sources.words);
  return joined;
}

Vendor vendor_named(const std::string& origin, const std::string& name) {
  Source source = find_vendor(origin, name);
  if (!source.targets.empty() || !source.classes.empty())
    throw UsageError(fmt::format("{}: {} describes a run, not a vendor: it has blocks", origin, name),
                     "--config takes the file of a run.");
  Vendor vendor;
  if (source.facts) {
    vendor.facts = std::move(source.facts->known);
    vendor.url_example = std::move(source.facts->url_example);
  }
  refuse_too_deep(source.top.origin("extra-body"), source.top.text("extra-body"));
  vendor.extra_body = source.top.text("extra-body");
  source.top.erase("extra-body");
  vendor.options = std::move(source.top);
  return vendor;
}

Vendor vendor_of_file(const Source& file) {
  Vendor vendor;
  if (!file.facts) return vendor;
  vendor.facts = file.facts->known;
  vendor.url_example = file.facts->url_example;
  return vendor;
}

/// The vendor of one target whose options are these.
Vendor vendor_of(const Sources& sources, const Values& values) {
  const auto names = values.parts("vendor");
  if (names.empty()) return vendor_of_file(sources.file);
  if (names.size() > 1)
    throw UsageError(fmt::format("{}: {} vendors of one target", values.origin("vendor"), names.size()),
                     "vendor = \"NAME\" in each [[target]], or several --vendor without [[target]] blocks.");
  return vendor_named(values.origin("vendor"), names[0]);
}

Part part_of(const Sources& sources, bool quick, BlockKind kind, const Block& block, BlockOptions options) {
  const bool target = kind == BlockKind::target;
  const Vendor vendor = target ? vendor_of(sources, join(sources, quick, {}, options)) : Vendor{};
  Part part{block.where, block.own, vendor.options, join(sources, quick, vendor, options), vendor};
  put_over(part.given, block.options);
  refuse_orphans(part.values);
  return part;
}

std::vector<Part> parts_of(const Sources& sources, bool quick, BlockKind kind) {
  const auto blocks = kind == BlockKind::target ? &Source::targets : &Source::classes;
  const bool from_file = !(sources.file.*blocks).empty();
  std::vector<Part> parts;
  for (const Block& block : (from_file ? sources.file : sources.scenario).*blocks)
    parts.push_back(part_of(
        sources, quick, kind, block,
        from_file ? BlockOptions{.of_file = &block.options} : BlockOptions{.of_scenario = &block.options}));
  return parts;
}

/// The URLs that are named after vendors, by name.
std::map<std::string, std::string> urls_by_vendor(const Values& values,
                                                  const std::vector<std::string>& vendors) {
  std::map<std::string, std::string> urls;
  for (const auto& text : values.list("url")) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string name = text.substr(0, equals);
    if (std::ranges::find(vendors, name) == vendors.end())
      throw UsageError(fmt::format("{}: with several --vendor each URL is named after one of them, {}=URL",
                                   values.origin("url"), vendors.front()),
                       "A server of another vendor is a [[target]] of --config.");
    urls[name] = text.substr(equals + 1);
  }
  return urls;
}

/// Several --vendor: each is a target.
std::vector<Part> parts_of_vendors(const Sources& sources, bool quick, const Values& run) {
  if (run.given("sim"))
    throw UsageError(fmt::format("{} takes one --vendor", run.origin("sim")),
                     "Its requests are those of that vendor.");
  const auto vendors = run.parts("vendor");
  const auto urls = urls_by_vendor(run, vendors);
  std::vector<Part> parts;
  for (const auto& name : vendors) {
    const Vendor vendor = vendor_named(run.origin("vendor"), name);
    Part part{fmt::format("{} {}", run.origin("vendor"), name), Values(own_keys(BlockKind::target)),
              vendor.options, join(sources, quick, vendor), vendor};
    part.own.add({"name", run.origin("vendor"), {name}});
    if (const auto url = urls.find(name); url != urls.end())
      put_over(part.given, Values(run_options(), {{"url", run.origin("url"), {url->second}}}));
    refuse_orphans(part.values);
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<Part> targets_of(const Sources& sources, bool quick, const Values& run) {
  const bool replaced = sources.asked("url") || sources.asked("sim") || sources.asked("vendor");
  const bool blocks = !replaced && !(sources.file.targets.empty() && sources.scenario.targets.empty());
  if (!blocks)
    return run.parts("vendor").size() > 1 ? parts_of_vendors(sources, quick, run) : std::vector<Part>{};
  for (const auto* name : {"url", "sim"}) {
    if (!sources.file.targets.empty() && sources.file.top.given(name))
      throw UsageError(fmt::format("{} and {} exclude each other", sources.file.targets.front().where,
                                   sources.file.top.origin(name)));
  }
  return parts_of(sources, quick, BlockKind::target);
}

void put_options_over(Values& joined, const Values& next, std::vector<std::string>& notes) {
  for (const auto& name : joined.that_differ(next))
    notes.push_back(fmt::format("{} wins over {}", next.origin(name), joined.origin(name)));
  for (const auto& [winner, loser] : overruled(joined, next))
    notes.push_back(fmt::format("{} wins over {}", next.origin(winner), joined.origin(loser)));
  put_over(joined, next);
}

/// A server that an earlier file names by its URL, with the key and the facts that are meant for it.
void drop_server(Source& file) {
  for (const auto* name : {"url", "sim", "vendor"}) file.top.erase(name);
  if (file.facts) file.top.erase("api-key-env");
  file.facts.reset();
}

void put_file_over(Source& joined, Source&& next, std::vector<std::string>& notes) {
  if (!next.description.empty()) joined.description = std::move(next.description);
  for (const auto* name : {"url", "sim"}) {
    if (!next.targets.empty() && joined.top.given(name))
      notes.push_back(fmt::format("{} wins over {}", next.targets.front().where, joined.top.origin(name)));
    if (!joined.targets.empty() && next.top.given(name))
      notes.push_back(fmt::format("{} wins over {}", next.top.origin(name), joined.targets.front().where));
  }
  if (!next.targets.empty()) drop_server(joined);
  if (next.top.given("url") || next.top.given("sim")) joined.targets.clear();
  put_options_over(joined.top, next.top, notes);
  put_options_over(joined.quick, next.quick, notes);
  joined.has_quick = joined.has_quick || next.has_quick;
  std::ranges::move(next.targets, std::back_inserter(joined.targets));
  std::ranges::move(next.classes, std::back_inserter(joined.classes));
  if (next.facts) joined.facts = std::move(next.facts);
}

Sources read_sources(const Variables& variables, const std::vector<Given>& typed) {
  Sources sources;
  sources.words = values_from(typed);
  sources.environment = values_from(from_variables(run_options(), variables));
  if (const Values* place = sources.setting("config")) {
    for (const auto& path : place->list("config")) {
      Source file = read_source(path);
      put_file_over(sources.file, std::move(file), sources.notes);
    }
  }
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
  Sources sources = read_sources(variables, typed);
  const bool quick = is_quick(sources);
  Settings settings{.scenario = scenario_name(sources.text("scenario")),
                    .values = join(sources, quick, {}),
                    .vendor = {},
                    .targets = {},
                    .classes = parts_of(sources, quick, BlockKind::traffic),
                    .notes = std::move(sources.notes)};
  settings.targets = targets_of(sources, quick, settings.values);
  if (settings.targets.empty()) {
    settings.vendor = vendor_of(sources, settings.values);
    settings.values = join(sources, quick, settings.vendor);
  }
  // With classes, a needed option may be set in each class instead: parts_of has checked these.
  if (settings.classes.empty()) refuse_orphans(settings.values);
  return settings;
}

}  // namespace infermeter
