#include "cli/saved.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "cli/options/plan_values.hpp"
#include "cli/output.hpp"
#include "infermeter/analysis/compare.hpp"
#include "infermeter/report/formats.hpp"
#include "run/saved_results.hpp"

namespace infermeter {
namespace {

/// As it was given, or by the last part of its path.
bool is_called(const std::string& path, std::string_view name) {
  const auto last = std::filesystem::path(path + "/").parent_path().filename();
  return path == name || last == name;
}

void put_reference_first(const Values& values, std::vector<std::string>& paths) {
  if (!values.given("against")) return;
  const std::string name = values.text("against");
  const auto it = std::ranges::find_if(paths, [&](const auto& path) { return is_called(path, name); });
  if (it == paths.end())
    throw UsageError(fmt::format("{}: '{}' is none of the results", values.origin("against"), name),
                     fmt::format("They are:\n{}", fmt::join(paths, "\n")));
  std::rotate(paths.begin(), it, it + 1);
}

}  // namespace

CompareRequest compare_request(const Invocation& invocation) {
  const Values values = invocation.values();
  CompareRequest request;
  request.paths = values.list("results");
  if (request.paths.size() < 2)
    throw UsageError(request.paths.empty() ? "compare: no results given"
                                           : fmt::format("compare: only one result, {}", request.paths[0]),
                     std::string(invocation.examples));
  put_reference_first(values, request.paths);
  request.format = format_choice(values, can_compare);
  request.wide = values.flag("wide");
  return request;
}

std::string render_compare(const CompareRequest& request, const Terminal& terminal) {
  std::vector<LoadedResult> loaded;
  for (const auto& path : request.paths) loaded.push_back(load_result(path));
  std::vector<NamedResult> named;
  for (std::size_t i = 0; i < loaded.size(); ++i)
    named.push_back({request.paths[i], loaded[i].source, &loaded[i].saved.run, loaded[i].saved.records});
  const SideBySide compared = compare_results(named);
  return format_named(request.format).comparison(compared, table_options(terminal, request.wide, ""));
}

ExitCode compare_command(const CompareRequest& request) {
  for (const auto& path : request.paths) warn_of_unfinished(path);
  put_out(render_compare(request, terminal_of(STDOUT_FILENO)));
  return ExitCode::ok;
}

}  // namespace infermeter
