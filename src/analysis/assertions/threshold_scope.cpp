#include "analysis/assertions/threshold_scope.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/suggest.hpp"

namespace infermeter {

namespace {

constexpr std::array<std::string_view, 6> kKeys{"target", "concurrency", "rate", "shape", "class", "run"};
constexpr std::array<std::string_view, 3> kNumbers{"concurrency", "rate", "run"};

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_number(std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size();
}

std::string read_key(ExpressionText& text, const ThresholdScope& before) {
  const auto key = text.word("one of target, concurrency, rate, shape, class, run");
  if (!is_among(kKeys, key.text)) {
    const auto near = nearest_name(key.text, std::vector<std::string>(kKeys.begin(), kKeys.end()));
    text.refuse(key.at, key.text.size(),
                fmt::format("'{}' is not a place{}", key.text,
                            near ? fmt::format("; did you mean '{}'?", *near) : ""),
                fmt::format("known: {}", fmt::join(kKeys, ", ")));
  }
  const bool twice = std::ranges::any_of(before, [&](const auto& one) { return one.first == key.text; });
  if (twice) text.refuse(key.at, key.text.size(), fmt::format("'{}' stands here twice", key.text));
  return std::string(key.text);
}

std::string read_value(ExpressionText& text, const std::string& key) {
  if (!text.take("=")) text.refuse(text.at(), 1, fmt::format("expected = here, as in {}=8", key));
  const auto value = text.up_to(",]");
  if (value.text.empty()) text.refuse(value.at, 1, fmt::format("which {}?", key));
  if (is_among(kNumbers, key) && !is_number(value.text))
    text.refuse(value.at, value.text.size(), fmt::format("{} is a number: '{}' is none", key, value.text));
  return std::string(value.text);
}

}  // namespace

ThresholdScope take_scope(ExpressionText& text) {
  ThresholdScope scope;
  if (!text.take("[")) return scope;
  do {
    auto key = read_key(text, scope);
    auto value = read_value(text, key);
    scope.emplace_back(std::move(key), std::move(value));
  } while (text.take(","));
  if (!text.take("]")) text.refuse(text.at(), 1, "expected ] here");
  return scope;
}

}  // namespace infermeter
