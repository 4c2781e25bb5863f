#include "cli/simulate.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <cstdint>
#include <limits>

#include "cli/options/plan_values.hpp"
#include "cli/output.hpp"
#include "infermeter/model/endpoint.hpp"

namespace infermeter {
namespace {

void print_what_it_serves(const sim::ServerOptions& options, const sim::Server& server) {
  std::string paths;
  for (const auto& row : kEndpoints) paths += fmt::format("/v1{}, ", row.path);
  print_line(fmt::format("serving {} (preset {}{}): {}/v1/models, /tokenize, /metrics, /health, /version",
                         server.model(), options.preset,
                         options.time_scale == 1 ? "" : fmt::format(", time scale {}", options.time_scale),
                         paths));
  for (const auto& fault : options.faults)
    print_line(fmt::format("fault {}{}{} in {:g}% of the requests", fault.kind,
                           fault.value.empty() ? "" : "=", fault.value, fault.share * 100));
  if (!options.truth_path.empty()) print_line(fmt::format("true times in {}", options.truth_path));
  print_line("Ctrl-C stops it");
}

}  // namespace

sim::ServerOptions simulate_request(const Invocation& invocation) {
  const Values values = invocation.values();
  sim::ServerOptions server;
  server.preset = values.text("preset");
  server.host = values.text("host");
  server.port =
      static_cast<std::uint16_t>(values.count("port", 0, std::numeric_limits<std::uint16_t>::max()));
  server.time_scale = values.positive_number("time-scale");
  server.truth_path = values.text("truth");
  server.seed = values.count("seed", 0, kMaxSeed);
  for (const auto& fault : values.list("fault")) server.faults.push_back(sim::parse_fault(fault));
  return server;
}

ExitCode simulate_command(const sim::ServerOptions& options) {
  sim::ServerOptions telling = options;
  telling.warn = [](const std::string& line) { print_line(line); };
  sim::Server server(telling);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // inherited by the server's thread
  server.start();
  put_out(fmt::format("listening on {}\n", server.url()));
  print_what_it_serves(options, server);
  int received = 0;
  sigwait(&signals, &received);
  server.stop();
  return ExitCode::ok;
}

}  // namespace infermeter
