// Enumerations and their names: the names of an enumeration are listed once, beside its declaration; files,
// options and messages use name() and from_name(). Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace infermeter {

/// Specialised for an enumeration whose values count from 0: its names, in their order.
template <typename E>
inline constexpr std::array<std::string_view, 0> kNamesOf{};

template <typename E>
concept Named = std::is_enum_v<E> && !kNamesOf<E>.empty();

template <Named E>
constexpr std::string_view name(E value) {
  return kNamesOf<E>[static_cast<std::size_t>(value)];
}

/// Empty for a value without a name.
template <Named E>
constexpr std::string_view name(std::optional<E> value) {
  return value ? name(*value) : std::string_view();
}

/// Nothing if no enumerator has that name.
template <Named E>
constexpr std::optional<E> from_name(std::string_view text) {
  for (std::size_t i = 0; i < kNamesOf<E>.size(); ++i) {
    if (kNamesOf<E>[i] == text) return static_cast<E>(i);
  }
  return std::nullopt;
}

/// Combines one value with those so far: the common value, or E::mixed where they differ. Nothing is ignored.
template <Named E>
constexpr void join(std::optional<E>& all, std::optional<E> one) {
  if (one && all != one) all = all ? E::mixed : *one;
}

}  // namespace infermeter
