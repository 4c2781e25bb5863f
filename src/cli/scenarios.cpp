#include "cli/scenarios.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "cli/embedded_files.hpp"
#include "cli/output.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

constexpr std::string_view kEnding = ".toml";

bool is_path(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(kEnding);
}

const EmbeddedFile& file_of(std::string_view name) {
  const auto files = scenario_files();
  const auto it = std::ranges::find(files, name, &EmbeddedFile::name);
  if (it != files.end()) return *it;
  std::vector<std::string> names;
  for (const auto& file : files) names.emplace_back(file.name);
  const auto nearest = nearest_name(name, names);
  throw UsageError(
      nearest ? fmt::format("--scenario: no scenario is called '{}'; did you mean {}?", name, *nearest)
              : fmt::format("--scenario: no scenario is called '{}'", name),
      nearest ? "" : "infermeter scenarios lists them.");
}

}  // namespace

Source find_scenario(const std::string& name) {
  if (is_path(name)) return read_source(name, "--scenario");
  const EmbeddedFile& file = file_of(name);
  return parse_source(fmt::format("{}{}", file.name, kEnding), file.text);
}

std::string scenario_name(std::string_view name) {
  if (!is_path(name)) return std::string(name);
  name.remove_prefix(name.rfind('/') + 1);
  if (name.ends_with(kEnding)) name.remove_suffix(kEnding.size());
  return std::string(name);
}

std::string scenarios_request(const Invocation& invocation) { return invocation.values().text("name"); }

std::string scenarios_text(const std::string& name) {
  if (!name.empty()) return std::string(file_of(name).text);
  std::string out;
  for (const auto& file : scenario_files())
    out += fmt::format("{:<15} {}\n{:<15} infermeter run URL --scenario {}\n", file.name,
                       find_scenario(std::string(file.name)).description, "", file.name);
  return out +
         "\nWith --sim --quick each runs in under a minute, without a server.\n"
         "infermeter scenarios NAME prints the file; --config takes your own.\n";
}

ExitCode scenarios_command(const std::string& name) {
  put_out(scenarios_text(name));
  return ExitCode::ok;
}

}  // namespace infermeter
