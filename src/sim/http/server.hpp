// The simulator as an HTTP server with OpenAI's and Anthropic's APIs: the engine model paced on the wall
// clock, in a thread of its own. Endpoints, faults and the truth file: docs/simulator.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/engine/engine_model.hpp"

namespace infermeter::sim {

/// A fault that applies to a share of the requests; seeded, so that a run can be repeated.
struct Fault {
  std::string kind;  // one of fault_list()
  double share =
      1;  // of the generation requests, chosen by a hash of seed, arrival number and position in the list
  std::string value;  // for kinds that take one: "2s", "8"; parse_fault fills in the kind's default
};

struct ServerOptions {
  std::string preset = "h100-8b";
  std::string model;  // the served model's name; empty: the preset's
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;   // 0: any free port
  double time_scale = 1.0;  // 2: twice as slow as the model
  std::string truth_path;   // JSONL, truncated at the start; empty: none
  std::uint64_t seed = 1;
  std::vector<Fault> faults;
  std::string session_header = "x-session-id";  // its value is written to the truth file
  /// Called by the server's thread with the reason if the truth file ends early (a full disk); may be empty.
  std::function<void(const std::string& line)> warn = {};
};

/// One listening socket, one thread. Construct, `start`, `stop` (or destroy) from one thread; the other
/// functions may be called from any. Requests that are open when it stops are cut off and are `open` in the
/// truth file.
class Server {
 public:
  /// Binds and listens. Throws UsageError for a wrong preset, fault or scale, EnvironmentError if it cannot
  /// listen or write the truth file.
  explicit Server(const ServerOptions& options);
  /// The same with the caller's engine (for tests); `options.preset` is ignored.
  Server(const ServerOptions& options, std::unique_ptr<EngineModel> engine);
  ~Server();
  /// Serves in a background thread until `stop`. This call is the engine's time 0. May be called once.
  void start();
  void stop();
  std::string url() const;  // "http://127.0.0.1:41873"
  const std::string& model() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Known faults with one line each, for help and docs.
std::vector<std::pair<std::string, std::string>> fault_list();
/// `kind[=value][:share]`, as "429:10%" or "heartbeat=1s"; throws UsageError naming --fault.
Fault parse_fault(std::string_view text);

}  // namespace infermeter::sim
