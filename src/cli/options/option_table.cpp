#include "cli/options/option_table.hpp"

#include <algorithm>

#include "cli/options/foreign_names.hpp"

namespace infermeter {
namespace {

using enum Takes;

// clang-format off: one option a line, as in the help that is made of it
constexpr OptionSpec kSimulateOptions[] = {
  {"preset", 0, argument, "PRESET", "h100-8b", "", "Server", "device and model, or fixed:ttft=…,itl=…"},
  {"host", 0, value, "ADDRESS", "127.0.0.1", "", "Server", "address to listen on"},
  {"port", 0, value, "N", "8000", "", "Server", "0 chooses one"},
  {"time-scale", 0, value, "X", "1", "", "Server", "2: twice as slow as the model"},
  {"seed", 0, value, "N", "1", "", "Server", "of jitter, speculation and faults"},
  {"fault", 0, list, "KIND", "", "none", "Server", "KIND[=VALUE][:SHARE], repeatable"},
  {"truth", 0, value, "F", "", "none", "Server", "write every request's own times to F"},
  {"help", 'h', flag, "", "", "", "Server", "this page"},
};

constexpr OptionSpec kReportOptions[] = {
  {"directory", 0, argument, "DIR", "", "required", "Report", "folder that `run` wrote"},
  {"format", 0, value, "F", "table", "", "Report", "one of those above"},
  {"per-request", 0, flag, "", "", "per point", "Report", "--format csv: a line a request"},
  {"out", 'o', value, "FILE", "", "stdout", "Report", "write it to this file"},
  {"plot", 0, flag, "", "", "off", "Report", "distributions and timeline as pictures"},
  {"wide", 0, flag, "", "", "off", "Report", "more columns than fit 80"},
  {"assert", 0, list, "EXPR", "", "the run's", "Report", "demand: 'ttft.p95<500ms', repeatable"},
  {"assert-point", 0, flag, "", "", "intervals", "Report", "values decide, not their intervals"},
  {"help", 'h', flag, "", "", "", "Report", "this page"},
};

constexpr OptionSpec kMergeOptions[] = {
  {"directories", 0, arguments, "DIR", "", "required", "Merge", "folders of a run's shards"},
  {"out", 'o', value, "DIR", "", "required", "Merge", "folder of the whole result"},
  {"allow-missing", 0, flag, "", "", "off", "Merge", "go without some shards: partial"},
  {"format", 0, value, "F", "table", "", "Merge", "as in report"},
  {"wide", 0, flag, "", "", "off", "Merge", "more columns than fit 80"},
  {"help", 'h', flag, "", "", "", "Merge", "this page"},
};

constexpr OptionSpec kScenariosOptions[] = {
  {"name", 0, argument, "NAME", "", "all of them", "Scenarios", "print this one's file"},
  {"help", 'h', flag, "", "", "", "Scenarios", "this page"},
};
// clang-format on

const OptionSpec* find_own(std::span<const OptionSpec> specs, std::string_view name) {
  const auto it = std::ranges::find(specs, name, &OptionSpec::name);
  return it == specs.end() ? nullptr : &*it;
}

std::optional<NamedOption> find_opposite(std::span<const OptionSpec> specs, std::string_view name) {
  constexpr std::string_view kNo = "no-";
  const std::string positive = std::string(kNo) + std::string(name);
  const auto* spec =
      name.starts_with(kNo) ? find_own(specs, name.substr(kNo.size())) : find_own(specs, positive);
  if (spec == nullptr || spec->takes != Takes::flag || spec->name == "help") return std::nullopt;
  return NamedOption{spec, true};
}

}  // namespace

std::span<const OptionSpec> simulate_options() { return kSimulateOptions; }
std::span<const OptionSpec> report_options() { return kReportOptions; }
std::span<const OptionSpec> merge_options() { return kMergeOptions; }
std::span<const OptionSpec> scenarios_options() { return kScenariosOptions; }

std::optional<NamedOption> find_option(std::span<const OptionSpec> specs, std::string_view name) {
  if (const auto* spec = find_own(specs, name)) return NamedOption{spec, false};
  if (const auto* alias = find_alias(name)) {
    if (const auto* spec = find_own(specs, alias->option)) return NamedOption{spec, false};
  }
  return find_opposite(specs, name);
}

}  // namespace infermeter
