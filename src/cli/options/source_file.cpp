#include "cli/options/source_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"
#include "cli/options/foreign_names.hpp"
#include "cli/options/values.hpp"
#include "infermeter/base/errors.hpp"
#include "protocol/request/shape.hpp"

namespace infermeter {
namespace {

using enum Takes;
using enum Enters;

// clang-format off: a table
constexpr OptionSpec kTargetKeys[] = {
  {"name", 0, value, in_plan, "NAME", "", "the host", "[[target]]", "in tables and files"},
  {"label", 0, value, unhashed, "TEXT", "", "the name", "[[target]]", "shown instead of the name"},
  {"extra-body", 0, json, in_request, "JSON", "", "none", "[[target]]", "merged into each body of this target"},
};

constexpr OptionSpec kClassKeys[] = {
  {"name", 0, value, in_plan, "NAME", "", "required", "[[class]]", "in tables and files"},
  {"share", 0, value, in_request, "X", "1", "", "[[class]]", "of the requests of the common load"},
  {"rate", 0, value, in_request, "R", "", "common load", "[[class]]", "an open loop of its own"},
  {"concurrency", 0, value, in_request, "N", "", "common load", "[[class]]", "a closed loop of its own"},
  {"probe", 0, flag, in_request, "", "", "off", "[[class]]", "light load beside the heavy one"},
  {"model", 0, value, in_plan, "NAME", "", "the target's", "[[class]]", "another model, or a LoRA name"},
  {"header", 0, list, unhashed, "'K: V'", "", "none", "[[class]]", "beside those of the target"},
};
// clang-format on

constexpr std::array<std::string_view, 3> kTargetGroups{"Target", "Targets", "Transport"};
constexpr std::array<std::string_view, 2> kTargetLimits{"max-cost", "max-tokens-total"};
constexpr std::array<std::string_view, 6> kOfTheRun{"sim",        "fault",     "truth",
                                                    "wait-ready", "alternate", "sequential"};
constexpr std::array<std::string_view, 2> kClassGroups{"Workload", "Answers"};

bool among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

constexpr std::array<std::string_view, 4> kBlockNames{"target", "class", "quick", "facts"};
constexpr std::array<std::string_view, 3> kTypedOnly{"help", "config", "dry-run"};

/// The position of an entry, for messages: "run.toml:3: " or "run.toml:3: [[target]] ".
std::string place_of(const std::string& path, int line, std::string_view block) {
  return block.empty() ? fmt::format("{}:{}: ", path, line) : fmt::format("{}:{}: {} ", path, line, block);
}

/// `header = { X-Team = "a" }` is the list "X-Team: a".
std::vector<std::string> pairs_of(const ConfigEntry& entry, std::string_view separator) {
  std::vector<std::string> out;
  for (const auto& [key, value] : entry.fields) out.push_back(fmt::format("{}{}{}", key, separator, value));
  return out;
}

std::vector<std::string> texts_of(const OptionSpec& spec, const ConfigEntry& entry, const std::string& at) {
  if (spec.takes == Takes::commas && !entry.is_table)
    return {fmt::format("{}", fmt::join(entry.values, ","))};
  if (!entry.is_table || spec.takes == Takes::json) return entry.values;
  if (spec.name.ends_with("header") && !entry.fields.empty()) return pairs_of(entry, ": ");
  if (spec.name == "label" && !entry.fields.empty()) return pairs_of(entry, "=");
  throw UsageError(fmt::format("{}'{}' is a table; every option stands at the top level, outside [tables]",
                               at, entry.name),
                   "Blocks are [[target]], [[class]] and [quick].");
}

void refuse_typed_only(const std::string& at, const OptionSpec& spec) {
  if (spec.name == "config") throw UsageError(at + "a configuration file cannot name another one");
  if (std::ranges::find(kTypedOnly, spec.name) != kTypedOnly.end())
    throw UsageError(fmt::format("{}{}: stands on the command line only", at, spec.name));
}

/// Adds entries to values; each option only once, under any of its names.
class Adder {
 public:
  Adder(const std::string& path, std::string_view block) : path_(path), block_(block) {}

  void add(const ConfigEntry& entry, const NamedOption& option, Values& values) {
    const std::string at = place_of(path_, entry.line, block_);
    const auto [it, is_new] = lines_.try_emplace(std::string(option.spec->name), entry.name, entry.line);
    if (!is_new)
      throw UsageError(fmt::format("{}{} is the same as {} in line {}", at, entry.name, it->second.first,
                                   it->second.second));
    values.add(given_as(option, at + entry.name, texts_of(*option.spec, entry, at)));
  }

  std::string at(const ConfigEntry& entry) const { return place_of(path_, entry.line, block_); }

 private:
  const std::string& path_;
  std::string_view block_;
  std::map<std::string, std::pair<std::string, int>> lines_;
};

void add_run_entries(Adder& adder, const std::vector<ConfigEntry>& entries, Values& values) {
  const auto specs = run_options();
  for (const auto& entry : entries) {
    const std::string at = adder.at(entry);
    if (asks_for_key(entry.name)) throw key_refusal(at + entry.name);
    const auto option = find_option(specs, entry.name);
    if (entry.name == "target" || entry.name == "class")
      throw UsageError(fmt::format("{}write [[{}]], once for each", at, entry.name));
    if (!option)
      throw unknown_name(NameStyle::file, fmt::format("{}unknown name '{}'", at, entry.name), entry.name,
                         specs);
    refuse_typed_only(at, *option->spec);
    adder.add(entry, *option, values);
  }
}

[[noreturn]] void refuse_in_block(BlockKind kind, const std::string& at, const ConfigEntry& entry) {
  const auto specs = run_options();
  if (const auto option = find_option(specs, entry.name))
    throw UsageError(fmt::format("{}{} applies to the whole run: put it at the top level", at, entry.name));
  std::vector<OptionSpec> known;
  for (const auto& spec : specs) {
    if (stands_in(kind, spec)) known.push_back(spec);
  }
  std::ranges::copy(own_keys(kind), std::back_inserter(known));
  throw unknown_name(NameStyle::file, fmt::format("{}unknown name '{}'", at, entry.name), entry.name, known);
}

Block block_of(const std::string& path, BlockKind kind, const ConfigBlock& config) {
  const std::string title = fmt::format("[[{}]]", name(kind));
  Block block{.where = fmt::format("{}:{}: {}", path, config.line, title),
              .own = Values(own_keys(kind)),
              .options = Values(run_options())};
  Adder adder(path, title);
  for (const auto& entry : config.entries) {
    const std::string at = adder.at(entry);
    if (asks_for_key(entry.name)) throw key_refusal(at + entry.name);
    const auto own = find_option(own_keys(kind), entry.name);
    const auto option = own ? own : find_option(run_options(), entry.name);
    if (!option || (!own && !stands_in(kind, *option->spec))) refuse_in_block(kind, at, entry);
    adder.add(entry, *option, own ? block.own : block.options);
  }
  refuse_conflicts(block.options);
  return block;
}

/// Keys that describe the file and are not options. `name` is the name of the server described by a file of
/// facts.
bool is_about_the_file(std::string_view name) {
  return name == "description" || name == "verified" || name == "name";
}

/// The first value of an entry, or empty.
std::string text_of(const std::vector<ConfigEntry>& entries, std::string_view name) {
  const auto it = std::ranges::find(entries, name, &ConfigEntry::name);
  return it == entries.end() || it->values.empty() ? std::string() : it->values[0];
}

std::optional<Endpoint> endpoint_named(std::string_view text) {
  const auto row = std::ranges::find(kEndpoints, text, &EndpointRow::name);
  return row == kEndpoints.end() ? std::nullopt : std::optional(row->endpoint);
}

/// Of docs/vendors.md.
constexpr std::array<std::string_view, 12> kFacts{
    "url_example",  "verified", "checked",         "kind",        "max_tokens_field", "usage",
    "server_times", "refused",  "perhaps_refused", "thinking_on", "thinking_off",     "notes"};

std::string fact_named(std::string_view name) {
  std::string out(name);
  std::ranges::replace(out, '-', '_');
  return out;
}

bool is_field_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

void check_fact(const std::string& at, const ConfigEntry& entry) {
  const std::string name = fact_named(entry.name);
  if (!among(kFacts, name)) {
    const std::vector<std::string> known(kFacts.begin(), kFacts.end());
    const auto nearest = nearest_name(name, known);
    throw UsageError(fmt::format("{}unknown name '{}'{}", at, name,
                                 nearest ? fmt::format("; did you mean {}?", *nearest) : ""),
                     nearest ? "" : fmt::format("known: {}", fmt::join(known, ", ")));
  }
  const bool field = name == "max_tokens_field", fields = name == "refused";
  const bool object = name == "thinking_on" || name == "thinking_off";
  const bool single = field || object || name == "url_example";
  if (single && entry.values.size() != 1)
    throw UsageError(fmt::format("{}{}: takes one value, not {}", at, name, entry.values.size()));
  for (const auto& text : entry.values) {
    if (object) refuse_no_object(at + name, text);
    if ((field || fields) && !is_field_name(text))
      throw UsageError(fmt::format("{}{}: '{}' is not the name of a field", at, name, one_line(text, 100)));
  }
}

/// The facts that drive requests; the others are for people.
FileFacts facts_of(const std::string& path, const ConfigFile& file, const ConfigBlock& block) {
  for (const auto& entry : block.entries) check_fact(place_of(path, entry.line, "[facts]"), entry);
  FileFacts facts;
  VendorFacts& known = facts.known;
  known.vendor = text_of(file.entries, "name");
  if (known.vendor.empty()) known.vendor = path;
  known.endpoint = endpoint_named(text_of(file.entries, "endpoint"));
  known.limit_field = text_of(block.entries, "max-tokens-field");
  known.thinking_on = text_of(block.entries, "thinking-on");
  known.thinking_off = text_of(block.entries, "thinking-off");
  const auto refused = std::ranges::find(block.entries, "refused", &ConfigEntry::name);
  if (refused != block.entries.end()) known.refused = refused->values;
  facts.url_example = text_of(block.entries, "url-example");
  return facts;
}

Source source_of(const std::string& path, ConfigFile file) {
  Source source = empty_source();
  source.description = text_of(file.entries, "description");
  for (const auto& block : file.blocks) {
    if (block.kind == "facts") source.facts = facts_of(path, file, block);
  }
  std::erase_if(file.entries, [](const ConfigEntry& entry) { return is_about_the_file(entry.name); });
  Adder top(path, "");
  add_run_entries(top, file.entries, source.top);
  refuse_conflicts(source.top);
  for (const auto& block : file.blocks) {
    if (block.kind == "target") source.targets.push_back(block_of(path, BlockKind::target, block));
    if (block.kind == "class") source.classes.push_back(block_of(path, BlockKind::traffic, block));
    if (block.kind != "quick") continue;
    Adder quick(path, "[quick]");
    add_run_entries(quick, block.entries, source.quick);
    refuse_conflicts(source.quick);
    source.has_quick = true;
  }
  return source;
}

}  // namespace

std::string_view name(BlockKind kind) { return kind == BlockKind::target ? "target" : "class"; }

std::span<const OptionSpec> own_keys(BlockKind kind) {
  if (kind == BlockKind::target) return kTargetKeys;
  return kClassKeys;
}

bool stands_in(BlockKind kind, const OptionSpec& option) {
  if (kind == BlockKind::traffic) return among(kClassGroups, option.group);
  return among(kTargetLimits, option.name) ||
         (among(kTargetGroups, option.group) && !among(kOfTheRun, option.name));
}

Source empty_source() {
  return {.description = {},
          .top = Values(run_options()),
          .quick = Values(run_options()),
          .has_quick = false,
          .targets = {},
          .classes = {},
          .facts = {}};
}

Source read_source(const std::string& path, const std::string& origin) {
  return source_of(path, read_config_file(path, kBlockNames, origin));
}

Source parse_source(const std::string& name, std::string_view text) {
  return source_of(name, parse_config_text(name, text, kBlockNames));
}

Given given_as(const NamedOption& option, std::string origin, std::vector<std::string> texts) {
  const OptionSpec& spec = *option.spec;
  if (!adds_up(spec.takes) && texts.size() != 1)
    throw UsageError(fmt::format("{}: takes one value, not {}", origin, texts.size()));
  if (!option.value.empty())
    texts[0] = std::string(parse_switch(origin, texts[0]) ? option.value : spec.fallback);
  // `sim = true` in a file is --sim without a preset.
  if (spec.takes == Takes::optional_value && texts[0] == "true") texts[0].clear();
  if (spec.takes == Takes::level && texts.size() != 1)
    throw UsageError(fmt::format("{}: takes one value, not {}", origin, texts.size()));
  if (spec.takes == Takes::flag)
    texts[0] = parse_switch(origin, texts[0]) != option.opposite ? "true" : "false";
  return {std::string(spec.name), std::move(origin), std::move(texts)};
}

}  // namespace infermeter
