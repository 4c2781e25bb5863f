#include "cli/options/values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "base/text.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "io/files/result_folder.hpp"

namespace infermeter {

void Values::add(const Given& given) {
  const auto [it, is_new] = given_.try_emplace(given.option, given);
  if (is_new) return;
  it->second.origin = given.origin;
  auto& texts = it->second.texts;
  if (!adds_up(spec(given.option).takes)) texts.clear();
  texts.insert(texts.end(), given.texts.begin(), given.texts.end());
}

void Values::erase(std::string_view name) {
  const auto it = given_.find(name);
  if (it != given_.end()) given_.erase(it);
}

void Values::override_with(const Values& higher) {
  for (const auto& [name, given] : higher.given_) given_.insert_or_assign(name, given);
}

std::vector<std::string> Values::that_differ(const Values& other) const {
  std::vector<std::string> names;
  for (const auto& [name, given] : given_) {
    const auto it = other.given_.find(name);
    if (it != other.given_.end() && it->second.texts != given.texts) names.push_back(name);
  }
  return names;
}

bool Values::given(std::string_view name) const {
  const auto it = given_.find(name);
  if (it == given_.end()) return false;
  const Takes takes = spec(name).takes;
  if (takes == Takes::optional_value) return it->second.texts.back() != "false";
  return takes != Takes::flag || flag(name);
}

bool Values::mentioned(std::string_view name) const { return given_.contains(spec(name).name); }

std::string Values::origin(std::string_view name) const {
  const auto it = given_.find(name);
  return it == given_.end() ? fmt::format("--{}", name) : it->second.origin;
}

std::string Values::text(std::string_view name) const {
  const auto it = given_.find(name);
  if (it == given_.end() || it->second.texts.empty()) return std::string(spec(name).fallback);
  return it->second.texts.back();
}

std::vector<std::string> Values::list(std::string_view name) const {
  const auto it = given_.find(name);
  return it == given_.end() ? std::vector<std::string>{} : it->second.texts;
}

std::vector<std::string> Values::parts(std::string_view name) const {
  const auto texts = adds_up(spec(name).takes) ? list(name) : std::vector{text(name)};
  std::vector<std::string> all;
  for (const auto& one : texts) std::ranges::move(split_at_commas(one), std::back_inserter(all));
  return all;
}

bool Values::flag(std::string_view name) const {
  const auto it = given_.find(name);
  return it != given_.end() && parse_switch(it->second.origin, it->second.texts.back());
}

unsigned Values::level(std::string_view name) const {
  constexpr std::uint64_t kMost = 9;
  std::uint64_t sum = 0;
  for (const auto& text : list(name)) {
    const bool number = is_decimal(text);
    const std::uint64_t times = number                             ? parse_count(origin(name), text)
                                : parse_switch(origin(name), text) ? 1
                                                                   : 0;
    sum = std::min(sum + std::min(times, kMost), kMost);
  }
  return static_cast<unsigned>(sum);
}

std::uint64_t Values::count(std::string_view name, std::uint64_t least, std::uint64_t most) const {
  const std::uint64_t value = parse_count(origin(name), text(name));
  if (value < least || value > most)
    refuse(name, fmt::format("is not in {} … {}", format_count(least), format_count(most)));
  return value;
}

double Values::positive_number(std::string_view name) const {
  const double value = parse_number(origin(name), text(name));
  if (!std::isfinite(value) || value <= 0) refuse(name, "is not above 0");
  return value;
}

double Values::amount(std::string_view name) const {
  const double value = parse_number(origin(name), text(name));
  if (!std::isfinite(value) || value < 0) refuse(name, "is below 0");
  return value;
}

nanoseconds Values::duration(std::string_view name) const { return parse_duration(origin(name), text(name)); }

nanoseconds Values::positive_duration(std::string_view name) const {
  const nanoseconds value = duration(name);
  if (value <= nanoseconds(0)) refuse(name, "is not above 0");
  return value;
}

std::size_t Values::choice(std::string_view name, std::span<const std::string_view> choices) const {
  const auto it = std::ranges::find(choices, std::string_view(text(name)));
  if (it == choices.end()) refuse(name, fmt::format("is not one of {}", fmt::join(choices, ", ")));
  return static_cast<std::size_t>(it - choices.begin());
}

void Values::refuse(std::string_view name, std::string_view rule) const {
  throw UsageError(fmt::format("{}: '{}' {}", origin(name), text(name), rule));
}

const OptionSpec& Values::spec(std::string_view name) const {
  const auto it = std::ranges::find(specs_, name, &OptionSpec::name);
  if (it == specs_.end()) throw std::logic_error(fmt::format("no option is called {}", name));
  return *it;
}

// A file that an option names is part of the command line: failing to read it is a usage error.
std::string read_text_file(const Values& values, std::string_view option, const std::string& path) {
  try {
    return read_file(path);
  } catch (const EnvironmentError&) {
    throw UsageError(fmt::format("{}: '{}' cannot be read", values.origin(option), path));
  }
}

std::string read_text_file(const Values& values, std::string_view option) {
  return read_text_file(values, option, values.text(option));
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    std::string_view part = text.substr(from, end - from);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.emplace_back(part);
    from = end + 1;
  }
  return parts;
}

bool parse_switch(std::string_view origin, std::string_view text) {
  constexpr std::array<std::string_view, 4> kOn{"true", "yes", "on", "1"};
  constexpr std::array<std::string_view, 4> kOff{"false", "no", "off", "0"};
  if (std::ranges::find(kOn, text) != kOn.end()) return true;
  if (std::ranges::find(kOff, text) != kOff.end()) return false;
  throw UsageError(fmt::format("{}: '{}' is neither true nor false", origin, text));
}

}  // namespace infermeter
