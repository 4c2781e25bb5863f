// Results shared by the reporters' tests: made by hand, so that the figures on the page are those given here.
#pragma once

#include "infermeter/model/result.hpp"

namespace infermeter {

/// Closed loop, concurrency 32, all requests succeeded; intervals as for 735 requests.
RunResult good_run();
/// Open loop at 20 requests/s with Poisson arrivals: times from the intended start too.
RunResult open_loop_run();
/// Failures of several classes with server messages, unusual answers, warnings and findings.
RunResult failing_run();
/// The client was too slow: not trustworthy.
RunResult untrustworthy_run();
/// A closed port: no request succeeded.
RunResult hopeless_run();
/// A server that reports no usage: events, not tokens.
RunResult events_run();
/// --no-stream: only E2E.
RunResult whole_answers_run();
/// A stream was requested, but no answer was streamed.
RunResult not_streamed_run();
/// Few requests: no interval, no steady window, no warm-up; hidden reasoning.
RunResult short_run();
/// concurrency 1 to 128 with a knee; at the last point some time out and the client is too slow.
RunResult sweep_run();
/// 10 to 40 requests/s with SLOs; the sweep ended before its last point.
RunResult rate_sweep_run();
/// Two concurrencies with two shapes each.
RunResult shape_sweep_run();
/// TTFT against prompt length, with the curve through it.
RunResult context_run();
/// Three vendors at the same time: one differs, one does not.
RunResult targets_run();
/// Three targets without names whose run was too short for intervals, one of them with a closed port.
RunResult short_targets_run();
/// Two targets at two load points, in open loop.
RunResult targets_sweep_run();
/// Two classes and a probe, each with its own SLO.
RunResult classes_run();
/// Conversations of a file, with a prefix cache, SLOs, prices, rate limits, retries, the server's own times.
RunResult conversations_run();
/// Streams that the client closed, during a ramp of the load.
RunResult cancel_run();
/// Vectors, not tokens.
RunResult embeddings_run();
/// Assertions, one of them broken and one undecided.
Verdict assert_verdict();
/// Six pairs: one metric is worse, one is undecided; a seventh pair is set aside.
Verdict gate_verdict();
/// As assert_verdict, for an untrustworthy run.
Verdict untrusted_verdict();
/// One assertion that passed at three load points.
Verdict passed_verdict();
/// good_run with assert_verdict.
RunResult asserted_run();
/// A live gate: six pairs of the same load, with gate_verdict.
RunResult pairs_run();
/// The same with a seventh pair, which is set aside, and a verdict that passes.
RunResult set_aside_run();
/// Two loads, three times each.
RunResult repeated_run();
/// The result that is written before the first request.
RunResult starting_run();

}  // namespace infermeter
