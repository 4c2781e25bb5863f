// The truth file: one JSON line per generation request, written when it ends. Schema:
// docs/simulator.md. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "infermeter/base/clock.hpp"
#include "sim/engine/engine_model.hpp"
#include "sim/http/outbox.hpp"

namespace infermeter::sim {

struct TruthRecord {
  std::string_view request_id;
  std::uint64_t number = 0;  // order of arrival, from 0
  std::string_view endpoint;
  std::string_view session;      // the client's id of a conversation; empty: none
  std::uint64_t connection = 0;  // order in which connections were accepted
  bool stream = false;
  std::string_view end;  // done, cut, refused, aborted (by the client), open (the server stopped)
  std::span<const std::string> faults;
  Instant arrived{};                   // from the kernel if known, else `received`
  Instant received{}, ended{};         // the whole request was read; the answer has ended
  std::optional<RequestTruth> engine;  // of the first choice, in wall time; set once it has a first token
  std::uint32_t prompt_tokens = 0, output_tokens = 0, choices = 0;
  std::string_view finish_reason;
  std::span<const SentEvent> events;
};

std::string truth_json(const TruthRecord& record);

class TruthLog {
 public:
  using Warn = std::function<void(const std::string& line)>;
  /// Truncates the file. Throws EnvironmentError if it cannot be opened. An empty path logs nothing. `warn`,
  /// if set, is called with the reason if the log ends early.
  explicit TruthLog(const std::string& path, Warn warn = {});
  ~TruthLog();
  TruthLog(const TruthLog&) = delete;
  TruthLog& operator=(const TruthLog&) = delete;
  bool enabled() const { return fd_ >= 0; }
  /// One write a line, so that a killed server leaves whole lines. A full disk ends the log, not the server.
  void append(const TruthRecord& record);

 private:
  int fd_ = -1;
  Warn warn_;
};

}  // namespace infermeter::sim
