#include "analysis/checks/validity.hpp"

#include <algorithm>

#include "answers.hpp"
#include "catch.hpp"
#include "checks.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

Validity validity_of(const LoadPoint& load, const std::vector<RequestRecord>& records,
                     const RunState& state = {}) {
  return summarize(load, records, state).validity;
}

bool says(const Check& check, std::string_view words) {
  return check.evidence.find(words) != std::string::npos;
}

/// `n` answers a millisecond apart in open loop at 1000/s: TTFT 50 ms, gaps of 10 ms.
std::vector<RequestRecord> open_answers(int n) {
  std::vector<RequestRecord> out;
  for (int i = 0; i < n; ++i) out.push_back(answer(i * 1000, 50'000, std::vector<std::uint32_t>(30, 10'000)));
  return out;
}

void delay(RequestRecord& r, std::int64_t us) {
  for (Micros* at :
       {&r.started_us, &r.sent_us, &r.first_token_us, &r.first_output_us, &r.last_token_us, &r.end_us})
    **at += us;
}

std::vector<RequestRecord> with_lag_bucket(std::size_t bucket) {
  auto records = open_answers(100);
  for (auto& r : records) {
    r.lags = {};
    r.lags.add_bucket(bucket, 30);
  }
  return records;
}

}  // namespace

TEST_CASE("validity: an open loop that is sent on time passes") {
  const auto check = check_of(CheckKind::generator, open(1000), open_answers(100));
  CHECK(check.state == CheckState::passed);
  CHECK(check.advice.empty());
  CHECK(says(check, "100 % of the schedule"));
  CHECK(validity_of(open(1000), open_answers(100)).trustworthy);
}

TEST_CASE("validity: requests that met a limit of this machine make the run untrustworthy") {
  auto records = open_answers(100);
  for (const std::size_t i : {7u, 8u, 9u}) {
    records[i].outcome = Outcome::client_limit;
    records[i].error = "no local port is left for this server: 31 ports";
  }
  records[9].error = "no file descriptor is left: 8 files";
  const auto check = check_of(CheckKind::client_limit, open(1000), records);
  CHECK(check.state == CheckState::failed);
  CHECK(
      check.evidence ==
      "3 of 100 requests met a limit of this machine: no local port is left for this server: 31 ports. And: "
      "no file descriptor is left: 8 files.");
  CHECK(check.advice.find("--shard") != std::string::npos);
  CHECK_FALSE(validity_of(open(1000), records).trustworthy);
  CHECK_THROWS(check_of(CheckKind::client_limit, open(1000), open_answers(100)));
}

TEST_CASE("validity: a limit of this machine that only the warm-up met is a warning") {
  auto records = open_answers(100);
  records[0].phase = Phase::warmup;
  records[0].outcome = Outcome::client_limit;
  records[0].error = "no file descriptor is left: 8 files";
  CHECK(check_of(CheckKind::client_limit, open(1000), records).state == CheckState::warning);
}

TEST_CASE("validity: a client queue over a millisecond fails an open loop") {
  auto records = open_answers(100);
  for (auto& r : records) delay(r, 900);
  CHECK(check_of(CheckKind::generator, open(1000), records).state == CheckState::passed);
  for (auto& r : records) delay(r, 200);
  const auto check = check_of(CheckKind::generator, open(1000), records);
  CHECK(check.state == CheckState::failed);
  CHECK(says(check, "p99 1.10 ms (limit 1.00 ms)"));
  CHECK_FALSE(check.advice.empty());
  CHECK_FALSE(validity_of(open(1000), records).trustworthy);
}

TEST_CASE("validity: one late request of a short open loop is not a load that was missed") {
  auto records = open_answers(60);
  delay(records[59], 4'000);  // the last one: the schedule is over then
  const auto check = check_of(CheckKind::generator, open(1000), records);
  CHECK(check.state == CheckState::passed);
  CHECK(says(check, "client queue p95 0 ms"));
  delay(records[58], 4'000);
  CHECK(check_of(CheckKind::generator, open(1000), records).state == CheckState::failed);
  auto load = open(1000);
  load.scheduled_requests = 62;  // two have no record
  CHECK(check_of(CheckKind::generator, load, open_answers(60)).state == CheckState::failed);
}

TEST_CASE("validity: a slow first token allows a hundredth of itself as queue") {
  auto records = open_answers(100);
  for (auto& r : records) {
    *r.first_token_us += 200'000;
    delay(r, 2'000);
  }
  CHECK(check_of(CheckKind::generator, open(1000), records).state == CheckState::passed);
}

TEST_CASE("validity: one dropped request fails an open loop and names the cap") {
  auto records = open_answers(200);
  records[7].outcome = Outcome::dropped;
  records[7].started_us = records[7].sent_us = std::nullopt;
  const auto check = check_of(CheckKind::generator, open(1000), records);
  CHECK(check.state == CheckState::failed);
  CHECK(check.advice.find("--max-in-flight") != std::string::npos);
}

TEST_CASE("validity: the achieved ratio counts what was sent while the schedule ran") {
  auto records = open_answers(100);
  delay(records[99], 500);  // the last one may be half a gap late
  const auto ratio = [&](bool partial) {
    auto load = open(1000);
    load.scheduled_requests = 125;
    return achieved_ratio(load, order_records(records).measured, partial);
  };
  CHECK(ratio(false) == Approx(0.8));  // 25 of the schedule have no record
  CHECK(ratio(true) == Approx(1.0));   // stopped: the rest is unknown
  for (int i = 50; i < 100; ++i) delay(records[static_cast<std::size_t>(i)], 100'000);
  CHECK(ratio(true) == Approx(0.5));
  CHECK_FALSE(achieved_ratio(closed(1), order_records(records).measured, false));
}

TEST_CASE("validity: a replayed trace is in time by its mean gap and a retried request by its first try") {
  auto records = open_answers(50);
  for (auto& r : records) delay(r, 100);
  delay(records[49], 500'000);
  records[49].tries = 2;
  CHECK(achieved_ratio(open(0), order_records(records).measured, false) == Approx(1.0));
}

TEST_CASE("validity: a refused connection was sent in time") {
  auto records = open_answers(100);
  for (auto& r : records) {
    r.outcome = Outcome::connect;
    r.sent_us = std::nullopt;
  }
  CHECK(achieved_ratio(open(1000), order_records(records).measured, false) == Approx(1.0));
}

TEST_CASE("validity: a queue in closed loop warns and stays trustworthy") {
  auto records = closed_loop(4, 11);
  CHECK(check_of(CheckKind::generator, closed(4), records).state == CheckState::passed);
  for (auto& r : records) *r.intended_us -= 5'000;  // 1.4 % of 345 ms
  CHECK(check_of(CheckKind::generator, closed(4), records).state == CheckState::warning);
  CHECK(validity_of(closed(4), records).trustworthy);
}

TEST_CASE("validity: waits that the server asked for are no fault of the workers") {
  auto records = closed_loop(4, 11);
  for (auto& r : records) *r.intended_us -= 50'000;
  RunState state;
  state.waited_s = 1.5;
  const auto check = check_of(CheckKind::generator, closed(4), records, state);
  CHECK(check.state == CheckState::not_applicable);
  CHECK(says(check, "Client queue mean 50.0 ms"));
  CHECK(says(check, "The 1.50 s that the server asked to wait are in it."));
  CHECK(check.advice.empty());
  auto late = open_answers(100);
  for (auto& r : late) delay(r, 50'000);
  const auto open_check = check_of(CheckKind::generator, open(1000), late, state);
  CHECK(open_check.state == CheckState::failed);
  CHECK(says(open_check, "asked to wait"));
  CHECK(open_check.advice.find("--workers") == std::string::npos);
}

TEST_CASE("validity: late events over one in a hundred fail the client") {
  auto records = open_answers(100);  // 3,100 events
  records[0].late = 31;
  CHECK(check_of(CheckKind::client, open(1000), records).state == CheckState::passed);
  records[1].late = 1;
  CHECK(check_of(CheckKind::client, open(1000), records).state == CheckState::failed);
  CHECK_FALSE(validity_of(open(1000), records).trustworthy);
}

TEST_CASE("validity: with kernel stamps the client may lag half a gap, with the user clock a twentieth") {
  // Gaps of 10 ms: 5 ms and 1 ms. Bucket 48 ends at 4.1 ms, bucket 52 at 8.2 ms, bucket 44 at 2.05 ms.
  CHECK(check_of(CheckKind::client, open(1000), with_lag_bucket(48)).state == CheckState::passed);
  CHECK(check_of(CheckKind::client, open(1000), with_lag_bucket(52)).state == CheckState::failed);
  RunState user;
  user.timestamp_source = TimestampSource::user;
  CHECK(check_of(CheckKind::client, open(1000), with_lag_bucket(36), user).state == CheckState::passed);
  CHECK(check_of(CheckKind::client, open(1000), with_lag_bucket(44), user).state == CheckState::failed);
}

TEST_CASE("validity: a lag whose bucket holds the limit is not over it") {
  RunState user;
  user.timestamp_source = TimestampSource::user;
  CHECK(check_of(CheckKind::client, open(1000), with_lag_bucket(40), user).state ==
        CheckState::passed);  // 861–1024 µs
  CHECK(check_of(CheckKind::client, open(1000), with_lag_bucket(41), user).state == CheckState::failed);
}

TEST_CASE("validity: mixed stamps are judged like the user clock once many reads have none") {
  RunState mixed;
  mixed.timestamp_source = TimestampSource::mixed;
  auto records = with_lag_bucket(44);
  CHECK(check_of(CheckKind::client, open(1000), records, mixed).state == CheckState::passed);
  for (auto& r : records) r.unstamped_reads = 2;
  CHECK(check_of(CheckKind::client, open(1000), records, mixed).state == CheckState::failed);
}

TEST_CASE("validity: a queue over a twentieth of the E2E is not the load that was asked for") {
  auto records = closed_loop(4, 11);
  for (auto& r : records) *r.intended_us -= 20'000;  // 5.8 % of 345 ms
  const auto check = check_of(CheckKind::generator, closed(4), records);
  CHECK(check.state == CheckState::failed);
  CHECK_FALSE(validity_of(closed(4), records).trustworthy);
}

TEST_CASE("validity: the client's evidence names its share of the processor") {
  RunState state;
  state.client_cpu_share = 0.06;
  CHECK(says(check_of(CheckKind::client, open(1000), open_answers(50), state), "used 6.0 % of its cores"));
}

TEST_CASE("validity: a stream that comes in one piece in most answers is none") {
  auto records = open_answers(10);
  for (int i = 0; i < 5; ++i) records[static_cast<std::size_t>(i)].flags.set(Flag::buffered_stream);
  CHECK(check_of(CheckKind::stream, open(1000), records).state == CheckState::passed);
  records[5].flags.set(Flag::buffered_stream);
  const auto check = check_of(CheckKind::stream, open(1000), records);
  CHECK(check.state == CheckState::warning);
  CHECK(says(check, "6 of 10 answers"));
  CHECK(validity_of(open(1000), records).trustworthy);
}

TEST_CASE("validity: short answers do not tell whether they stream") {
  auto r = answer(0, 50'000, std::vector<std::uint32_t>(18, 0));
  r.flags.set(Flag::buffered_stream);
  CHECK(check_of(CheckKind::stream, closed(1), {r}).state == CheckState::not_applicable);
}

TEST_CASE("validity: whole bodies instead of streams are no streams") {
  CHECK(check_of(CheckKind::stream, closed(1), {failed(0, Outcome::not_streamed)}).state ==
        CheckState::warning);
  auto load = closed(1);
  load.stream = false;
  CHECK(check_of(CheckKind::stream, load, {stay(0, 1000)}).state == CheckState::not_applicable);
}

namespace {

/// 40 s at 10/s; TTFT and duration grow from the start to the end by `growth` microseconds.
std::vector<RequestRecord> growing(std::int64_t growth) {
  std::vector<RequestRecord> out;
  for (int i = 0; i <= 400; ++i)
    out.push_back(answer(i * 100'000, 500'000 + growth * i / 400 + i % 7 * 1000, {1'000'000}));
  return out;
}

}  // namespace

TEST_CASE("validity: an overload of ten seconds is not steady") {
  // 8 a second for 10 s after 5 s of warm-up, served at 2.3 a second, one after the other.
  std::vector<RequestRecord> records;
  std::int64_t free_at = 0;
  for (int i = 0; i < 120; ++i) {
    const std::int64_t start = i * 125'000, begin = std::max(start, free_at);
    free_at = begin + 435'000;
    records.push_back(answer(start, begin + 20'000 - start, {415'000}));
    if (start < 5'000'000) records.back().phase = Phase::warmup;
  }
  const auto check = check_of(CheckKind::steady, open(8), records);
  CHECK(check.state == CheckState::warning);
  CHECK(check.advice.find("does not keep up") != std::string::npos);
  const auto point = summarize(open(8), records, {});
  CHECK_FALSE(point.steady);
  CHECK_FALSE(point.has_steady_rate());
  REQUIRE(point.offered);
  CHECK(*point.offered == Approx(8));
  CHECK(*point.served == Approx(2.3).epsilon(0.03));
  CHECK(point.rates().request == Approx(2.3).epsilon(0.02));
}

TEST_CASE("validity: an open loop whose answers last as long as its window has no steady rate") {
  std::vector<RequestRecord> records;
  for (int i = 0; i < 100; ++i) records.push_back(answer(i * 100'000, 50'000, {7'000'000}));
  const auto check = check_of(CheckKind::steady, open(10), records);
  CHECK(check.state == CheckState::warning);
  CHECK(says(check, "Answers take 7.05 s, and the window is 9.90 s long"));
  CHECK(check.advice.find("--warmup 8.0s") != std::string::npos);
  CHECK_FALSE(summarize(open(10), records, {}).steady);
}

TEST_CASE(
    "validity: while an open loop fills up it does not serve what is offered, so that is no steady part") {
  std::vector<RequestRecord> records;  // 10 a second for 15 s, the first 5 s warm-up; answers of 7 s
  for (int i = 0; i < 150; ++i) {
    records.push_back(answer(i * 100'000, 50'000, {6'950'000}));
    if (i < 50) records.back().phase = Phase::warmup;
  }
  const auto point = summarize(open(10), records, {});
  REQUIRE(point.steady);
  CHECK(point.steady_from_s == Approx(7));
  CHECK(point.steady->request == Approx(10).epsilon(0.02));
  CHECK(*point.offered == Approx(10).epsilon(0.02));
}

TEST_CASE(
    "validity: ten seconds in which in-flight and TTFT grow are not steady, though the end of them may be") {
  // As --sim 4090-8b --rate 8 -d 10s: 7 s an answer after 5 s of warm-up; TTFT from 0.2 to 1.3 s.
  std::vector<RequestRecord> records;
  for (int i = 0; i < 120; ++i) {
    const std::int64_t start = i * 125'000;
    const std::int64_t ttft = std::min<std::int64_t>(1'300'000, 100'000 + start / 8 + i % 5 * 100'000);
    records.push_back(answer(start, ttft, {6'500'000}));
    if (start < 5'000'000) records.back().phase = Phase::warmup;
  }
  CHECK(check_of(CheckKind::steady, open(8), records).state == CheckState::warning);
  CHECK_FALSE(summarize(open(8), records, {}).steady);
}

TEST_CASE("validity: a closed loop that answers ever more slowly is not steady") {
  auto records = closed_loop(4, 26);
  CHECK(summarize(closed(4), records, {}).steady);
  for (auto& r : records) {
    *r.first_token_us += *r.sent_us / 100;  // 1 % of the time: from 50 to 140 ms
    r.first_output_us = r.first_token_us;
  }
  CHECK(check_of(CheckKind::steady, closed(4), records).state == CheckState::warning);
  CHECK_FALSE(summarize(closed(4), records, {}).steady);
}

TEST_CASE("validity: in-flight and TTFT that both grow are not steady") {
  CHECK(check_of(CheckKind::steady, open(10), growing(0)).state == CheckState::passed);
  CHECK(check_of(CheckKind::steady, open(10), growing(4'000'000)).state == CheckState::warning);
}

TEST_CASE("validity: requests in flight that grow without the TTFT are not steady either") {
  auto records = growing(0);
  for (std::size_t i = 0; i < records.size(); ++i)
    *records[i].end_us += static_cast<std::int64_t>(i) * 10'000;
  CHECK(check_of(CheckKind::steady, open(10), records).state == CheckState::warning);
}

TEST_CASE("validity: a trend is told from twenty seconds too") {
  auto records = growing(8'000'000);
  records.resize(200);
  CHECK(check_of(CheckKind::steady, open(10), records).state == CheckState::warning);
}

TEST_CASE("validity: forced lengths that differ by more than one in twenty warn") {
  auto load = open(1000);
  load.output_tokens = 31;
  load.exact_output = true;
  auto records = open_answers(100);
  for (int i = 0; i < 5; ++i) records[static_cast<std::size_t>(i)].output_tokens = 20;
  CHECK(check_of(CheckKind::lengths, load, records).state == CheckState::passed);
  records[5].output_tokens = 20;
  const auto check = check_of(CheckKind::lengths, load, records);
  CHECK(check.state == CheckState::warning);
  CHECK(says(check, "6 of 100 answers"));
}

TEST_CASE("validity: an answer that stops below its limit by itself is what was asked for") {
  auto load = open(1000);
  load.output_tokens = 128;
  auto records = open_answers(100);
  for (auto& r : records) r.finish_reason = "stop";
  const auto check = check_of(CheckKind::lengths, load, records);
  CHECK(check.state == CheckState::passed);
  CHECK(says(check, "100 ended by themselves"));
  for (auto& r : records) r.finish_reason = "length";
  CHECK(check_of(CheckKind::lengths, load, records).state == CheckState::warning);
}

TEST_CASE("validity: an end token beside a short exact length is within a token") {
  auto load = open(1000);
  load.output_tokens = 30;
  load.exact_output = true;
  CHECK(check_of(CheckKind::lengths, load, open_answers(100)).state == CheckState::passed);  // 31 tokens each
}

TEST_CASE("validity: tokens that the server did not count warn and are called events") {
  auto records = open_answers(10);
  CHECK(check_of(CheckKind::tokens, open(1000), records).state == CheckState::passed);
  records[3].output_tokens = std::nullopt;
  records[3].token_source = TokenSource::events;
  const auto check = check_of(CheckKind::tokens, open(1000), records);
  CHECK(check.state == CheckState::warning);
  CHECK(says(check, "1 of 10 answers"));
}

TEST_CASE("validity: hidden reasoning is said beside the count") {
  auto records = open_answers(10);
  for (auto& r : records) {
    r.output_tokens = 131;
    r.unstreamed_tokens = 100;
  }
  CHECK(says(check_of(CheckKind::tokens, open(1000), records), "1,000 of them no event carried"));
}

TEST_CASE("validity: a balanced closed loop passes Little's law and the in-flight check") {
  const auto records = closed_loop(8, 11);
  CHECK(check_of(CheckKind::in_flight, closed(8), records).state == CheckState::passed);
  CHECK(check_of(CheckKind::little, closed(8), records).state == CheckState::passed);
}

TEST_CASE("validity: a load that only piles up breaks Little's law") {
  std::vector<RequestRecord> records;
  for (int i = 0; i < 1000; ++i) records.push_back(answer(i * 1000, 50'000, {}));
  for (int i = 500; i < 1000; ++i) *records[static_cast<std::size_t>(i)].end_us = 60'000'000;
  CHECK(check_of(CheckKind::little, open(1000), records).state == CheckState::warning);
}

TEST_CASE("validity: damaged records are found by the in-flight check") {
  auto records = open_answers(100);
  records[50].end_us = *records[50].started_us - 10'000;
  CHECK(check_of(CheckKind::in_flight, open(1000), records).state == CheckState::warning);
}

TEST_CASE("validity: a run that was stopped says how many requests finished and how many were cut off") {
  RunState killed;
  killed.partial = true;
  auto load = closed(1);
  load.requests = 500;
  std::vector<RequestRecord> records{answer(0, 50'000, {10'000})};
  CHECK(validity_of(load, records, killed).partial);
  CHECK(says(check_of(CheckKind::complete, load, records, killed), "partial: 1 of 500 requests finished."));
  CHECK_THROWS(check_of(CheckKind::complete, load, records));
  load.conversations = true;  // then the plan counts conversations
  CHECK(says(check_of(CheckKind::complete, load, records, killed), "0 of 500 conversations"));
  load.conversations = false;
  records.push_back(answer(60'000, 50'000, {10'000}));
  records.back().outcome = Outcome::interrupted;
  CHECK(says(check_of(CheckKind::complete, load, records, killed), "1 of 500 requests finished, 1 cut off."));
}
