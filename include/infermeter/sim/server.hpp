// The simulator as an OpenAI-compatible HTTP server: the engine model paced on the wall clock, in a thread of
// its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "infermeter/base/clock.hpp"

namespace infermeter::sim {

/// What a share of the requests suffers; seeded, so that a run can be repeated.
struct Fault {
  std::string
      kind;  // "429", "500", "503", "html502", "inband", "reset", "stall", "truncate", …: docs/simulator.md
  double share = 1.0;
  std::string value;  // of kinds that take one: "2s", "8"
};

struct ServerOptions {
  std::string preset = "h100-8b";
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;   // 0 chooses one
  double time_scale = 1.0;  // 2: twice as slow as the model
  std::string truth_path;   // JSONL; empty: none
  std::uint64_t seed = 1;
  std::vector<Fault> faults;
};

class Server {
 public:
  /// Binds and listens; throws UsageError for a wrong preset or fault, EnvironmentError if it cannot listen.
  explicit Server(const ServerOptions& options);
  ~Server();
  /// Serves in a background thread until `stop`.
  void start();
  void stop();
  std::string url() const;  // "http://127.0.0.1:41873"

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Known faults and quirks with one line each, for help and docs.
std::vector<std::pair<std::string, std::string>> fault_list();
/// `kind[=value][:share]`, as "429:10%" or "heartbeat=1s"; throws UsageError naming --fault.
Fault parse_fault(std::string_view text);

}  // namespace infermeter::sim
