#include "workload/schedule/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {
namespace {

constexpr double kMostTarget = 1e6;  // per second or in flight: more than one machine can produce

LoadStage parse_stage(std::string_view origin, std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    throw UsageError(fmt::format("{}: '{}' is not duration:target, as 60s:20", origin, text));
  const std::string_view duration = text.substr(0, colon), target = text.substr(colon + 1);
  if (!looks_like_duration(duration) && looks_like_duration(target)) {
    throw UsageError(fmt::format("{}: '{}' has the wrong order: it is duration:target, as {}:{}", origin,
                                 text, target, duration));
  }
  LoadStage stage{parse_duration(origin, duration), parse_number(origin, target)};
  if (stage.target < 0 || stage.target > kMostTarget)
    throw UsageError(fmt::format("{}: the target of '{}' is not from 0 to 1M", origin, text));
  return stage;
}

/// Calls `visit` with each line in order, until it returns false.
template <typename Visit>
void each_line(const std::vector<LoadStage>& stages, Visit visit) {
  StageLine line;
  for (const LoadStage& stage : stages) {
    line.end = line.start + stage.duration;
    line.to = stage.target;
    if (line.start < line.end && !visit(line)) return;
    line.start = line.end;
    line.from = line.to;
  }
}

/// The line that contains `at`; nothing from the end on. Called for each request of a closed loop, so it
/// builds no list.
std::optional<StageLine> line_at(const std::vector<LoadStage>& stages, nanoseconds at) {
  std::optional<StageLine> found;
  each_line(stages, [&](const StageLine& line) {
    if (at >= line.end) return true;
    found = line;
    return false;
  });
  return found;
}

}  // namespace

std::vector<StageLine> stage_lines(const std::vector<LoadStage>& stages) {
  std::vector<StageLine> lines;
  each_line(stages, [&](const StageLine& line) {
    lines.push_back(line);
    return true;
  });
  return lines;
}

std::vector<LoadStage> parse_stages(std::string_view origin, std::string_view text) {
  std::vector<LoadStage> stages;
  while (true) {
    const std::size_t comma = text.find(',');
    stages.push_back(parse_stage(origin, text.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  if (std::ranges::none_of(stage_lines(stages), &StageLine::holds)) {
    throw UsageError(fmt::format(
        "{}: nothing would be measured: add a stage that holds its target, as 2m:20 after 60s:20", origin));
  }
  return stages;
}

nanoseconds total_length(const std::vector<LoadStage>& stages) {
  nanoseconds total{};
  for (const LoadStage& stage : stages) total += stage.duration;
  return total;
}

double highest_target(const std::vector<LoadStage>& stages) {
  double highest = 0;
  for (const LoadStage& stage : stages) highest = std::max(highest, stage.target);
  return highest;
}

double target_at(const std::vector<LoadStage>& stages, nanoseconds at) {
  if (const auto line = line_at(stages, at)) return line->at(at);
  return stages.empty() ? 0 : stages.back().target;
}

std::uint32_t slots_at(const std::vector<LoadStage>& stages, nanoseconds at) {
  return static_cast<std::uint32_t>(std::lround(target_at(stages, at)));
}

std::optional<nanoseconds> next_slots_change(const std::vector<LoadStage>& stages, nanoseconds at) {
  const auto line = line_at(stages, at);
  if (!line) return std::nullopt;
  if (line->from == line->to) return line->end;
  // The number changes half-way between two whole ones.
  const double half = line->to > line->from ? 0.5 : -0.5;
  const double wanted = std::round(line->at(at)) + half;
  const double share = (wanted - line->from) / (line->to - line->from);
  const auto length = static_cast<double>((line->end - line->start).count());
  const auto change = line->start + nanoseconds(std::llround(std::floor(share * length)));
  return std::clamp(change, at + nanoseconds(1), line->end);
}

bool in_ramp(const std::vector<LoadStage>& stages, nanoseconds at) {
  const auto line = line_at(stages, at);
  return line && !line->holds();
}

}  // namespace infermeter
