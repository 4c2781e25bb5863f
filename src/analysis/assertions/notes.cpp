#include "analysis/assertions/notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "infermeter/model/figures.hpp"

namespace infermeter {

namespace {

std::string with_statistic(std::string_view metric, const std::string& statistic) {
  return statistic.empty() ? std::string(metric) : fmt::format("{}.{}", metric, statistic);
}

/// Latency from the sending leaves out what a user of an open loop waits for before it.
std::string of_the_wait(const Threshold& assertion) {
  return fmt::format(
      "{} counts from the sending; {} counts from when the request was due, the wait before it too.",
      with_statistic(assertion.metric, assertion.statistic),
      with_statistic(find_figure(assertion.metric)->response, assertion.statistic));
}

/// For a rate the 95th percentile is the fast end, which few people mean.
std::string of_the_fast_end(const Threshold& assertion, double percentile) {
  return fmt::format("{} is the fast end: {:.6g} % are slower. The slow end is {}.p{:.6g}.",
                     with_statistic(assertion.metric, assertion.statistic), percentile, assertion.metric,
                     100 - percentile);
}

std::string at(const AssertionPlace& place) {
  const std::string where = name(place.where);
  return where.empty() ? "The run" : fmt::format("The run at {}", where);
}

}  // namespace

AssertionNotes::AssertionNotes(bool by_point) {
  if (by_point) add("Decided by the values, whatever their intervals (--assert-point).");
}

void AssertionNotes::look_at(const Threshold& assertion, const AssertionPlace& place) {
  const bool from_sending = !find_figure(assertion.metric)->response.empty();
  if (from_sending && place.point->load.open_loop) add(of_the_wait(assertion));
  const auto percentile = percentile_of(assertion.statistic);
  if (percentile && *percentile > 50 && find_figure(assertion.metric)->low_tail)
    add(of_the_fast_end(assertion, *percentile));
  const auto& validity = place.point->validity;
  if (validity.partial) add(at(place) + " did not come to its end: judged by what there is.");
  if (!validity.trustworthy)
    add(at(place) + " is not to be trusted, whatever its figures say: that comes first (exit code 4).");
}

void AssertionNotes::add(std::string note) {
  if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(std::move(note));
}

}  // namespace infermeter
