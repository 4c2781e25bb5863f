#include "cli/options/length_values.hpp"

#include <fmt/format.h>

#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "io/files/result_folder.hpp"
#include "workload/synthetic/lengths.hpp"

namespace infermeter {
namespace {

constexpr double kMostTokens = 10'000'000;
constexpr double kMaxTurns = 10'000;

ReadText reader(const Values& values, std::string_view option) {
  return [origin = values.origin(option)](const std::string& path) {
    try {
      return read_file(path);
    } catch (const EnvironmentError&) {
      throw UsageError(fmt::format("{}: '{}' cannot be read", origin, path));
    }
  };
}

void refuse_above(const Values& values, std::string_view option, const Lengths& lengths, double most) {
  if (lengths.kind == Lengths::Kind::fixed && (lengths.a < 1 || lengths.a > most))
    values.refuse(option, fmt::format("is not in 1 … {}", format_count(static_cast<std::uint64_t>(most))));
  if (lengths.mean() > most)
    values.refuse(option, fmt::format("is above {}", format_count(static_cast<std::uint64_t>(most))));
}

}  // namespace

Lengths lengths_of(const Values& values, std::string_view option) {
  Lengths lengths = parse_lengths(values.origin(option), values.text(option), reader(values, option));
  refuse_above(values, option, lengths, kMostTokens);
  return lengths;
}

Lengths turns_of(const Values& values) {
  Lengths turns = parse_turns(values.origin("turns"), values.text("turns"), reader(values, "turns"));
  refuse_above(values, "turns", turns, kMaxTurns);
  return turns;
}

}  // namespace infermeter
