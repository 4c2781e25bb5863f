#include "cli/options/block_keys.hpp"

#include <algorithm>
#include <array>

namespace infermeter {
namespace {

using enum Takes;

// clang-format off: a table
constexpr OptionSpec kTargetKeys[] = {
  {"name", 0, value, "NAME", "", "the host", "[[target]]", "in tables and files"},
  {"extra-body", 0, json, "JSON", "", "none", "[[target]]", "merged into each body of this target"},
};

constexpr OptionSpec kClassKeys[] = {
  {"name", 0, value, "NAME", "", "required", "[[class]]", "in tables and files"},
  {"share", 0, value, "X", "1", "", "[[class]]", "of the requests of the common load"},
  {"rate", 0, value, "R", "", "common load", "[[class]]", "an open loop of its own"},
  {"concurrency", 0, value, "N", "", "common load", "[[class]]", "a closed loop of its own"},
  {"probe", 0, flag, "", "", "off", "[[class]]", "light load beside the heavy one"},
  {"model", 0, value, "NAME", "", "the target's", "[[class]]", "another model, or a LoRA name"},
  {"header", 0, list, "'K: V'", "", "none", "[[class]]", "beside those of the target"},
};
// clang-format on

constexpr std::array<std::string_view, 3> kTargetGroups{"Target", "Targets", "Transport"};
constexpr std::array<std::string_view, 2> kTargetLimits{"max-cost", "max-tokens-total"};
constexpr std::array<std::string_view, 6> kOfTheRun{"sim",        "fault",     "truth",
                                                    "wait-ready", "alternate", "sequential"};
constexpr std::array<std::string_view, 2> kClassGroups{"Workload", "Answers"};

bool among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::string_view name(BlockKind kind) { return kind == BlockKind::target ? "target" : "class"; }

std::span<const OptionSpec> own_keys(BlockKind kind) {
  if (kind == BlockKind::target) return kTargetKeys;
  return kClassKeys;
}

bool stands_in(BlockKind kind, const OptionSpec& option) {
  if (kind == BlockKind::traffic) return among(kClassGroups, option.group);
  return among(kTargetLimits, option.name) ||
         (among(kTargetGroups, option.group) && !among(kOfTheRun, option.name));
}

}  // namespace infermeter
