#include "run/hand_out.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <string>
#include <vector>

#include "infermeter/report/result_json.hpp"
#include "io/host/client_limit.hpp"

namespace infermeter {
namespace {

/// What could not be done, and what to do about the first of it.
struct Problems {
  std::vector<std::string> texts;
  std::string advice;

  void add(const std::exception& failure) {
    if (const auto* error = dynamic_cast<const Error*>(&failure); error && advice.empty())
      advice = error->advice();
    texts.push_back(failure_words(failure));
  }
};

template <typename Work>
void attempt(Problems& problems, const Work& work) {
  try {
    work();
  } catch (const std::exception& failure) {
    problems.add(failure);
  }
}

}  // namespace

void hand_out(const RunResult& result, const MeasuredRun& run, ResultFolder* folder, const Hooks& hooks,
              bool of_gate) {
  Problems problems;
  if (const std::string lost = run.lost_words(); !lost.empty()) problems.texts.push_back(lost);
  if (folder != nullptr) {
    folder->expect_last_files();
    if (of_gate) attempt(problems, [&] { folder->write_verdict(verdict_to_json(*result.verdict)); });
    attempt(problems, [&] { folder->write_result(result_to_json(result)); });
  }
  if (problems.texts.empty()) return hooks.end(result, run.records());
  attempt(problems, [&] { hooks.end(result, run.records()); });
  throw Error(result.interrupted ? ExitCode::interrupted : ExitCode::environment,
              fmt::format("{}", fmt::join(problems.texts, "; ")), problems.advice);
}

}  // namespace infermeter
