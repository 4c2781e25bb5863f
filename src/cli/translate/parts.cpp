#include "cli/translate/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/options/foreign_names.hpp"
#include "cli/options/option_table.hpp"

namespace infermeter {
namespace {

using Typed = std::vector<std::string>;

constexpr std::string_view kNoneKnown = "infermeter has nothing like it";

const OptionSpec* by_letter(char letter) {
  const auto specs = run_options();
  const auto it = std::ranges::find(specs, letter, &OptionSpec::letter);
  return letter == 0 || it == specs.end() ? nullptr : &*it;
}

std::optional<NamedOption> find_ours(const std::string& name) {
  if (name.size() != 1) return find_option(run_options(), name);
  const auto* spec = by_letter(name[0]);
  return spec != nullptr ? std::optional(NamedOption{spec, false}) : std::nullopt;
}

/// How many of the words from `at` on belong to an option that takes `arity`.
std::size_t values_behind(const Typed& words, std::size_t at, Arity arity) {
  const std::size_t most = arity == Arity::many ? words.size() : static_cast<std::size_t>(arity);
  std::size_t count = 0;
  while (count < most && at + count < words.size() && option_name(words[at + count]).empty()) ++count;
  return count;
}

bool is_our_name(std::string_view name) {
  return std::ranges::find(run_options(), name, &OptionSpec::name) != run_options().end();
}

/// Our options that a part of the line may change.
std::optional<Becomes> part_of(std::string_view option) {
  if (option == "header") return Becomes::header;
  if (option == "model") return Becomes::model;
  if (option == "rate") return Becomes::rate;
  if (option == "concurrency") return Becomes::in_flight;
  if (option == "requests") return Becomes::requests;
  if (option == "endpoint") return Becomes::api;
  return std::nullopt;
}

Arity arity_of(const std::optional<NamedOption>& ours) {
  if (!ours) return Arity::many;
  const Takes takes = ours->spec->takes;
  return takes == Takes::flag ? Arity::none : Arity::one;
}

}  // namespace

std::string number_text(double value) { return fmt::format("{:.10g}", value); }

std::optional<double> to_number(std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::map<std::string, std::string> flat_fields(std::string_view text) {
  constexpr char kNext = '\0';
  const bool json = text.starts_with('{');
  std::string plain;
  bool in_list = false, quoted = false;
  for (const char c : text) {
    if (c == '[' || c == ']') in_list = c == '[';
    if (json && c == '"') quoted = !quoted;
    if (c == '[' || c == ']' || (json && (c == '{' || c == '}' || c == '"' || c == ' '))) continue;
    if (c == ',' && !in_list && !quoted)
      plain += kNext;
    else
      plain += json && !quoted && c == ':' ? '=' : c;
  }
  std::map<std::string, std::string> fields;
  for (std::size_t from = 0; from < plain.size();) {
    const std::size_t end = std::min(plain.find(kNext, from), plain.size());
    const std::string one = plain.substr(from, end - from);
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos) return {};
    fields[one.substr(0, equals)] = one.substr(equals + 1);
    from = end + 1;
  }
  return fields;
}

const RivalOption* Parts::row_of(const std::string& name, std::string_view value) const {
  // Behind `run` our own names are ours, but for their `--endpoint /v1/…`.
  const bool known = name.size() == 1 ? find_ours(name).has_value() : is_our_name(name);
  return !whole_ && known && !value.starts_with('/') ? nullptr : find_rival_option(rival_, name);
}

void Parts::read(const Typed& words) {
  for (std::size_t at = 0; at < words.size();) {
    const std::string& word = words[at];
    const bool blank = word == "\\" || word == "\n" || word == "--";
    if (!option_name(word).empty()) {
      at = read_option(words, at);
      continue;
    }
    ++at;
    if (blank) continue;
    if (!whole_)
      urls.push_back(word);
    else
      note("a word without its option", "is left out");
  }
}

std::size_t Parts::read_option(const Typed& words, std::size_t at) {
  const std::string name = option_name(words[at]);
  const std::size_t equals = words[at].find('=');
  const std::string shown = words[at].substr(0, equals);
  Typed values;
  if (equals != std::string::npos) values.push_back(words[at].substr(equals + 1));
  ++at;
  const std::string behind = at < words.size() ? words[at] : std::string();
  const std::string next = values.empty() ? behind : values.front();
  const RivalOption* row = row_of(name, next);
  // Another tool's letters are not ours.
  const auto ours = whole_ && name.size() == 1 ? std::nullopt : find_ours(name);
  const Arity arity = row != nullptr ? row->arity : arity_of(ours);
  // `--flag true`: a switch where it stands.
  if (whole_ && arity == Arity::none && values.empty() && behind == "true") ++at;
  if (equals == std::string::npos || arity == Arity::many) {
    std::size_t count = values_behind(words, at, equals == std::string::npos ? arity : Arity::none);
    // A URL behind an option that nobody knows is the target.
    for (; count > 0; --count, ++at) {
      if (!whole_ && row == nullptr && !ours && words[at].find("://") != std::string::npos) break;
      values.push_back(words[at]);
    }
  }
  if (row != nullptr)
    take(*row, shown, values);
  else if (!take_ours(name, shown, values))
    note(shown,
         asks_for_key(name) ? "export OPENAI_API_KEY" : rival_hint(name).value_or(std::string(kNoneKnown)));
  return at;
}

void Parts::take(const RivalOption& row, const std::string& shown, const Typed& values) {
  if (!is_our_name(row.name) && row.part != Becomes::key) out.foreign = true;
  switch (row.part) {
    case Becomes::same:
      return complete_with(row, shown, values, "");
    case Becomes::seconds:
      return complete_with(row, shown, values, "s");
    case Becomes::milliseconds:
      return complete_with(row, shown, values, "ms");
    case Becomes::on:
      return complete.push_back(fmt::format("--{}", row.text));
    case Becomes::left_out:
      return note(shown, row.text);
    case Becomes::implied:
      return;
    case Becomes::key:
      return note(shown, "export OPENAI_API_KEY; everyone on this machine sees a command line");
    case Becomes::body:
      fields.emplace_back(row.text, values.empty() ? "true" : values.front());
      return;
    default:
      break;
  }
  auto& of_part = values_[row.part];
  of_part.insert(of_part.end(), values.begin(), values.end());
  origins_[row.part] = shown;
}

void Parts::complete_with(const RivalOption& row, const std::string& shown, const Typed& values,
                          std::string_view unit) {
  for (const auto& value : values) {
    if (!unit.empty() && !to_number(value)) {
      note(fmt::format("{} {}", shown, value), "not one number: the default is kept");
      continue;
    }
    complete.push_back(fmt::format("--{}", row.text));
    complete.push_back(value + std::string(unit));
  }
}

bool Parts::take_ours(const std::string& name, const std::string& shown, const Typed& values) {
  if (asks_for_key(name)) return false;
  const auto ours = whole_ && name.size() == 1 ? std::nullopt : find_ours(name);
  if (!ours) {
    (rival_hint(name) ? out.foreign : out.unknown) = true;
    return false;
  }
  const std::string_view option = ours->spec->name;
  if (find_alias(name) != nullptr) out.foreign = true;
  if (option == "url") {
    urls.insert(urls.end(), values.begin(), values.end());
  } else if (const auto part = part_of(option)) {
    values_[*part].insert(values_[*part].end(), values.begin(), values.end());
    origins_[*part] = shown;
  } else {
    complete.push_back(fmt::format("--{}", ours->opposite ? std::string_view(name) : option));
    complete.insert(complete.end(), values.begin(), values.end());
  }
  return true;
}

std::vector<std::string> Parts::all(Becomes part) const {
  const auto it = values_.find(part);
  return it == values_.end() ? Typed{} : it->second;
}

std::string Parts::text(Becomes part, std::string_view otherwise) const {
  const auto it = values_.find(part);
  return it == values_.end() || it->second.empty() ? std::string(otherwise) : it->second.back();
}

std::optional<double> Parts::number(Becomes part) const { return to_number(text(part)); }

std::string Parts::origin(Becomes part) const {
  const auto it = origins_.find(part);
  return it == origins_.end() ? std::string() : it->second;
}

void Parts::note(std::string_view option, std::string_view why) {
  std::string line = fmt::format("{}: {}", option, why);
  if (std::ranges::find(out.notes, line) == out.notes.end()) out.notes.push_back(std::move(line));
}

bool Parts::gives(std::string_view option) const {
  return std::ranges::find(complete, option) != complete.end();
}

std::string Parts::value_of(std::string_view option, std::string_view unit) const {
  const auto it = std::ranges::find(complete, option);
  if (it == complete.end() || it + 1 == complete.end()) return {};
  const std::string& value = *(it + 1);
  return value.ends_with(unit) ? value.substr(0, value.size() - unit.size()) : value;
}

bool Parts::has_put(std::string_view option) const {
  return std::ranges::find(out.words, option) != out.words.end();
}

}  // namespace infermeter
