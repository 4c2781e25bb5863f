// Results that the reporters' tests share: made by hand, so that the figures on the page are the ones here.
#pragma once

#include "infermeter/model/result.hpp"

namespace infermeter {

/// Closed loop, concurrency 32, everything well; intervals as 735 requests give them.
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
/// Three targets without names whose run was too short for intervals, one of them with a dead port.
RunResult short_targets_run();
/// Two targets at two load points, in open loop.
RunResult targets_sweep_run();
/// Two classes and a probe, each with its own SLO.
RunResult classes_run();
/// Conversations of a file, with a prefix cache, SLOs, prices, rate limits, retries, the server's own times.
RunResult conversations_run();
/// Streams that were closed by us, while the load ramped.
RunResult cancel_run();
/// Vectors, not tokens.
RunResult embeddings_run();
/// Assertions of which one is broken, one open.
Verdict assert_verdict();
/// Six pairs: one metric is worse, one is open; a seventh pair is set aside.
Verdict gate_verdict();
/// As assert_verdict, of a run that is not to be trusted.
Verdict untrusted_verdict();
/// One assertion that held at three load points.
Verdict passed_verdict();
/// good_run with assert_verdict.
RunResult asserted_run();
/// A live gate: six pairs of the same load, with gate_verdict.
RunResult pairs_run();
/// The same with a seventh pair, which is set aside, and a verdict that passes.
RunResult set_aside_run();
/// Two loads, three times each.
RunResult repeated_run();
/// What is written before the first request.
RunResult starting_run();

}  // namespace infermeter
