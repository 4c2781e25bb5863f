// The progress of a run: figures for display, from the workers' counters. The result is made from records. A
// plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "infermeter/base/clock.hpp"

namespace infermeter {

enum class Stage : std::uint8_t { warmup, measuring, draining, ended };

struct ProgressFigures {
  std::uint32_t point = 0, points = 1;  // of the sweep; the first is 0
  std::string target;                   // those that are measured now, separated by commas
  std::string label;  // "2/5  " of a sweep's points, a target's name; empty: there is only one
  Stage stage = Stage::warmup;
  nanoseconds elapsed{};             // of the measured phase (of the warm-up during the warm-up)
  std::optional<nanoseconds> total;  // requested
  std::optional<std::uint64_t> requests;
  std::int64_t in_flight = 0;
  std::uint64_t done = 0, errors = 0;  // done: measured requests
  double requests_per_s = 0, tokens_per_s = 0, ttft_ms = 0, itl_ms = 0;
};

}  // namespace infermeter
