// The single checks of validity, and the texts that they share. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/figures/steadiness.hpp"
#include "analysis/figures/windows.hpp"
#include "analysis/runs/run_records.hpp"
#include "infermeter/analysis/summarize.hpp"

namespace infermeter {

/// What the checks read; nothing is owned. `point` has its counts and metrics already.
struct Facts {
  const PointResult& point;
  const RunRecords& run;
  const std::optional<Window>& steady;  // the window that is steady if the load had settled
  const Steadiness& steadiness;         // over it
  const RunState& state;
};

// The three that can fail: whether the load was as planned, whether this machine measured it correctly, and
// whether it could send it (nothing where it met no limit).
Check check_open_loop(const Facts& facts);
Check check_closed_loop(const Facts& facts);
Check check_client(const Facts& facts);
std::optional<Check> check_client_limit(const Facts& facts);

/// What is to be done about a client that was late depends on why it was.
std::string advice_on_lateness(const Facts& facts);

// Checks of the answers.
Check check_stream(const Facts& facts);
Check check_speed(const Facts& facts);
Check check_lengths(const Facts& facts);
Check check_tokens(const Facts& facts);

// Checks of the prompts; nothing where neither lengths nor a cold cache were asked for.
std::optional<Check> check_prompt_lengths(const Facts& facts);
std::optional<Check> check_cold(const Facts& facts);

// Checks of the measured window.
Check check_steady(const Facts& facts);
Check check_in_flight(const Facts& facts, const Window& window);
Check check_little(const Facts& facts, const Window& window);
Check check_complete(const Facts& facts);

Check passed(CheckKind kind, std::string evidence);
Check not_applicable(CheckKind kind, std::string evidence);
Check complaint(CheckKind kind, CheckState state, std::string evidence, std::string advice);

/// "1.2 %", "9.83 ms", "3 of 320".
std::string percent(double share, int significant = 2);
std::string milliseconds(double value, int significant = 3);
std::string part_of(std::uint64_t part, std::uint64_t whole);

/// Where every stream was closed, that of the closed ones: it is as valid as that of any other. Null: none.
const Metric* seen_metric(const PointResult& point, std::string_view name);
double median_seen(const PointResult& point, std::string_view name);

/// The p50 of a metric, 0 where there is none.
double metric_median(const PointResult& point, std::string_view name);

}  // namespace infermeter
