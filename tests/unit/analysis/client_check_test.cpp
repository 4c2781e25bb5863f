// Whether a run is trusted by what its uncertain arrivals can change.
#include <string_view>

#include "answers.hpp"
#include "catch.hpp"
#include "checks.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

/// A hundred answers a millisecond apart: TTFT 50 ms, gaps of 10 ms; `early` is the same in each.
std::vector<RequestRecord> uncertain_answers(const std::vector<EarlyArrival>& early) {
  std::vector<RequestRecord> records;
  for (int i = 0; i < 100; ++i) {
    records.push_back(answer(i * 1000, 50'000, std::vector<std::uint32_t>(30, 10'000)));
    records.back().early_us = early;
  }
  return records;
}

bool tells(const Check& check, std::string_view words) {
  return check.evidence.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("client: late events whose stamps are exact are trusted") {
  auto records = uncertain_answers({});
  for (auto& r : records) {
    r.late = r.events * 7 / 10;
    r.lags.add_bucket(60, r.events);  // 2^15 µs
  }
  const auto check = check_of(CheckKind::client, open(1000), records);
  CHECK(check.state == CheckState::passed);
  CHECK(tells(check, "68 % of the events were read late"));
}

TEST_CASE("client: a first token that may have come earlier than allowed names the figure and its limit") {
  CHECK(check_of(CheckKind::client, open(1000), uncertain_answers({{0, 900}})).state == CheckState::passed);
  const auto check = check_of(CheckKind::client, open(1000), uncertain_answers({{0, 9'100}}));
  CHECK(check.state == CheckState::failed);
  CHECK(tells(check, "TTFT p50 50.0 ms may be up to 9.1 ms less; limit 1.0 ms"));
  CHECK_FALSE(summarize(open(1000), uncertain_answers({{0, 9'100}}), {}).validity.trustworthy);
}

TEST_CASE("client: one uncertain answer in a hundred moves no judged percentile") {
  auto records = uncertain_answers({});
  records[50].early_us->push_back({0, 40'000});
  CHECK(check_of(CheckKind::client, open(1000), records).state == CheckState::passed);
}

TEST_CASE("client: uncertain events in the middle of a stream are judged by its gaps") {
  std::vector<EarlyArrival> early;
  for (std::uint32_t event = 0; event < 31; event += 3) early.push_back({event, 400});
  const auto check = check_of(CheckKind::client, open(1000), uncertain_answers(early));
  CHECK(check.state == CheckState::failed);
  CHECK(tells(check, "ITL p95 10.0 ms may be up to 0.40 ms more; limit 0.20 ms"));
}

TEST_CASE("client: gaps of answers that came in one piece judge nothing") {
  auto records = uncertain_answers({{1, 400}, {4, 400}, {7, 400}});
  for (auto& r : records) {
    r.gaps_us.assign(r.gaps_us.size(), 100);
    r.flags.set(Flag::buffered_stream);
  }
  const auto point = summarize(open(1000), records, {});
  CHECK_FALSE(point.find("tpot"));
  REQUIRE(point.error_of("icl", "p95"));
  CHECK(point.validity.trustworthy);
}

TEST_CASE("client: the advice on a client that was late fits its reason") {
  const auto advice_of = [](const RunState& state, std::int64_t lag_us) {
    auto records = uncertain_answers({{0, 9'100}});
    records[7].lag_max_us = lag_us;
    return check_of(CheckKind::client, open(1000), records, state).advice;
  };
  const auto names = [](const std::string& advice, std::string_view words) {
    return advice.find(words) != std::string::npos;
  };
  RunState busy, idle, user;
  busy.client_cpu_share = 0.9;
  idle.client_cpu_share = user.client_cpu_share = 0.013;
  user.timestamp_source = TimestampSource::user;
  CHECK(names(advice_of(busy, 9'000), "--workers"));
  CHECK_FALSE(names(advice_of(idle, 9'000), "--workers"));
  CHECK(names(advice_of(idle, 9'000), "other processes"));
  CHECK(names(advice_of(idle, 480'000), "stood still for up to 480 ms"));
  CHECK(names(advice_of(user, 9'000), "kernel timestamps"));
}

TEST_CASE("client: requests that may or may not have met their SLO are judged by their share") {
  auto load = open(1000);
  load.classes = {
      {.slos = {{.text = "ttft<49ms", .metric = "ttft", .comparison = Comparison::below, .limit = 49}}}};
  auto records = uncertain_answers({});
  for (int i = 0; i < 3; ++i) records[static_cast<std::size_t>(i)].early_us->push_back({0, 2'000});
  const auto check = check_of(CheckKind::client, load, records);
  CHECK(check.state == CheckState::failed);
  CHECK(tells(check, "of 3.0 % of the requests it is not known whether they met their SLOs"));
  records[0].early_us->clear();
  CHECK(check_of(CheckKind::client, load, records).state == CheckState::passed);
}
