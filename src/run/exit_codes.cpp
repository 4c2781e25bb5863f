#include "run/exit_codes.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "analysis/checks/health.hpp"
#include "analysis/gate/verdict.hpp"

namespace infermeter {
namespace {

ExitCode code_if(bool holds, ExitCode code) { return holds ? code : ExitCode::ok; }

/// A sweep may overload a server: only its lowest load says that the server does not work.
template <typename Holds>
bool at_lowest_load(const RunResult& run, Holds holds) {
  return std::ranges::any_of(find_health(run.points),
                             [&](const Health& health) { return health.lowest_load && holds(health); });
}

bool nothing_succeeded(const Health& health) {
  return health.state == HealthState::failed && health.failed == health.requests;
}

bool is_trustworthy(const RunResult& run) {
  return std::ranges::all_of(run.points, [](const auto& point) { return point.validity.trustworthy; });
}

ExitCode judged_code(const RunResult& run) {
  return run.verdict ? static_cast<ExitCode>(run.verdict->exit_code) : ExitCode::ok;
}

/// The exit code of the measurement itself, before any verdict.
ExitCode measured_code(const RunResult& run) {
  const bool failed = run.environment_failed || run.lost_records > 0 || run.points.empty() ||
                      at_lowest_load(run, nothing_succeeded);
  return joined({code_if(run.interrupted, ExitCode::interrupted), code_if(failed, ExitCode::environment),
                 code_if(!is_trustworthy(run), ExitCode::untrustworthy)});
}

}  // namespace

ExitCode joined(std::initializer_list<ExitCode> codes) {
  constexpr std::array kFirstToLast{ExitCode::usage,         ExitCode::interrupted, ExitCode::environment,
                                    ExitCode::untrustworthy, ExitCode::gate_failed, ExitCode::inconclusive};
  for (const auto code : kFirstToLast) {
    if (std::ranges::find(codes, code) != codes.end()) return code;
  }
  return ExitCode::ok;
}

ExitCode exit_code_of(const RunResult& run) {
  const ExitCode judged = judged_code(run);
  // A broken assertion says more than that half of the requests failed.
  const bool half_failed = judged != ExitCode::gate_failed && at_lowest_load(run, [](const Health& health) {
                             return health.state == HealthState::failed;
                           });
  return joined({measured_code(run), code_if(half_failed, ExitCode::environment), judged});
}

ExitCode exit_code_of_saved(const RunResult& run) {
  if (!run.verdict) return ExitCode::ok;
  return joined({code_if(!is_trustworthy(run), ExitCode::untrustworthy), judged_code(run)});
}

Verdict joined(Verdict gate, const Verdict& assertions) {
  std::ranges::copy(assertions.judgements, std::back_inserter(gate.judgements));
  std::ranges::stable_sort(gate.judgements, {}, [](const Judgement& j) { return rank(j.decision); });
  if (rank(assertions.decision) < rank(gate.decision)) gate.decision = assertions.decision;
  std::ranges::copy(assertions.notes, std::back_inserter(gate.notes));
  gate.exit_code = static_cast<int>(exit_code_of(gate));
  return gate;
}

ExitCode exit_code_by(OnInconclusive policy, Verdict& verdict) {
  ExitCode code = exit_code_of(verdict);
  if (code == ExitCode::inconclusive && policy != OnInconclusive::exit5) {
    const bool pass = policy == OnInconclusive::pass;
    code = pass ? ExitCode::ok : ExitCode::gate_failed;
    verdict.notes.emplace_back(pass ? "undecided, and passed by --on-inconclusive pass"
                                    : "undecided, and failed by --on-inconclusive fail");
  }
  verdict.exit_code = static_cast<int>(code);
  return code;
}

ExitCode exit_code_of_gate(const RunResult& run, bool comparable, OnInconclusive policy, Verdict& verdict) {
  const ExitCode judged = exit_code_by(policy, verdict);
  const ExitCode measured = measured_code(run);
  const bool cut = measured == ExitCode::interrupted || measured == ExitCode::environment;
  const ExitCode code = cut ? measured : comparable ? judged : ExitCode::environment;
  verdict.exit_code = static_cast<int>(code);
  return code;
}

}  // namespace infermeter
