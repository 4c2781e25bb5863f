// The names of known metrics of known servers, and the quantities that they stand for. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace infermeter {

/// `time`: a histogram of seconds, or its sum alone.
enum class SeriesKind : std::uint8_t { gauge, counter, time, time_sum };

struct KnownSeries {
  std::string_view from;  // the server: "vllm"
  std::string_view name;  // without `_total`, and `_` for the `:` of the prefix
  SeriesKind kind = SeriesKind::gauge;
  std::string_view quantity;  // of model/server_quantities.hpp: "running"
  int rank = 0;               // where a server has several names for it: the lowest that is there, summed
  double scale = 1;           // to seconds, tokens, shares
  std::string_view label = {}, value = {};  // only series with this label
};

/// All rows of that name, next to each other; none for an unknown one.
std::span<const KnownSeries> known_series(std::string_view name);
/// All rows.
std::span<const KnownSeries> all_known_series();

}  // namespace infermeter
