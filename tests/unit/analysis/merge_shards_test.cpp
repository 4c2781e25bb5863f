#include "analysis/runs/merge_shards.hpp"

#include <algorithm>

#include "answers.hpp"
#include "catch.hpp"
#include "infermeter/analysis/summarize.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

/// 400 answers, one every 5 ms, each with a different TTFT.
std::vector<RequestRecord> all_records() {
  std::vector<RequestRecord> out;
  for (int i = 0; i < 400; ++i) {
    auto r = answer(i * 5'000, 40'000 + 100 * (i * 37 % 101), std::vector<std::uint32_t>(9, 10'000));
    r.id = static_cast<std::uint64_t>(i);
    out.push_back(std::move(r));
  }
  return out;
}

LoadPoint whole_load() {
  LoadPoint load = open(200);
  load.arrival = Arrival::poisson;
  load.scheduled_requests = 400;
  load.schedule_hash = "00000000000000aa";
  return load;
}

/// Shard `rank` of 4, whose own clock began `late` after that of the others.
ShardRun shard(std::uint32_t rank, std::int64_t late_us = 0) {
  ShardRun out{.name = "out-" + std::to_string(rank), .run = {}, .records = {}};
  out.run.tool_version = "1";
  out.run.run_id = std::to_string(rank);
  out.run.plan_hash = "00000000000000bb";
  out.run.workload_hash = "00000000000000cc";
  out.run.complete = true;
  out.run.shard = {rank, 4};
  out.run.environment.hostname_hash = "host";
  out.run.start_monotonic_ns = 50 * kSecond + 1000 * static_cast<std::uint64_t>(late_us);
  out.run.start_unix_ns = 1'900'000'000 * kSecond + 1000 * static_cast<std::uint64_t>(late_us);
  out.run.targets.push_back({.url = "http://h/v1/chat/completions"});
  out.run.targets.back().model = "m";
  for (auto& record : all_records()) {
    if (record.id % 4 != rank) continue;
    shift_instants(record, -late_us);
    out.records.push_back(std::move(record));
  }
  LoadPoint load = whole_load();
  load.shard = {rank, 4};
  load.shard_scheduled = 100;
  out.run.points.push_back(summarize(load, out.records, {}));
  return out;
}

std::vector<ShardRun> shards(std::vector<std::uint32_t> ranks) {
  std::vector<ShardRun> out;
  for (const auto rank : ranks) out.push_back(shard(rank));
  return out;
}

std::string refusal(std::vector<ShardRun> given, bool allow_missing = false) {
  try {
    merge_shards(std::move(given), allow_missing);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

/// Every summary of a point's records.
bool same_figures(const PointResult& a, const PointResult& b) {
  if (a.metrics.size() != b.metrics.size()) return false;
  for (std::size_t m = 0; m < a.metrics.size(); ++m) {
    const Metric &mine = a.metrics[m], &other = b.metrics[m];
    if (mine.name != other.name || mine.count != other.count || mine.mean != other.mean ||
        mine.percentiles.size() != other.percentiles.size())
      return false;
    for (std::size_t p = 0; p < mine.percentiles.size(); ++p) {
      if (mine.percentiles[p].value != other.percentiles[p].value ||
          mine.percentiles[p].low != other.percentiles[p].low)
        return false;
    }
  }
  return a.ok == b.ok && a.requests == b.requests && a.whole.output == b.whole.output &&
         a.achieved_ratio == b.achieved_ratio;
}

}  // namespace

TEST_CASE("merge: four shards in any order have the figures of the run unsplit") {
  const PointResult unsplit = summarize(whole_load(), all_records(), {});
  const MergedRun merged = merge_shards(shards({2, 0, 3, 1}), false);
  REQUIRE(merged.run.points.size() == 1);
  const PointResult& point = merged.run.points.front();
  CHECK(same_figures(point, unsplit));
  CHECK(point.requests == 400);
  CHECK(point.load.scheduled_requests == 400);
  CHECK(point.load.schedule_hash == "00000000000000aa");
  CHECK(point.load.shard.whole());
  CHECK_FALSE(point.validity.partial);
  CHECK(merged.run.shard.whole());
  CHECK(merged.run.workload_hash == "00000000000000cc");
}

TEST_CASE("merge: percentiles are those of the joined samples, no average of the shards'") {
  auto given = shards({0, 1, 2, 3});
  for (auto& record : given[3].records) {
    for (Micros* at :
         {&record.first_token_us, &record.first_output_us, &record.last_token_us, &record.end_us})
      **at += 900'000;
  }
  const MergedRun merged = merge_shards(std::move(given), false);
  const Metric* ttft = merged.run.points.front().find("ttft");
  REQUIRE(ttft != nullptr);
  CHECK(ttft->find(50)->value < 51);
  CHECK(ttft->find(90)->value > 940);
}

TEST_CASE("merge: records of a shard that began later are moved onto the earliest one's timeline") {
  auto given = shards({0, 1, 2});
  given.push_back(shard(3, 2'000));
  const MergedRun merged = merge_shards(std::move(given), false);
  REQUIRE(merged.records.size() == 400);
  CHECK(merged.records[3].id == 3);
  CHECK(merged.records[3].intended_us == 15'000);
  CHECK(merged.records[3].end_us == *all_records()[3].end_us);
  CHECK(merged.run.start_monotonic_ns == 50 * kSecond);
  CHECK(same_figures(merged.run.points.front(), summarize(whole_load(), all_records(), {})));
}

TEST_CASE("merge: shards of several machines are joined by UTC, and the result says so") {
  auto given = shards({0, 1, 2, 3});
  given[2].run.environment.hostname_hash = "other";
  given[2].run.start_monotonic_ns = 7;
  given[2].run.environment.cpu = "another CPU";
  const MergedRun merged = merge_shards(std::move(given), false);
  CHECK(merged.records[2].intended_us == 10'000);
  const auto& notes = merged.run.targets.front().notes;
  REQUIRE(notes.size() == 3);
  CHECK(notes[0] == "merged from 4 of 4 shards");
  CHECK(notes[1].find("clocks") != std::string::npos);
  CHECK(notes[2] == "shard 2 ran elsewhere: CPU another CPU");
}

TEST_CASE("merge: machines of one name are told apart by when they were started") {
  auto given = shards({0, 1, 2, 3});
  given[2].run.start_monotonic_ns += 7 * kSecond;
  const MergedRun merged = merge_shards(std::move(given), false);
  CHECK(merged.records[2].intended_us == 10'000);
}

TEST_CASE("merge: what is of another run is refused and named") {
  const auto with = [](auto change) {
    auto given = shards({0, 1, 2, 3});
    change(given[1]);
    return refusal(std::move(given));
  };
  const std::string start = "out-0 and out-1 are not shards of one run: ";
  CHECK(with([](ShardRun& s) { s.run.plan_hash = "cc"; }) ==
        start + "what was asked for (plan hash) differs (00000000000000bb and cc)");
  CHECK(with([](ShardRun& s) { s.run.tool_version = "2"; }) ==
        start + "the version of infermeter differs (1 and 2)");
  CHECK(with([](ShardRun& s) { s.run.shard.of = 8; }) == start + "the number of shards differs (4 and 8)");
  CHECK(with([](ShardRun& s) { s.run.targets[0].model = "n"; }) == start + "the model differs (m and n)");
  CHECK(with([](ShardRun& s) { s.run.points[0].load.schedule_hash = "dd"; }) ==
        start + "the schedule differs (00000000000000aa and dd)");
  CHECK(with([](ShardRun& s) { s.run.points[0].load.rate = 100; }) ==
        start + "the load differs (200 requests/s, Poisson and 100 requests/s, Poisson)");
  const auto a_minute_later = [](ShardRun& s) {
    s.run.start_monotonic_ns += 60 * kSecond;
    s.run.start_unix_ns += 60 * kSecond;
  };
  CHECK(with(a_minute_later).find("the second began 58 s after the first had ended") != std::string::npos);
  CHECK(with([](ShardRun& s) { s.run.shard = {}; }) == "out-1 is no shard of a run (--shard R/N)");
  CHECK(with([](ShardRun& s) { s.run.shard.rank = 3; }) == "out-1 and out-3 are the same shard: 3 of 4");
}

TEST_CASE("merge: a missing shard is named, and without it the result is partial") {
  CHECK(refusal(shards({0, 2})) == "of 4 shards 1, 3 are missing");
  CHECK(refusal(shards({0, 1, 3})) == "of 4 shards 2 is missing");
  const MergedRun merged = merge_shards(shards({0, 1, 3}), true);
  CHECK(merged.run.points.front().requests == 300);
  CHECK(merged.run.points.front().validity.partial);
  CHECK(merged.run.targets.front().notes.front() == "merged from 3 of 4 shards, without 2");
}

TEST_CASE("merge: a shard that was killed is merged and makes the whole partial") {
  auto given = shards({0, 1, 2, 3});
  given[1].run.complete = false;
  given[1].records.resize(40);
  given[1].run.points.front() =
      summarize(given[1].run.points.front().load, given[1].records, {.partial = true});
  const MergedRun merged = merge_shards(std::move(given), false);
  CHECK(merged.run.points.front().requests == 340);
  CHECK(merged.run.points.front().validity.partial);
}

TEST_CASE("merge: one request in two shards is refused") {
  auto given = shards({0, 1, 2, 3});
  given[1].records.front().id = 0;
  CHECK(refusal(std::move(given)) == "request 0 stands in two shards: they are not of one run");
}

TEST_CASE("summarize: a shard of a closed loop is judged by its own slots") {
  LoadPoint load = closed(8);
  load.shard = {1, 4};
  const PointResult point = summarize(load, closed_loop(2, 5), {});
  CHECK(point.steady);
  CHECK(point.load.concurrency == 8);
  CHECK_FALSE(summarize(closed(8), closed_loop(2, 5), {}).steady);
}

TEST_CASE("summarize: a shard of an open loop has achieved all when it sent its own part") {
  std::vector<RequestRecord> own;
  for (auto& record : all_records()) {
    if (record.id % 4 == 1) own.push_back(std::move(record));
  }
  LoadPoint load = whole_load();
  load.shard = {1, 4};
  load.shard_scheduled = 100;
  const PointResult point = summarize(load, own, {});
  CHECK(point.achieved_ratio == 1.0);
  CHECK(point.validity.trustworthy);
}
