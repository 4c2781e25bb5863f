// Single requests before a run, not for measuring: a whole answer (models, version, readiness), a trial that
// is read like a measured request, and the one-line errors that say why a server cannot be measured. These
// contain no secrets. Blocks; main thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time_limit.hpp"
#include "engine/load/answer_copy.hpp"
#include "engine/prepare/preflight.hpp"
#include "infermeter/model/record.hpp"
#include "io/http/transport.hpp"
#include "protocol/http/outcome.hpp"
#include "protocol/stream/stream_reader.hpp"

namespace infermeter {

/// A whole answer.
struct HttpAnswer {
  Outcome outcome = Outcome::ok;  // the transport's outcome: ok, connect, dns, tls, timeout, interrupted, …
  std::string message;            // the transport's message on a failure
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;                                          // at most 4 MB
  ConnectionTimes connection;
  Instant started, sent, ended;
  std::string header(std::string_view name) const;  // empty if absent
};

/// Blocks until the answer is complete, the limit is over (outcome `timeout`, with the limit's text) or the
/// user stops it (`interrupted`). A body longer than `most` bytes ends it (`truncated`).
HttpAnswer fetch(Transport& transport, HttpRequest request, const TimeLimit& limit,
                 std::optional<std::size_t> most = {});

/// When a probe is hung up.
struct ProbeLimits {
  Timeouts timeouts;  // the user's, as for any request
  Instant until;      // end of the preparation
  bool usage =
      true;  // usage is needed: hung up at it, or soon after the first token; else at the first token
  bool finish = false;  // usage alone does not end it: the reason for the end is wanted too
};

/// One request read like a measured one, for preflight and calibration.
struct Trial {
  RequestRecord record;
  bool hung_up = false;   // by choice: all that was wanted had come, or was not to be expected any more
  bool too_late = false;  // a limit ended it; the record's error names it
  std::uint32_t asked_tokens = 0;  // the request's limit
  ErrorBody error;                 // of a 4xx/5xx response
  std::string location;            // of a redirect
  AnswerCopy copy;                 // for the log
};

/// Blocks until the answer has ended, one of its limits is reached or the command's is over; meanwhile calls
/// `waiting`, if set, with what has come so far.
Trial ask_once(Transport& transport, HttpRequest request, const StreamOptions& options,
               const ProbeLimits& limits, const TimeLimit& command,
               const std::function<void(Instant, const Trial&)>& waiting = {});

/// Sends a small request of that class.
Trial send_trial(CurlTransport& transport, const PreparedTarget& prepared, const RequestShape& shape,
                 const TrafficClass& traffic, const ProbeLimits& limits, const TimeLimit& command,
                 const Say& say);

/// Throws if the run was interrupted, or its time is over.
void refuse_over(const TimeLimit& command);
/// Throws for a failure of the transport.
[[noreturn]] void fail_to_reach(const PreparedTarget& prepared, const HttpAnswer& answer);
/// The server's message in an error answer, or the beginning of any other answer.
std::string excerpt(const PreparedTarget& prepared, const HttpAnswer& answer);
/// Throws for an error status of that URL of the target.
[[noreturn]] void fail_by_status(const PreparedTarget& prepared, const std::string& url, int status,
                                 const std::string& said);
/// Throws for a redirect that is not followed, with its target.
[[noreturn]] void fail_redirect(const PreparedTarget& prepared, const std::string& url,
                                const std::string& location);
/// Whether the trial's answer rules out measuring.
bool cannot_measure(const RequestRecord& record);
/// Throws for a limit of output tokens that the server does not take.
[[noreturn]] void fail_limit(const PreparedTarget& prepared, const RequestShape& shape, const Trial& trial);
[[noreturn]] void fail_trial(const PreparedTarget& prepared, const Trial& trial);

}  // namespace infermeter
