#include <fmt/format.h>

#include "cli/options/config_sources.hpp"
#include "cli/options/plan_values.hpp"
#include "cli/options/shard_values.hpp"
#include "cli/options/shown_command.hpp"
#include "cli/run.hpp"
#include "infermeter/base/errors.hpp"
#include "sim/http/server.hpp"

namespace infermeter {
namespace {

std::string sim_preset_of(const Values& values) {
  const std::string preset = values.text("sim");
  if (preset.find("://") != std::string::npos)
    throw UsageError(fmt::format("{} and a URL exclude each other", values.origin("sim")),
                     "--sim measures the built-in simulator, a URL a server.");
  return preset.empty() ? sim::ServerOptions{}.preset : preset;
}

}  // namespace

RunRequest run_request(const Invocation& invocation) {
  const Settings settings = join_sources(invocation.variables, invocation.typed);
  const Values& values = settings.values;
  RunRequest request;
  request.sim = values.given("sim");
  if (request.sim) request.sim_preset = sim_preset_of(values);
  request.plan = plan_of(settings, invocation.variables, invocation.here);
  use_proxy_variables(request.plan, invocation.variables);
  request.plan.command_line = shown_command(invocation);
  request.faults = values.list("fault");
  request.truth = values.text("truth");
  request.dry_run = values.flag("dry-run");
  request.quiet = values.flag("quiet");
  request.note = unused_launcher_note(request.plan, invocation.variables);
  return request;
}

}  // namespace infermeter
