#include "option_rules.hpp"

#include <fmt/format.h>

#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

struct Conflict {
  std::string_view one, other;
  std::string_view advice;
};
constexpr std::string_view kOwnPrompts = "Your own prompts are sent as they are.";
// clang-format off: a table
constexpr Conflict kConflicts[] = {
    {"rate", "concurrency", "--rate is an open loop; --max-in-flight N caps its requests in flight."},
    {"arrival", "burstiness", "--burstiness K is --arrival gamma:CV with CV = 1/√K."},
    {"prompt", "prompt-file", ""},
    {"prompt", "input-tokens", kOwnPrompts},
    {"prompt", "nonce", kOwnPrompts},
    {"prompt-file", "input-tokens", kOwnPrompts},
    {"prompt-file", "nonce", kOwnPrompts},
    {"api-key-env", "api-key-file", ""},
    {"sim", "url", "--sim measures the built-in simulator, a URL the server there."},
    {"sim", "unix-socket", "--sim measures the built-in simulator."},
    {"quiet", "progress", "-q is --progress none."},
};

struct Need {
  std::string_view option, needed;
};
constexpr Need kNeeds[] = {
    {"arrival", "rate"}, {"burstiness", "rate"}, {"max-in-flight", "rate"}, {"on-cap", "max-in-flight"},
    {"fault", "sim"}, {"truth", "sim"}, {"key", "cert"},
};
// clang-format on

void drop(Values& lower, std::string_view name) {
  lower.erase(name);
  for (const auto& need : kNeeds) {
    if (need.needed == name) drop(lower, need.option);
  }
}

}  // namespace

void refuse_conflicts(const Values& source) {
  for (const auto& [one, other, advice] : kConflicts) {
    if (!source.given(one) || !source.given(other)) continue;
    throw UsageError(fmt::format("{} and {} exclude each other", source.origin(one), source.origin(other)),
                     std::string(advice));
  }
}

void drop_overruled(Values& lower, const Values& higher) {
  for (const auto& [one, other, advice] : kConflicts) {
    if (higher.given(one)) drop(lower, other);
    if (higher.given(other)) drop(lower, one);
  }
}

void refuse_orphans(const Values& values) {
  for (const auto& [option, needed] : kNeeds) {
    if (values.given(option) && !values.given(needed))
      throw UsageError(fmt::format("{} needs --{}", values.origin(option), needed));
  }
}

}  // namespace infermeter
