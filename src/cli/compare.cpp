#include "cli/compare.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "analysis/compare/bench_intervals.hpp"
#include "cli/show.hpp"
#include "infermeter/analysis/compare.hpp"
#include "infermeter/report/result_json.hpp"
#include "infermeter/run/saved_run.hpp"
#include "io/files/result_folder.hpp"
#include "report/formats/vllm_result.hpp"
#include "report/tables/compare_table.hpp"

namespace infermeter {
namespace {

namespace fs = std::filesystem;

struct LoadedResult {
  std::string source;
  SavedRun saved;
};

/// The folder of a result.json beside its records; empty where it stands alone.
std::string folder_of(const fs::path& file) {
  std::error_code ignored;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const bool whole = file.filename() == "result.json" && fs::exists(folder / "requests.jsonl", ignored);
  return whole ? folder.string() : std::string();
}

SavedRun read_vllm(const std::string& text) {
  BenchRun bench = vllm_result_from_json(text);
  add_intervals(bench);
  return {std::move(bench.run), {}};
}

LoadedResult load_file(const std::string& path) {
  if (const auto folder = folder_of(path); !folder.empty()) return {"", read_saved_run(folder)};
  const std::string text = read_file(path);
  try {
    if (is_vllm_result(text)) return {"vLLM bench", read_vllm(text)};
    return {"", {result_from_json(text), {}}};
  } catch (const EnvironmentError& error) {
    throw EnvironmentError(fmt::format("{}: {}", path, error.what()), error.advice());
  }
}

LoadedResult load(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return {"", read_saved_run(path)};
  return load_file(path);
}

}  // namespace

CompareRequest compare_request(const Invocation& invocation) {
  constexpr std::array<std::string_view, 3> kNames{"table", "json", "markdown"};
  constexpr std::array kFormats{Format::table, Format::json, Format::markdown};
  const Values values = invocation.values();
  CompareRequest request;
  request.paths = values.list("results");
  if (request.paths.size() < 2)
    throw UsageError(request.paths.empty() ? "compare: names no result"
                                           : fmt::format("compare: only one result, {}", request.paths[0]),
                     std::string(invocation.examples));
  request.format = kFormats[values.choice("format", kNames)];
  request.wide = values.flag("wide");
  return request;
}

std::string render_compare(const CompareRequest& request, const Terminal& terminal) {
  std::vector<LoadedResult> loaded;
  for (const auto& path : request.paths) loaded.push_back(load(path));
  std::vector<NamedResult> named;
  for (std::size_t i = 0; i < loaded.size(); ++i)
    named.push_back({request.paths[i], loaded[i].source, &loaded[i].saved.run, loaded[i].saved.records});
  const SideBySide compared = compare_results(named);
  if (request.format == Format::json) return side_by_side_to_json(compared);
  if (request.format == Format::markdown) return side_by_side_to_markdown(compared);
  return render_side_by_side(compared, table_options(terminal, request.wide, ""));
}

ExitCode compare_command(const CompareRequest& request) {
  put_out(render_compare(request, terminal_of(STDOUT_FILENO)));
  return ExitCode::ok;
}

}  // namespace infermeter
