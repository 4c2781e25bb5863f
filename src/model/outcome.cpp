#include "infermeter/model/outcome.hpp"

#include <array>
#include <utility>

namespace infermeter {
namespace {

constexpr std::array<std::pair<Flag, std::string_view>, 25> kFlagNames{{
    {Flag::no_done, "no_done"},
    {Flag::no_usage, "no_usage"},
    {Flag::no_finish, "no_finish"},
    {Flag::duplicate_finish, "duplicate_finish"},
    {Flag::data_after_done, "data_after_done"},
    {Flag::packed, "packed"},
    {Flag::late, "late"},
    {Flag::stale_retry, "stale_retry"},
    {Flag::unterminated_tail, "unterminated_tail"},
    {Flag::usage_excludes_reasoning, "usage_excludes_reasoning"},
    {Flag::late_transport_idle, "late_transport_idle"},
    {Flag::compressed, "compressed"},
    {Flag::buffered_stream, "buffered_stream"},
    {Flag::limit_ignored, "limit_ignored"},
    {Flag::end_marker, "end_marker"},
    {Flag::only_reasoning, "only_reasoning"},
    {Flag::reused_connection, "reused_connection"},
    {Flag::zero_usage, "zero_usage"},
    {Flag::unstamped, "unstamped"},
    {Flag::cancel_planned, "cancel_planned"},
    {Flag::odd_event, "odd_event"},
    {Flag::uncarried_tokens, "uncarried_tokens"},
    {Flag::odd_usage, "odd_usage"},
    {Flag::over_limit, "over_limit"},
    {Flag::odd_times, "odd_times"},
}};

}  // namespace

bool is_failure(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
    case Outcome::cancelled:
    case Outcome::dropped:
    case Outcome::client_limit:
    case Outcome::interrupted:
      return false;
    default:
      return true;
  }
}

bool is_error(Outcome outcome, int status) {
  if (outcome == Outcome::not_streamed) return false;
  return is_failure(outcome) && !(outcome == Outcome::http_error && is_rate_limit(status));
}

std::string_view name(Flag wanted) {
  for (const auto& [flag, text] : kFlagNames) {
    if (flag == wanted) return text;
  }
  return {};
}

std::vector<std::string_view> Flags::names() const {
  std::vector<std::string_view> out;
  for (const auto& [flag, text] : kFlagNames) {
    if (has(flag)) out.push_back(text);
  }
  return out;
}

std::optional<Flag> flag_from_name(std::string_view wanted) {
  for (const auto& [flag, text] : kFlagNames) {
    if (text == wanted) return flag;
  }
  return std::nullopt;
}

}  // namespace infermeter
