#include "run/run_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "io/files/item_file.hpp"
#include "io/host/host_facts.hpp"
#include "workload/data/trace.hpp"

namespace infermeter {
namespace {

std::string file_name_part(const std::string& model) {
  std::string part;
  for (const char c : model.substr(model.rfind('/') + 1)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
    part += plain ? c : '-';
  }
  return part.empty() ? "model" : part;
}

ClassData open_data(const TrafficClass& traffic, const Say& say) {
  ClassData data;
  const Prompts& prompts = traffic.prompts;
  if (prompts.file.empty()) return data;
  const OpenedItems opened = open_items(prompts);
  data.items = opened.items;
  data.bad_lines = opened.skipped;
  if (opened.skipped > 0)
    say(fmt::format("{}: {} bad lines are skipped, the first of them {}", opened.path, opened.skipped,
                    opened.first_skipped));
  return data;
}

}  // namespace

std::unique_ptr<sim::Server> start_simulator(const Plan& plan) {
  if (!plan.simulator) return nullptr;
  sim::ServerOptions options;
  if (!plan.simulator->preset.empty()) options.preset = plan.simulator->preset;
  options.truth_path = plan.simulator->truth;
  options.seed = plan.sweep.points.front().seed;
  const std::string& session_header = plan.classes.front().prompts.session_header;
  if (!session_header.empty()) options.session_header = session_header;
  for (const auto& fault : plan.simulator->faults) options.faults.push_back(sim::parse_fault(fault));
  auto server = std::make_unique<sim::Server>(options);
  server->start();
  return server;
}

std::vector<ClassData> open_all_data(const Plan& plan, const Say& say) {
  const auto replays = [](const Load& load) { return load.arrival == Arrival::trace; };
  const bool replay = std::ranges::any_of(plan.sweep.points, replays);
  std::vector<ClassData> all;
  for (const auto& traffic : plan.classes) {
    ClassData& data = all.emplace_back(open_data(traffic, say));
    if (replay && data.items) data.stamps = trace_stamps(*data.items, traffic.prompts.file);
  }
  return all;
}

std::string free_directory(const std::string& name, Shard shard) {
  const std::string rank = shard.whole() ? "" : fmt::format("-shard-{}-of-{}", shard.rank, shard.of);
  const std::string base = fmt::format("results/{}-{}{}", utc_compact(), file_name_part(name), rank);
  std::string path = base;
  for (int i = 2; std::filesystem::exists(path); ++i) path = fmt::format("{}-{}", base, i);
  return path;
}

}  // namespace infermeter
