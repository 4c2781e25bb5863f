#include "run/setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/entropy.hpp"
#include "io/files/item_file.hpp"
#include "io/host/host_facts.hpp"
#include "workload/data/data_formats.hpp"
#include "workload/synthetic/text.hpp"

namespace infermeter {
namespace {

constexpr int kBlocked[] = {SIGPIPE, SIGXFSZ};

/// The last part of a model's name, which a server may choose, as part of a file's name.
std::string file_name_part(const std::string& model) {
  constexpr std::size_t kLongest = 100;
  std::string part;
  for (const char c : model.substr(model.rfind('/') + 1).substr(0, kLongest)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
    part += plain ? c : '-';
  }
  return part.empty() ? "model" : part;
}

ClassData open_data(const TrafficClass& traffic, const Say& warn) {
  ClassData data;
  const Prompts& prompts = traffic.prompts;
  if (prompts.file.empty()) return data;
  const OpenedItems opened = open_items(prompts);
  data.items = opened.items;
  data.bad_lines = opened.skipped;
  if (opened.skipped > 0)
    warn(fmt::format("{}: {} bad lines are skipped, the first of them {}", opened.path, opened.skipped,
                     opened.first_skipped));
  return data;
}

}  // namespace

Plan completed(const Plan& given) {
  Plan plan = given;
  if (plan.targets.empty() || plan.classes.empty() || plan.sweep.points.empty())
    throw UsageError("a plan has at least one target, one class and one load point");
  for (auto& load : plan.sweep.points) {
    const bool ends =
        load.requests || load.duration || !load.stages.empty() || load.arrival == Arrival::trace;
    if (!ends) load.duration = 30s;
  }
  for (auto& traffic : plan.classes) {
    Prompts& prompts = traffic.prompts;
    const bool synthetic = prompts.prompts.empty() && prompts.file.empty();
    if (synthetic && prompts.nonce.empty() && !prompts.nonce_given)
      prompts.nonce = make_nonce(system_entropy());
  }
  return plan;
}

TimeLimit limit_of(const Plan& plan, const std::atomic<bool>& stop) {
  const TimeLimit limit(stop);
  return plan.max_time ? limit.within(now(), *plan.max_time, "--max-time") : limit;
}

Hooks completed(const Hooks& given) {
  static const std::atomic<bool> never{false};
  Hooks hooks = given;
  if (hooks.stop == nullptr) hooks.stop = &never;
  if (!hooks.say) hooks.say = [](const std::string&) {};
  if (!hooks.warn) hooks.warn = hooks.say;
  if (!hooks.begin) hooks.begin = [](const RunResult&, const std::string&) {};
  if (!hooks.point_end) hooks.point_end = [](const RunResult&) { return false; };
  if (!hooks.end) hooks.end = [](const RunResult&, std::span<const RequestRecord>) {};
  return hooks;
}

BlockedSignals::BlockedSignals() {
  sigset_t blocked;
  sigpending(&pending_);
  sigemptyset(&blocked);
  for (const int signal : kBlocked) sigaddset(&blocked, signal);
  pthread_sigmask(SIG_BLOCK, &blocked, &before_);
}

// A signal that became pending meanwhile is consumed, so that it is not delivered on unblocking.
BlockedSignals::~BlockedSignals() {
  sigset_t pending;
  sigpending(&pending);
  const timespec at_once{};
  for (const int signal : kBlocked) {
    if (sigismember(&pending_, signal) == 1 || sigismember(&pending, signal) != 1) continue;
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    sigtimedwait(&one, nullptr, &at_once);
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

MeasuredSimulator::MeasuredSimulator(Plan& plan) {
  if (!plan.simulator) return;
  sim::ServerOptions options;
  if (!plan.simulator->preset.empty()) options.preset = plan.simulator->preset;
  options.truth_path = plan.simulator->truth;
  options.seed = plan.sweep.points.front().seed;
  const std::string& session_header = plan.classes.front().prompts.session_header;
  if (!session_header.empty()) options.session_header = session_header;
  for (const auto& fault : plan.simulator->faults) options.faults.push_back(sim::parse_fault(fault));
  options.warn = [this](const std::string& line) {
    const std::lock_guard lock(mutex_);
    warning_ = line;
  };
  server_ = std::make_unique<sim::Server>(options);
  server_->start();
  for (auto& target : plan.targets) target.url = server_->url();
}

void MeasuredSimulator::tell(const Say& warn) {
  const std::lock_guard lock(mutex_);
  if (!warning_.empty()) warn(warning_);
}

std::vector<ClassData> open_all_data(const Plan& plan, const Say& warn) {
  const auto replays = [](const Load& load) { return load.arrival == Arrival::trace; };
  const bool replay = std::ranges::any_of(plan.sweep.points, replays);
  std::vector<ClassData> all;
  for (const auto& traffic : plan.classes) {
    ClassData& data = all.emplace_back(open_data(traffic, warn));
    if (replay && data.items) data.stamps = trace_stamps(*data.items, traffic.prompts.file);
  }
  return all;
}

ResultFolder new_folder(const std::string& name, Shard shard) {
  const std::string rank = shard.whole() ? "" : fmt::format("-shard-{}-of-{}", shard.rank, shard.of);
  return ResultFolder::make_new(fmt::format("results/{}-{}{}", utc_compact(), file_name_part(name), rank));
}

}  // namespace infermeter
