#include "infermeter/run/measure.hpp"

#include <optional>

#include "io/files/result_folder.hpp"
#include "run/hand_out.hpp"
#include "run/measured_run.hpp"
#include "run/setup.hpp"

namespace infermeter {
namespace {

// A folder named by the user is taken before anything is sent; the default folder's name needs the model
// first.
std::optional<ResultFolder> named_folder(const Plan& plan) {
  if (!plan.sweep.resume.empty()) return std::optional<ResultFolder>(std::in_place, plan.sweep.resume, true);
  if (!plan.output.save || plan.output.directory.empty()) return std::nullopt;
  return std::optional<ResultFolder>(std::in_place, plan.output.directory);
}

RunResult measured(const Plan& given, const Hooks& given_hooks) {
  Plan plan = completed(given);
  const Hooks hooks = completed(given_hooks);
  const TimeLimit limit = limit_of(plan, *hooks.stop);
  MeasuredSimulator simulator(plan);
  std::optional<ResultFolder> folder = named_folder(plan);
  MeasuredRun run(plan, open_all_data(plan, hooks.warn), hooks, limit);
  if (!folder && plan.output.save) folder.emplace(new_folder(run.prepared().front().facts.model, plan.shard));
  ResultFolder* saved = folder ? &*folder : nullptr;
  hooks.begin(run.result(), saved != nullptr ? saved->path() : std::string());
  run.measure(saved);
  simulator.tell(hooks.warn);
  hand_out(run.result(), run, saved, hooks);
  return run.result();
}

}  // namespace

RunResult measure(const Plan& plan, const Hooks& hooks) {
  const BlockedSignals blocked;
  return throwing_errors_only([&] { return measured(plan, hooks); });
}

}  // namespace infermeter
