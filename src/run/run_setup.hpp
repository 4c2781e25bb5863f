// What every measurement sets up before its targets are looked at. Private to src/run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/load/traffic.hpp"
#include "engine/prepare/preflight.hpp"
#include "infermeter/model/plan.hpp"
#include "sim/http/server.hpp"

namespace infermeter {

/// The built-in simulator where it is what is measured, started; else null.
std::unique_ptr<sim::Server> start_simulator(const Plan& plan);

/// The data files of the plan's classes, checked.
std::vector<ClassData> open_all_data(const Plan& plan, const Say& say);

/// results/<UTC time>-<name>, with a number behind it where two runs begin within one second. Shards, which
/// do, have their rank in it.
std::string free_directory(const std::string& name, Shard shard = {});

}  // namespace infermeter
