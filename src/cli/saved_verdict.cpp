#include "cli/saved_verdict.hpp"

#include "infermeter/analysis/assertions.hpp"
#include "infermeter/analysis/thresholds.hpp"
#include "run/exit_codes.hpp"

namespace infermeter {
namespace {

Threshold read_saved(const std::string& text) {
  try {
    return parse_assertion("result.json", text);
  } catch (const UsageError& error) {
    throw EnvironmentError(error.what(), error.advice());
  }
}

std::vector<Threshold> own_asserts(const RunResult& run) {
  std::vector<Threshold> out;
  for (const auto& text : run.asserts) out.push_back(read_saved(text));
  return out;
}

}  // namespace

void judge_again(SavedRun& saved, const Asserts& given) {
  const auto asserts = given.thresholds.empty() ? own_asserts(saved.run) : given.thresholds;
  if (asserts.empty()) return;
  const bool by_point = given.by_point || (given.thresholds.empty() && saved.run.assert_point);
  saved.run.verdict = judge_assertions(saved.run, saved.records, asserts, by_point);
}

ExitCode exit_code_of(const RunResult& run, const Asserts& given) {
  if (given.thresholds.empty()) return ExitCode::ok;
  return exit_code_of_saved(run);
}

}  // namespace infermeter
