#include "infermeter/run/measure.hpp"

#include <exception>
#include <optional>

#include "infermeter/report/result_json.hpp"
#include "io/files/result_folder.hpp"
#include "run/measured_run.hpp"
#include "run/setup.hpp"

namespace infermeter {
namespace {

// A folder named by the user is checked before anything is sent; the default folder's name needs the model
// first.
std::optional<ResultFolder> named_folder(const Plan& plan) {
  if (!plan.sweep.resume.empty()) return std::optional<ResultFolder>(std::in_place, plan.sweep.resume, true);
  if (!plan.output.save || plan.output.directory.empty()) return std::nullopt;
  return std::optional<ResultFolder>(std::in_place, plan.output.directory);
}

// Returned to the caller whether or not it can be saved.
void save_and_hand_out(const MeasuredRun& run, const ResultFolder* folder, const Hooks& hooks) {
  std::exception_ptr not_saved;
  try {
    if (folder != nullptr) folder->write_result(result_to_json(run.result()));
  } catch (const Error&) {
    not_saved = std::current_exception();
  }
  hooks.end(run.result(), run.records());
  if (not_saved) std::rethrow_exception(not_saved);
}

RunResult measured(const Plan& given, const Hooks& given_hooks) {
  Plan plan = completed(given);
  const Hooks hooks = completed(given_hooks);
  MeasuredSimulator simulator(plan);
  std::optional<ResultFolder> folder = named_folder(plan);
  MeasuredRun run(plan, open_all_data(plan, hooks.say), hooks);
  if (!folder && plan.output.save)
    folder.emplace(free_directory(run.prepared().front().target.model, plan.shard));
  const ResultFolder* saved = folder ? &*folder : nullptr;
  hooks.begin(run.result(), saved != nullptr ? saved->path() : std::string());
  run.measure(saved);
  simulator.tell(hooks.say);
  save_and_hand_out(run, saved, hooks);
  return run.result();
}

}  // namespace

RunResult measure(const Plan& plan, const Hooks& hooks) {
  const BlockedSigpipe blocked;
  return throwing_errors_only([&] { return measured(plan, hooks); });
}

}  // namespace infermeter
