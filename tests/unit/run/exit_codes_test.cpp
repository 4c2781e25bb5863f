#include "run/exit_codes.hpp"

#include "catch.hpp"

using namespace infermeter;

namespace {

PointResult point_with(std::uint64_t ok, std::uint64_t failed, std::uint32_t concurrency = 1) {
  PointResult point;
  point.load.concurrency = concurrency;
  point.requests = ok + failed;
  point.ok = ok;
  if (ok > 0) point.outcomes.push_back({.outcome = Outcome::ok, .count = ok, .example = {}});
  if (failed > 0) point.outcomes.push_back({.outcome = Outcome::connect, .count = failed, .example = {}});
  return point;
}

/// 10 requests, of which so many succeeded.
RunResult run_with(std::uint64_t ok, bool trustworthy = true) {
  RunResult run;
  run.points.push_back(point_with(ok, 10 - ok));
  run.points.front().validity.trustworthy = trustworthy;
  return run;
}

RunResult judged_with(std::uint64_t ok, ExitCode judged) {
  RunResult run = run_with(ok);
  run.verdict = Verdict{.exit_code = static_cast<int>(judged)};
  return run;
}

Verdict decided(Decision decision) { return {.decision = decision}; }

}  // namespace

TEST_CASE("exit codes: when several hold, the first of 2, 130, 3, 4, 1, 5, 0 is the one") {
  using enum ExitCode;
  CHECK(joined({}) == ok);
  CHECK(joined({ok, inconclusive}) == inconclusive);
  CHECK(joined({inconclusive, gate_failed, ok}) == gate_failed);
  CHECK(joined({gate_failed, untrustworthy}) == untrustworthy);
  CHECK(joined({untrustworthy, environment}) == environment);
  CHECK(joined({environment, interrupted}) == interrupted);
  CHECK(joined({interrupted, usage}) == usage);
}

TEST_CASE("exit codes: a run without one good answer, or without a point, is 3") {
  CHECK(exit_code_of(run_with(10)) == ExitCode::ok);
  CHECK(exit_code_of(run_with(0)) == ExitCode::environment);
  CHECK(exit_code_of(RunResult{}) == ExitCode::environment);
}

TEST_CASE("exit codes: a run that this machine kept from asking the server is untrustworthy") {
  RunResult run = run_with(0, false);
  run.points.front().outcomes = {{.outcome = Outcome::client_limit, .count = 10, .example = {}}};
  CHECK(exit_code_of(run) == ExitCode::untrustworthy);
}

TEST_CASE("exit codes: a run whose records could not all be written is 3") {
  RunResult run = run_with(10);
  run.lost_records = 1;
  CHECK(exit_code_of(run) == ExitCode::environment);
}

TEST_CASE("exit codes: a run whose streams we closed ourselves has not failed") {
  RunResult run = run_with(0);
  run.points.front().outcomes = {{.outcome = Outcome::cancelled, .count = 10, .example = {}}};
  CHECK(exit_code_of(run) == ExitCode::ok);
}

TEST_CASE("exit codes: interrupted comes before failed, failed before untrustworthy, that before a verdict") {
  RunResult run = run_with(9, false);
  run.verdict = Verdict{.exit_code = static_cast<int>(ExitCode::gate_failed)};
  CHECK(exit_code_of(run) == ExitCode::untrustworthy);
  run.environment_failed = true;
  CHECK(exit_code_of(run) == ExitCode::environment);
  run.interrupted = true;
  CHECK(exit_code_of(run) == ExitCode::interrupted);
}

TEST_CASE("exit codes: a server that dies half way is 3, not green") {
  RunResult run;
  run.points.push_back(point_with(8, 33));
  CHECK(exit_code_of(run) == ExitCode::environment);
  CHECK(exit_code_of(run_with(5)) == ExitCode::environment);
  CHECK(exit_code_of(run_with(6)) == ExitCode::ok);
}

TEST_CASE("exit codes: where half of the requests failed, a broken assertion stays 1, one that holds is 3") {
  CHECK(exit_code_of(judged_with(4, ExitCode::gate_failed)) == ExitCode::gate_failed);
  CHECK(exit_code_of(judged_with(4, ExitCode::ok)) == ExitCode::environment);
  CHECK(exit_code_of(judged_with(4, ExitCode::inconclusive)) == ExitCode::environment);
  CHECK(exit_code_of(judged_with(0, ExitCode::gate_failed)) == ExitCode::environment);
}

TEST_CASE("exit codes: a sweep is 3 only if its lowest load failed") {
  RunResult run;
  run.points = {point_with(10, 0, 1), point_with(2, 8, 64), point_with(0, 10, 128)};
  CHECK(exit_code_of(run) == ExitCode::ok);
  run.points.front() = point_with(5, 5, 1);
  CHECK(exit_code_of(run) == ExitCode::environment);
}

TEST_CASE("exit codes: one dead target of two is 3") {
  RunResult run = run_with(10);
  run.points.push_back(point_with(4, 6));
  run.points.back().target = 1;
  CHECK(exit_code_of(run) == ExitCode::environment);
}

TEST_CASE("exit codes: a saved run that failed was shown, and only its verdict counts") {
  RunResult run = run_with(0);
  CHECK(exit_code_of_saved(run) == ExitCode::ok);
  run.verdict = Verdict{.exit_code = static_cast<int>(ExitCode::inconclusive)};
  CHECK(exit_code_of_saved(run) == ExitCode::inconclusive);
}

TEST_CASE("exit codes: an undecided gate is 5, or what the policy makes of it, which it notes") {
  Verdict verdict = decided(Decision::undecided);
  CHECK(exit_code_by(OnInconclusive::exit5, verdict) == ExitCode::inconclusive);
  CHECK(verdict.notes.empty());
  CHECK(exit_code_by(OnInconclusive::pass, verdict) == ExitCode::ok);
  CHECK(verdict.notes.size() == 1);
  CHECK(exit_code_by(OnInconclusive::fail, verdict) == ExitCode::gate_failed);
  CHECK(verdict.exit_code == 1);
}

TEST_CASE("exit codes: a gate that was cut short is 130 or 3, whatever was decided") {
  Verdict verdict = decided(Decision::pass);
  RunResult cut = run_with(10);
  CHECK(exit_code_of_gate(cut, true, OnInconclusive::exit5, verdict) == ExitCode::ok);
  CHECK(exit_code_of_gate(cut, false, OnInconclusive::exit5, verdict) == ExitCode::environment);
  cut.interrupted = true;
  CHECK(exit_code_of_gate(cut, true, OnInconclusive::exit5, verdict) == ExitCode::interrupted);
  CHECK(verdict.exit_code == 130);
}

TEST_CASE("exit codes: half failed requests leave a gate its own code") {
  RunResult run = run_with(4);
  Verdict undecided = decided(Decision::undecided);
  CHECK(exit_code_of_gate(run, true, OnInconclusive::exit5, undecided) == ExitCode::inconclusive);
  Verdict failed = decided(Decision::fail);
  CHECK(exit_code_of_gate(run, true, OnInconclusive::exit5, failed) == ExitCode::gate_failed);
}
