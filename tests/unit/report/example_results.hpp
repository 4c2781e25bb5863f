// Results that the reporters' tests share: made by hand, so that the figures on the page are the ones here.
#pragma once

#include "infermeter/model/result.hpp"

namespace infermeter {

/// Closed loop, 32 at a time, everything well; intervals as 735 requests give them.
RunResult good_run();
/// Open loop at 20 requests/s with Poisson arrivals: times from the intended start too.
RunResult open_loop_run();
/// Failures of several classes with what servers said, oddities of answers, warnings and findings.
RunResult failing_run();
/// The client was too slow: not to be trusted.
RunResult untrustworthy_run();
/// A dead port: nothing ended well.
RunResult hopeless_run();
/// A server that reports no usage: events, not tokens.
RunResult events_run();
/// --no-stream: only E2E.
RunResult whole_answers_run();
/// A stream was asked for, every answer came whole.
RunResult not_streamed_run();
/// Few requests: no interval, no steady window, no warm-up; hidden reasoning.
RunResult short_run();
/// Two load points.
RunResult sweep_run();
/// What is written before the first request.
RunResult starting_run();

}  // namespace infermeter
