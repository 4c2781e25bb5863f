// What `run` and `gate` set up alike before they measure. Private to src/cli.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/options/options.hpp"
#include "engine/load/traffic.hpp"
#include "engine/prepare/preflight.hpp"
#include "engine/session/progress.hpp"
#include "sim/http/server.hpp"

namespace infermeter {

/// The built-in simulator where it is what is measured, started; else null.
std::unique_ptr<sim::Server> start_simulator(const RunRequest& request);

/// The data files of the plan's classes, checked.
std::vector<ClassData> open_all_data(const Plan& plan, const Say& say);

/// results/<UTC time>-<name>, with a number behind it where two runs begin within one second. Shards, which
/// do, have their rank in it.
std::string free_directory(const std::string& name, Shard shard = {});

ProgressStyle progress_style(const Plan& plan);

/// Lines on standard error, unless the plan wants no progress.
Say say_progress(const ProgressStyle& style);

}  // namespace infermeter
