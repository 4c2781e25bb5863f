#include "run/load_result.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "analysis/compare/bench_intervals.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/report/result_json.hpp"
#include "io/files/result_folder.hpp"
#include "report/formats/vllm_result.hpp"

namespace infermeter {
namespace {

namespace fs = std::filesystem;

/// The folder of a result.json with records beside it; empty if there are none.
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

}  // namespace

LoadedResult load_result(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return {"", read_saved_run(path)};
  return load_file(path);
}

}  // namespace infermeter
