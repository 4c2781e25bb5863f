#include "run/measured_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <numeric>
#include <set>
#include <thread>

#include "analysis/checks/health.hpp"
#include "analysis/conclude.hpp"
#include "base/entropy.hpp"
#include "base/log/log.hpp"
#include "base/random.hpp"
#include "engine/prepare/foresee.hpp"
#include "engine/prepare/prime.hpp"
#include "infermeter/analysis/assertions.hpp"
#include "infermeter/analysis/summarize.hpp"
#include "infermeter/analysis/thresholds.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "infermeter/report/result_json.hpp"
#include "io/host/client_limit.hpp"
#include "io/host/memory.hpp"
#include "io/process/child_process.hpp"
#include "model/load.hpp"
#include "model/secrets/secret_values.hpp"
#include "run/plan_hash.hpp"
#include "run/run_description.hpp"
#include "run/saved_results.hpp"
#include "workload/synthetic/text.hpp"

namespace infermeter {
namespace {

bool is_measured(const PointResult& point) { return point.requests + point.warmup_requests > 0; }

std::string load_text(const Load& load) { return short_name(load_id(load)); }

}  // namespace

MeasuredRun::MeasuredRun(const Plan& plan, std::vector<ClassData> data, const Hooks& hooks,
                         const TimeLimit& limit, TargetServers* servers)
    : plan_(plan),
      secrets_(secrets_of(plan)),
      hooks_(hooks),
      limit_(limit),
      servers_(servers),
      targets_(plan, std::move(data), limit_, hooks.say, hooks.log),
      used_(plan.targets.size()),
      run_id_(new_run_id()),
      entropy_(common_entropy(plan).value_or(system_entropy())),
      metrics_(plan.targets.size()),
      done_(plan.sweep.points.size(), false) {
  refuse_beyond_limits(plan_, targets_.workers(), read_host_limits());
  for (std::uint32_t t = 0; t < plan.targets.size(); ++t) {
    if (!servers_) targets_.prepare(t);
  }
  if (!servers_) describe();
  if (!plan.sweep.resume.empty()) resume(plan.sweep.resume);
}

// Describes the run, once its first target is known.
void MeasuredRun::describe() {
  const auto prepared = targets_.prepared();
  result_ = describe_run(plan_, prepared, run_id_);
  const auto data = targets_.data();
  for (std::size_t c = 0; c < data.size(); ++c) {
    result_.classes[c].calibration = targets_.calibration_report(0, c);
    if (!data[c].items) continue;
    result_.classes[c].items = data[c].items->size();
    result_.classes[c].bad_lines = data[c].bad_lines;
  }
  result_.workload = result_.classes.front();
  for (std::uint32_t t = 0; t < prepared.size(); ++t) describe_target(t);
  for (std::uint32_t p = 0; p < plan_.sweep.points.size(); ++p) {
    for (std::uint32_t t = 0; t < prepared.size(); ++t)
      result_.points.push_back(
          describe_point(plan_, p, t, prepared[t], {}, nonce_of(p, t), targets_.workers()[t]));
  }
}

void MeasuredRun::describe_target(std::uint32_t target) {
  TargetFacts& facts = result_.targets[target];
  const auto timestamp_source = facts.timestamp_source;
  facts = targets_.prepared()[target].facts;
  facts.timestamp_source = timestamp_source;
  if (target == 0)
    std::ranges::move(foreseen_limits(plan_, prepared(), targets_.workers(), read_host_limits()),
                      std::back_inserter(facts.notes));
  for (std::size_t c = 0; c < result_.classes.size(); ++c) {
    const std::string& learnt = targets_.calibration_report(target, c);
    if (!learnt.empty() && learnt != result_.classes[c].calibration) facts.notes.push_back(learnt);
  }
}

PointResult& MeasuredRun::point_at(std::uint32_t point, std::uint32_t target) {
  return result_.points[point * prepared().size() + target];
}

// A new nonce for each point and target, so that no server's cache holds another one's prompts.
std::string MeasuredRun::nonce_of(std::uint32_t point, std::uint32_t target) const {
  const Prompts& prompts = plan_.classes.front().prompts;
  if (prompts.nonce_given || point + target == 0) return prompts.nonce;
  return make_nonce(mix64(entropy_ + point * prepared().size() + target));
}

void MeasuredRun::resume(const std::string& directory) {
  ResumedRun before = read_resumed_run(directory, result_, plan_.simulator.has_value());
  for (std::uint32_t p = 0; p < done_.size(); ++p) {
    done_[p] = before.done[p];
    for (std::uint32_t t = 0; done_[p] && t < prepared().size(); ++t)
      point_at(p, t) = before.run.points[p * prepared().size() + t];
  }
  records_ = std::move(before.records);
  origin_ = before.origin;
  run_id_ = result_.run_id = before.run.run_id;
  result_.start_utc = before.run.start_utc;
  result_.start_monotonic_ns = static_cast<std::uint64_t>(before.origin.time_since_epoch().count());
  result_.start_unix_ns = before.run.start_unix_ns;
}

void MeasuredRun::save() {
  if (folder_ != nullptr) folder_->write_result(result_to_json(result_));
}

void MeasuredRun::save_if_possible() {
  try {
    save();
  } catch (const EnvironmentError&) {
    return;  // the run goes on: the last write reports the error
  }
}

void MeasuredRun::measure(ResultFolder* folder) {
  folder_ = folder;
  if (folder != nullptr) folder->keep_out(secrets_);
  // The records first: killed before there is a result.json, a run leaves an empty file and its folder free.
  if (folder != nullptr) file_.emplace(folder->records_path(), records_, secrets_);
  if (folder != nullptr) scrapes_.keep_in(folder->path(), !plan_.sweep.resume.empty());
  if (!servers_) save();  // so that a killed run can still be reported
  try {
    measure_points();
    note_limit_of_command();
    conclude_points();
  } catch (const std::bad_alloc&) {
    note_exhaustion();
  }
  result_.interrupted = cut_ || limit_.stopped();
  result_.lost_records = file_ ? file_->failed_writes() : 0;
  if (const int error = scrapes_.first_error(); error != 0)
    result_.targets.front().notes.push_back("metrics.jsonl is not whole: " + error_words(error));
  result_.complete = !broken_ && result_.lost_records == 0;
  if (result_.verdict) result_.verdict->exit_code = static_cast<int>(exit_code_of(result_));
}

void MeasuredRun::conclude_points() {
  std::erase_if(result_.points, [](const auto& point) { return !is_measured(point); });
  conclude(result_, records_);
  if (!plan_.asserts.empty())
    result_.verdict = judge_assertions(result_, records_, plan_.asserts, plan_.assert_point);
}

// The records are in their file, and a report elsewhere can read them: freed, they leave room for the end.
// The point in progress stays in the result, so that the report finds it.
void MeasuredRun::note_exhaustion() {
  records_ = {};
  broken_ = result_.environment_failed = true;
  result_.ended_early = limit_words(ClientLimit::memory);
}

std::string MeasuredRun::lost_words() const {
  if (result_.lost_records == 0) return {};
  return fmt::format("cannot write {}: {}: {} of {} records are lost", folder_->records_path(),
                     error_words(file_->first_error()), result_.lost_records,
                     std::max<std::uint64_t>(records_.size(), result_.lost_records));
}

// Asked only where something is still to be done: a run that ends just in time is whole.
bool MeasuredRun::over() {
  cut_ = cut_ || limit_.over(now());
  return cut_;
}

void MeasuredRun::note_limit_of_command() {
  if (!cut_ || limit_.stopped() || !result_.ended_early.empty()) return;
  const std::string where =
      done_.size() > 1 ? fmt::format(" at {}", load_text(plan_.sweep.points[at_])) : std::string();
  result_.ended_early = fmt::format("not done within {}{}", limit_.text(), where);
}

void MeasuredRun::measure_points() {
  for (std::uint32_t p = 0; p < done_.size() && !over(); ++p) {
    at_ = p;
    if (done_[p]) {
      hooks_.say(fmt::format("{}: measured before, not again", load_text(plan_.sweep.points[p])));
      if (stops_here(p)) break;
      continue;
    }
    if (!before(p)) break;
    if (!measured_at(p)) break;
    if (!cut_) after(p);
    if (result_.environment_failed || cut_ || used_up_ || stops_here(p)) break;
    if (hooks_.point_end(result_)) break;
  }
}

// The cooldown and the user's own command; false: the sweep ends here.
bool MeasuredRun::before(std::uint32_t point) {
  const bool first = std::ranges::none_of(result_.points, is_measured);
  if (!first && plan_.sweep.cooldown > 0ns) {
    const Instant until = now() + plan_.sweep.cooldown;
    while (now() < until && !over()) std::this_thread::sleep_for(std::min(until - now(), nanoseconds(50ms)));
  }
  if (over()) return false;
  return run_point_command("--before-point", plan_.sweep.before_point, point);
}

bool MeasuredRun::run_point_command(std::string_view option, const std::string& command,
                                    std::uint32_t point) {
  if (command.empty()) return true;
  const Load& load = plan_.sweep.points[point];
  const Timeouts& timeouts = plan_.timeouts;
  const TimeLimit limit =
      limit_.within(now(), timeouts.of_command(), timeouts.command ? "--timeout-command" : "--timeout");
  if (!command_output_ && !secrets_.empty()) command_output_.emplace(STDERR_FILENO, secrets_);
  const auto status = run_shell_command(command,
                                        {{"INFERMETER_POINT_NUMBER", fmt::format("{}", point + 1)},
                                         {"INFERMETER_POINT_LOAD", load_text(load)},
                                         {"INFERMETER_POINT_URL", prepared().front().facts.url}},
                                        limit, command_output_ ? command_output_->fd() : -1);
  if (command_output_) command_output_->settle();
  if (status == 0) return true;
  if (!status && over()) return false;
  result_.sweep_ended =
      status ? fmt::format("{} ended with status {} at {}", option, *status, load_text(load))
             : fmt::format("{} did not end within {} at {}", option, limit.text(), load_text(load));
  result_.environment_failed = true;
  return false;
}

// What was measured before is kept and shown.
bool MeasuredRun::measured_at(std::uint32_t point) {
  try {
    measure_point_at(point);
    return true;
  } catch (const EnvironmentError& error) {
    if (servers_ || std::ranges::none_of(result_.points, is_measured)) throw;
    result_.sweep_ended = fmt::format("{} at {}", error.what(), load_text(plan_.sweep.points[point]));
    result_.environment_failed = true;
    return false;
  }
}

void MeasuredRun::measure_point_at(std::uint32_t point) {
  std::vector<std::uint32_t> all(plan_.targets.size());
  std::iota(all.begin(), all.end(), 0u);
  if (plan_.target_order != TargetOrder::pairs) return measure_block(point, all);
  // AB, BA, AB …: a drift of the machine affects both targets alike.
  if (plan_.sweep.points[point].run % 2 == 0) std::ranges::reverse(all);
  for (const std::uint32_t target : all) {
    if (over() || result_.environment_failed) return;
    measure_block(point, {target});
  }
}

// Targets that are measured together, from the start of their servers (if we start them) to the end.
void MeasuredRun::measure_block(std::uint32_t point, std::vector<std::uint32_t> targets) {
  if (servers_ && !start_server(targets.front())) return;
  std::vector<std::vector<Lane>> lanes(prepared().size());
  for (const std::uint32_t t : targets) {
    lanes[t] = targets_.lanes(plan_.sweep.points[point], t, nonce_of(point, t), sent_before(point, t));
    point_at(point, t) =
        describe_point(plan_, point, t, prepared()[t], lanes[t], nonce_of(point, t), targets_.workers()[t]);
    if (!primed(t, lanes[t])) return;
  }
  if (over()) return;
  for (const std::uint32_t t : targets) {
    if (metrics_[t].empty()) metrics_[t] = metrics_pages(plan_, prepared()[t]);
  }
  save_if_possible();
  const PointSetup setup{.plan = plan_,
                         .point = point,
                         .targets = targets,
                         .blocks = plan_.sweep.blocks,
                         .prepared = prepared(),
                         .lanes = lanes,
                         .workers = targets_.workers(),
                         .used = used_,
                         .run_id = run_id_,
                         .origin = origin_,
                         .not_before = start_instant(),
                         .file = file_ ? &*file_ : nullptr,
                         .label = turn_label(point, targets),
                         .progress = hooks_.progress,
                         .begun = [&](Instant origin) { note_start(origin); },
                         .metrics = metrics_,
                         .scraped = [&](Scrape&& scrape) { scrapes_.take(std::move(scrape)); }};
  take(point, targets, measure_point(setup, limit_));
  save_if_possible();
  if (servers_) servers_->down(targets.front());
}

// A server that fails after the first point ends the run as if it had failed in its measurement.
bool MeasuredRun::primed(std::uint32_t target, const std::vector<Lane>& lanes) {
  try {
    prime(plan_, prepared()[target], lanes, limit_);
    return true;
  } catch (const EnvironmentError& error) {
    if (servers_ || std::ranges::none_of(result_.points, is_measured)) throw;
    result_.sweep_ended = error.what();
    result_.environment_failed = true;
    return false;
  }
}

// By class: how many prompts earlier points sent to this target for the first time. Every point begins with
// the first prompt; synthetic ones are the same only with the same seed.
std::vector<std::uint64_t> MeasuredRun::sent_before(std::uint32_t point, std::uint32_t target) const {
  std::vector<std::uint64_t> begun(plan_.classes.size());
  for (const auto& record : records_) {
    const bool earlier = record.target == target && record.point < point;
    if (!earlier || record.turn > 0 || record.repeat > 0 || is_unsent(record.outcome)) continue;
    const Prompts& prompts = plan_.classes.at(record.traffic_class).prompts;
    const bool own_text = !prompts.prompts.empty() || !prompts.file.empty();
    if (own_text || plan_.sweep.points[record.point].seed == plan_.sweep.points[point].seed)
      ++begun[record.traffic_class];
  }
  return begun;
}

std::string MeasuredRun::turn_label(std::uint32_t point, const std::vector<std::uint32_t>& targets) const {
  if (plan_.target_order == TargetOrder::pairs)
    return fmt::format("pair {}  {}  ", point + 1, plan_.targets[targets.front()].name);
  return done_.size() > 1 ? fmt::format("{}/{}  ", point + 1, done_.size()) : std::string();
}

// Returns false if it was interrupted.
bool MeasuredRun::start_server(std::uint32_t target) {
  try {
    servers_->up(target, [&] { targets_.prepare(target); });
  } catch (const Error& error) {
    if (error.code() == ExitCode::interrupted) return false;
    throw;
  }
  if (!result_.points.empty()) {
    describe_target(target);
    return true;
  }
  for (std::uint32_t t = 0; t < plan_.targets.size(); ++t) {
    if (t != target) targets_.expect_like(t, target);
  }
  describe();
  return true;
}

// --start-at on the clock of the schedule; applies to the first point only.
Instant MeasuredRun::start_instant() const {
  if (!plan_.start_at_unix_ms || origin_) return {};
  return Instant(std::chrono::milliseconds(*plan_.start_at_unix_ms) - realtime_minus_monotonic());
}

// Called while the first requests are being sent: the start time places a killed run, or shards that are
// merged.
void MeasuredRun::note_start(Instant origin) {
  if (origin_) return;
  const Instant wanted = start_instant();
  origin_ = origin;
  const auto since_boot = origin.time_since_epoch();
  result_.start_utc = utc_iso8601(origin);
  result_.start_monotonic_ns = static_cast<std::uint64_t>(since_boot.count());
  result_.start_unix_ns = static_cast<std::uint64_t>((since_boot + realtime_minus_monotonic()).count());
  constexpr nanoseconds kLate = 10ms;
  if (plan_.start_at_unix_ms && origin - wanted > kLate)
    result_.targets.front().notes.push_back(
        fmt::format("began {} after --start-at: the setup before the first request took longer",
                    format_duration(std::chrono::round<std::chrono::milliseconds>(origin - wanted))));
  save_if_possible();
}

void MeasuredRun::take(std::uint32_t point, const std::vector<std::uint32_t>& targets,
                       SessionRecords&& session) {
  cut_ = cut_ || session.interrupted;
  for (std::size_t i = 0; i < targets.size(); ++i)
    summarize_point(point, targets[i], std::move(session.targets[i]));
  if (wall_.count() > 0)
    result_.environment.client_cpu_share =
        static_cast<double>(cpu_.count()) / static_cast<double>(wall_.count());
}

void MeasuredRun::summarize_point(std::uint32_t point, std::uint32_t target, TargetRecords&& came) {
  PointResult& made = point_at(point, target);
  TargetFacts& facts = result_.targets[target];
  facts.timestamp_source = came.timestamp_source();
  if (target == 0) result_.environment.timestamp_source = facts.timestamp_source;
  if (!came.ended_early.empty()) facts.ended_early = came.ended_early;
  used_[target] = came.used;
  if (!came.ended_early.empty() && logs(hooks_.log))
    hooks_.log->put({.text = fmt::format("{}: {}", target_name(facts), came.ended_early)});
  note_limit(point, target, came);
  if (result_.ended_early.empty() && came.cut) result_.ended_early = came.ended_early;
  result_.connect_backoffs += came.backoffs;
  note_fingerprints(target, came.records);
  cpu_ += came.cpu_time;
  wall_ += came.wall_time;
  LoadPoint load = made.load;
  if (load.in_blocks) load.blocks = came.blocks;
  const std::vector<Scrape> scrapes = scrapes_.of(target);
  made = summarize(load, came.records,
                   {.partial = cut_ || came.cut,
                    .timestamp_source = came.timestamp_source(),
                    .client_cpu_share = came.cpu_share(),
                    .prices = plan_.targets[target].prices,
                    .gpus = plan_.targets[target].gpus,
                    .waited_s = std::chrono::duration<double>(came.waited).count(),
                    .scrapes = scrapes});
  made.point = point;
  made.target = target;
  note_unwatched_cost(target, came.records);
  // Where nothing succeeds under a higher load of a sweep, that is a result: the lower loads were served.
  const auto answered = [](const OutcomeCount& count) {
    return count.outcome == Outcome::ok || count.outcome == Outcome::cancelled;
  };
  if (came.broken) broken_ = result_.environment_failed = true;
  if (came.environment_failed &&
      (std::ranges::any_of(made.outcomes, answered) || has_lowest_load(result_.points, made)))
    result_.environment_failed = true;
  std::ranges::move(came.records, std::back_inserter(records_));
}

// Without prices and without the server's cost it is unknown when --max-cost is reached.
void MeasuredRun::note_unwatched_cost(std::uint32_t target, const std::vector<RequestRecord>& records) {
  const Target& asked = plan_.targets[target];
  const auto told = [](const RequestRecord& record) { return record.cost.has_value(); };
  if (!asked.max_cost || asked.prices.any() || std::ranges::any_of(records, told)) return;
  const std::string note = "--max-cost was not watched: there are no prices, and the server reports no cost";
  auto& notes = result_.targets[target].notes;
  if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
}

// A target's limit holds for all points: later points could not be complete.
void MeasuredRun::note_limit(std::uint32_t point, std::uint32_t target, const TargetRecords& came) {
  if (came.ended_early.empty() || point + 1 == done_.size()) return;
  used_up_ = true;
  const std::string whose = prepared().size() > 1 ? result_.targets[target].name + ": " : std::string();
  result_.sweep_ended =
      fmt::format("{}{} at {}", whose, came.ended_early, load_text(plan_.sweep.points[point]));
}

void MeasuredRun::note_fingerprints(std::uint32_t target, const std::vector<RequestRecord>& records) {
  auto& known = result_.targets[target].system_fingerprints;
  std::set<std::string> all(known.begin(), known.end());
  for (const auto& record : records) {
    if (!record.system_fingerprint.empty()) all.insert(record.system_fingerprint);
  }
  known.assign(all.begin(), all.end());
}

bool MeasuredRun::stops_here(std::uint32_t point) {
  if (point + 1 == done_.size()) return false;
  for (const auto& threshold : plan_.sweep.stop_when) {
    for (std::uint32_t t = 0; t < prepared().size(); ++t) {
      if (!holds(threshold, point_at(point, t)).value_or(false)) continue;
      result_.sweep_ended =
          fmt::format("--stop-when '{}' held at {}: {} of {} points were measured", threshold.text,
                      load_text(plan_.sweep.points[point]), point + 1, done_.size());
      return true;
    }
  }
  return false;
}

void MeasuredRun::after(std::uint32_t point) {
  run_point_command("--after-point", plan_.sweep.after_point, point);
}

}  // namespace infermeter
