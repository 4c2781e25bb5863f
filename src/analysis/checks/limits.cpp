#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "analysis/checks/checks.hpp"

namespace infermeter {

namespace {

constexpr std::size_t kMostLimits = 3;  // different ones that are quoted

Records limited_of(const Records& records) {
  Records out;
  std::ranges::copy_if(records, std::back_inserter(out),
                       [](const auto* record) { return record->outcome == Outcome::client_limit; });
  return out;
}

/// Up to the figures: "(31 ports, 4 connections in TIME_WAIT)" differs from request to request.
std::string_view kind_of(std::string_view error) { return error.substr(0, error.find(':')); }

std::string limits_text(const Records& limited) {
  std::vector<std::string_view> kinds;
  std::string text;
  for (const auto* record : limited) {
    const auto kind = kind_of(record->error);
    if (kinds.size() == kMostLimits || std::ranges::find(kinds, kind) != kinds.end()) continue;
    kinds.push_back(kind);
    text += (text.empty() ? "" : ". And: ") + record->error;
  }
  return text;
}

}  // namespace

std::optional<Check> check_client_limit(const Facts& facts) {
  const auto measured = limited_of(facts.run.measured), all = limited_of(facts.run.all);
  if (all.empty()) return std::nullopt;
  if (measured.empty())
    return complaint(
        CheckKind::client_limit, CheckState::warning,
        fmt::format("Outside of the measured phase, {} requests met a limit of this machine: {}.", all.size(),
                    limits_text(all)),
        "The load was not as planned there. Raise the limit, or lower the load.");
  return complaint(CheckKind::client_limit, CheckState::failed,
                   fmt::format("{} requests met a limit of this machine: {}.",
                               part_of(measured.size(), facts.run.measured.size()), limits_text(measured)),
                   "The server was not asked, so this is not the load that was asked for. Raise the limit, "
                   "lower the load, "
                   "or send from several machines (--shard).");
}

}  // namespace infermeter
