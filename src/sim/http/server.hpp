// The simulator as an HTTP server in OpenAI's and Anthropic's languages: the engine model paced on the wall
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

/// What a share of the requests suffers; seeded, so that a run can be repeated.
struct Fault {
  std::string kind;   // one of fault_list()
  double share = 1;   // of the generation requests, by a hash of seed, arrival number and place in the list
  std::string value;  // of kinds that take one: "2s", "8"; filled with the kind's default by parse_fault
};

struct ServerOptions {
  std::string preset = "h100-8b";
  std::string model;  // the name it serves; empty: the preset's
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;   // 0 chooses one
  double time_scale = 1.0;  // 2: twice as slow as the model
  std::string truth_path;   // JSONL, truncated at the start; empty: none
  std::uint64_t seed = 1;
  std::vector<Fault> faults;
  std::string session_header = "x-session-id";  // whose value stands in the truth file
  /// Told by the server's thread why the truth file ends early (a full disk); empty: nobody is.
  std::function<void(const std::string& line)> warn = {};
};

/// One listening socket, one thread. Construct, `start`, `stop` (or destroy) from one thread; the rest may be
/// asked from any. Requests that are open when it stops are cut off and stand in the truth file as `open`.
class Server {
 public:
  /// Binds and listens. Throws UsageError for a wrong preset, fault or scale, EnvironmentError if it cannot
  /// listen or write the truth file.
  explicit Server(const ServerOptions& options);
  /// The same with an engine of the caller's (tests); `options.preset` is not looked at.
  Server(const ServerOptions& options, std::unique_ptr<EngineModel> engine);
  ~Server();
  /// Serves in a background thread until `stop`. The engine's time 0 is this call. Once in a lifetime.
  void start();
  void stop();
  std::string url() const;  // "http://127.0.0.1:41873"
  const std::string& model() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Known faults and quirks with one line each, for help and docs.
std::vector<std::pair<std::string, std::string>> fault_list();
/// `kind[=value][:share]`, as "429:10%" or "heartbeat=1s"; throws UsageError naming --fault.
Fault parse_fault(std::string_view text);

}  // namespace infermeter::sim
