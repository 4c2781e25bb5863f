#include "cli/gate_end.hpp"

#include <unistd.h>

#include <algorithm>

#include "cli/show.hpp"
#include "cli/terminal.hpp"

namespace infermeter {
namespace {

// Decision's own order is pass, fail, undecided.
int rank(Decision decision) {
  if (decision == Decision::fail) return 0;
  return decision == Decision::undecided ? 1 : 2;
}

ExitCode verdict_code(const Verdict& verdict) {
  if (!verdict.trustworthy) return ExitCode::untrustworthy;
  if (verdict.decision == Decision::fail) return ExitCode::gate_failed;
  return verdict.decision == Decision::undecided ? ExitCode::inconclusive : ExitCode::ok;
}

}  // namespace

Verdict joined(Verdict gate, const Verdict& assertions) {
  std::ranges::copy(assertions.judgements, std::back_inserter(gate.judgements));
  std::ranges::stable_sort(gate.judgements, {}, [](const Judgement& j) { return rank(j.decision); });
  if (rank(assertions.decision) < rank(gate.decision)) gate.decision = assertions.decision;
  std::ranges::copy(assertions.notes, std::back_inserter(gate.notes));
  gate.exit_code = static_cast<int>(verdict_code(gate));
  return gate;
}

ExitCode by_policy(Verdict& verdict, OnInconclusive policy) {
  ExitCode code = verdict_code(verdict);
  if (code == ExitCode::inconclusive && policy != OnInconclusive::exit5) {
    const bool pass = policy == OnInconclusive::pass;
    code = pass ? ExitCode::ok : ExitCode::gate_failed;
    verdict.notes.emplace_back(pass ? "undecided, and passed by --on-inconclusive pass"
                                    : "undecided, and failed by --on-inconclusive fail");
  }
  verdict.exit_code = static_cast<int>(code);
  return code;
}

void print_gate(const Output& output, const Verdict& verdict, const RunResult* run,
                std::span<const RequestRecord> records, const std::string& directory) {
  const TableOptions options = table_options(terminal_of(STDOUT_FILENO), output.wide, directory);
  const bool of_verdict = output.format == Format::table || output.format == Format::json || run == nullptr;
  put_out(of_verdict ? show_verdict(verdict, output.format, options)
                     : show_run(*run, records, output.format, options));
}

}  // namespace infermeter
