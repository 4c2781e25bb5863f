#include "cli/options/config_sources.hpp"
#include "cli/options/plan_values.hpp"
#include "cli/options/shard_values.hpp"
#include "cli/options/shown_command.hpp"
#include "cli/run.hpp"

namespace infermeter {
RunRequest run_request(const Invocation& invocation) {
  const Settings settings = join_sources(invocation.variables, invocation.typed);
  const Values& values = settings.values;
  RunRequest request;
  request.plan = plan_of(settings, invocation.variables, invocation.here);
  use_proxy_variables(request.plan, invocation.variables);
  request.plan.command_line = shown_command(invocation);
  request.dry_run = values.flag("dry-run");
  request.quiet = values.flag("quiet");
  request.note = unused_launcher_note(request.plan, invocation.variables);
  return request;
}

}  // namespace infermeter
