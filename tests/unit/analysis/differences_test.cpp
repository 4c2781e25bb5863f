#include "analysis/compare/differences.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "analysis/conclude.hpp"
#include "analysis/runs/run_blocks.hpp"
#include "answers.hpp"
#include "base/random.hpp"
#include "catch.hpp"
#include "infermeter/analysis/summarize.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

/// `n` requests of one target, `every` µs apart from `from` on: TTFT around `ttft`, nine gaps of around
/// `gap`, each spread by 10 %, so that the targets also differ by chance.
std::vector<RequestRecord> requests(std::uint32_t target, int n, double ttft, double gap,
                                    std::int64_t from = 0, std::int64_t every = 100'000,
                                    std::uint64_t seed = 0) {
  Random random(2 * seed + target + 1);
  const auto noisy = [&](double value) { return value * std::exp(0.1 * random.normal()); };
  std::vector<RequestRecord> out;
  for (int i = 0; i < n; ++i) {
    std::vector<std::uint32_t> gaps(9);
    for (auto& g : gaps) g = static_cast<std::uint32_t>(noisy(gap));
    out.push_back(answer(from + i * every, static_cast<std::int64_t>(noisy(ttft)), std::move(gaps)));
    out.back().target = target;
  }
  return out;
}

std::vector<RequestRecord> joined(std::vector<RequestRecord> a, const std::vector<RequestRecord>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

RunResult concluded(const std::vector<RequestRecord>& records, TargetOrder order = TargetOrder::at_once) {
  RunResult run;
  run.target_order = order;
  for (std::uint32_t target = 0; target < 2; ++target) {
    std::vector<RequestRecord> own;
    std::ranges::copy_if(records, std::back_inserter(own), [&](const auto& r) { return r.target == target; });
    run.targets.push_back({.name = target == 0 ? "a" : "b"});
    run.points.push_back(summarize(open(10), own, {}));
    run.points.back().target = target;
  }
  conclude(run, records);
  return run;
}

std::optional<Difference> find(const RunResult& run, std::string_view metric, std::string_view statistic) {
  const auto it = std::ranges::find_if(
      run.differences, [&](const auto& d) { return d.metric == metric && d.statistic == statistic; });
  return it == run.differences.end() ? std::nullopt : std::optional(*it);
}

}  // namespace

TEST_CASE("differences: a target that is 20 % slower is said to be, with an interval") {
  const auto run = concluded(joined(requests(0, 300, 50'000, 10'000), requests(1, 300, 60'000, 12'000)));
  for (const auto* metric : {"ttft", "itl", "tpot", "e2e"}) {
    INFO(metric);
    const auto p50 = find(run, metric, "p50");
    REQUIRE(p50);
    CHECK(p50->target == 1);
    CHECK(p50->blocks == 12);
    CHECK(*p50->change == Approx(0.2).margin(0.05));
    CHECK(*p50->low > 0.1);
    CHECK(*p50->high < 0.3);
    CHECK_FALSE(p50->within_noise);
  }
  CHECK(*find(run, "tps", "p50")->change == Approx(-1 / 6.0).margin(0.03));
}

TEST_CASE("differences: two equal targets differ within noise") {
  const auto run = concluded(joined(requests(0, 300, 50'000, 10'000), requests(1, 300, 50'000, 10'000)));
  for (const auto* metric : {"ttft", "tpot", "e2e"}) {
    INFO(metric);
    CHECK(find(run, metric, "p50")->within_noise);
  }
  CHECK(std::abs(*find(run, "output_throughput", "")->change) < 0.02);
}

TEST_CASE("differences: of forty runs of two equal targets hardly one shows a false difference") {
  std::size_t judged = 0, differing = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto run = concluded(joined(requests(0, 150, 50'000, 10'000, 0, 100'000, seed),
                                      requests(1, 150, 50'000, 10'000, 0, 100'000, seed)));
    for (const auto& d : run.differences) {
      ++judged;
      if (!d.within_noise) ++differing;
    }
  }
  CHECK(judged == 40 * 17);
  CHECK(differing <= judged / 100);
}

TEST_CASE("differences: a change that nobody would act upon is none, however certain") {
  auto a = requests(0, 300, 50'000, 10'000), b = a;
  for (auto& r : b) {
    r.target = 1;
    r.first_token_us = *r.sent_us + (*r.first_token_us - *r.sent_us) * 1008 / 1000;
  }
  const auto small = find(concluded(joined(a, b)), "ttft", "p50");
  CHECK(*small->low > 0.007);
  CHECK(small->within_noise);
  for (auto& r : b) r.first_token_us = *r.sent_us + (*r.first_token_us - *r.sent_us) * 1012 / 1000;
  CHECK_FALSE(find(concluded(joined(a, b)), "ttft", "p50")->within_noise);
  CHECK(find(concluded(joined(a, b)), "ttft", "p95")->within_noise);
}

TEST_CASE("differences: a drift that both share does not hide what they differ by") {
  auto records = joined(requests(0, 300, 50'000, 10'000), requests(1, 300, 55'000, 10'000));
  for (auto& r : records) {  // a drift makes both three times as slow by the end
    const auto later = (*r.first_token_us - *r.sent_us) * 2 * *r.intended_us / 30'000'000;
    *r.first_token_us += later;
  }
  const auto ttft = find(concluded(records), "ttft", "p50");
  CHECK(*ttft->change == Approx(0.1).margin(0.05));
  CHECK_FALSE(ttft->within_noise);
}

TEST_CASE("differences: under six blocks no change is told") {
  const auto run = concluded(joined(requests(0, 40, 50'000, 10'000), requests(1, 40, 60'000, 10'000)));
  const auto ttft = find(run, "ttft", "p50");
  REQUIRE(ttft);
  CHECK(ttft->blocks == 5);
  CHECK_FALSE(ttft->change);
  CHECK_FALSE(ttft->low);
  CHECK_FALSE(ttft->within_noise);
}

TEST_CASE("differences: targets that took turns are compared in their order") {
  std::vector<RequestRecord> records;
  // ABBA in blocks of 10 s, six of each: the server slows down all the time.
  const std::vector<std::uint32_t> order{0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double slower = 1 + 0.05 * static_cast<double>(i);
    records = joined(std::move(records), requests(order[i], 40, 50'000 * slower, 10'000,
                                                  static_cast<std::int64_t>(i) * 10'000'000));
  }
  const auto ttft = find(concluded(records, TargetOrder::alternate), "ttft", "p50");
  REQUIRE(ttft);
  CHECK(ttft->blocks == 12);
  CHECK(ttft->within_noise);
  // Ten requests of ten tokens per second during a target's turn, although it rests half of the time.
  const auto output = find(concluded(records, TargetOrder::alternate), "output_throughput", "");
  CHECK(std::abs(*output->change) < 0.05);
}

TEST_CASE("differences: a figure that one target lacks is left out") {
  auto records = joined(requests(0, 100, 50'000, 10'000), requests(1, 100, 50'000, 10'000));
  for (auto& r : records) {
    if (r.target == 1) r.first_output_us = std::nullopt;
  }
  CHECK_FALSE(find(concluded(records), "ttfo", "p50"));
  CHECK(find(concluded(records), "ttft", "p50"));
}

TEST_CASE("differences: error rates stand beside each other without a judgement") {
  auto records = joined(requests(0, 100, 50'000, 10'000), requests(1, 100, 50'000, 10'000));
  records[3].outcome = records[150].outcome = records[160].outcome = Outcome::truncated;
  const auto errors = find(concluded(records), "error_rate", "");
  REQUIRE(errors);
  CHECK(errors->absolute);
  CHECK(*errors->change == Approx(0.01));
  CHECK(errors->blocks == 0);
}

TEST_CASE("differences: errors of one target alone are told in points") {
  auto records = joined(requests(0, 100, 50'000, 10'000), requests(1, 100, 50'000, 10'000));
  CHECK_FALSE(find(concluded(records), "error_rate", ""));
  for (std::size_t i = 0; i < 5; ++i) records[i].outcome = Outcome::truncated;
  CHECK(*find(concluded(records), "error_rate", "")->change == Approx(-0.05));
}

TEST_CASE("differences: one target has none") {
  RunResult run;
  const auto records = requests(0, 100, 50'000, 10'000);
  run.points.push_back(summarize(open(10), records, {}));
  conclude(run, records);
  CHECK(run.differences.empty());
}

TEST_CASE("blocks: they are equal parts of the time in which both were measured") {
  const auto a = requests(0, 200, 50'000, 10'000), b = requests(1, 100, 50'000, 10'000, 5'000'000);
  const auto blocks = blocks_of_time(pointers(a), pointers(b));  // 5.0 to 14.9 s
  REQUIRE(blocks.size() == 12);
  CHECK(blocks.front().first.window.from_us == 4'999'999);
  CHECK(blocks.back().second.window.to_us == 14'900'000);
  std::size_t of_a = 0, of_b = 0;
  for (const auto& [x, y] : blocks) {
    of_a += x.measured.size();
    of_b += y.measured.size();
  }
  CHECK(of_a == 100);
  CHECK(of_b == 100);
}

TEST_CASE("blocks: a target that had no time in common has none") {
  const auto a = requests(0, 100, 50'000, 10'000), b = requests(1, 100, 50'000, 10'000, 60'000'000);
  CHECK(blocks_of_time(pointers(a), pointers(b)).empty());
  CHECK(blocks_in_order(pointers(a), pointers(b)).size() == 12);
}

TEST_CASE("blocks: while the other target has its turn a target's time does not run") {
  auto a = requests(0, 100, 50'000, 10'000);  // 0 to 10 s, then 21 to 31 s
  const auto later = requests(0, 100, 50'000, 10'000, 21'000'000);
  a.insert(a.end(), later.begin(), later.end());
  const auto b = requests(1, 100, 300'000, 10'000, 10'200'000);  // always in flight until 20.5 s
  const auto turns = whole_blocks(pointers(a), pointers(b), true);
  CHECK(turns.first.window.own_share == Approx(1 - 10.3 / 31.1).margin(0.005));
  CHECK(turns.second.window.own_share == 1);
  CHECK(whole_blocks(pointers(a), pointers(b), false).first.window.own_share == 1);
}

namespace {

/// As many targets as there are lists, each with its own list.
RunResult ranked(std::vector<std::vector<RequestRecord>> targets, const std::string& sort,
                 std::uint32_t against = 0) {
  RunResult run;
  run.target_order = TargetOrder::at_once;
  run.sort = sort;
  run.against = against;
  std::vector<RequestRecord> all;
  for (std::uint32_t target = 0; target < targets.size(); ++target) {
    for (auto& record : targets[target]) record.target = target;
    run.targets.push_back({.name = std::string(1, static_cast<char>('a' + target))});
    run.points.push_back(summarize(open(10), targets[target], {}));
    run.points.back().target = target;
    all.insert(all.end(), targets[target].begin(), targets[target].end());
  }
  conclude(run, all);
  return run;
}

std::vector<std::pair<std::uint32_t, bool>> places_of(const RunResult& run) {
  std::vector<std::pair<std::uint32_t, bool>> out;
  for (const auto& one : run.ranking) out.emplace_back(one.target, one.tied);
  return out;
}

using Places = std::vector<std::pair<std::uint32_t, bool>>;

}  // namespace

TEST_CASE("ranking: better targets come first, and one that cannot be distinguished is tied") {
  const auto slow = requests(0, 300, 80'000, 10'000), fast = requests(1, 300, 40'000, 12'000),
             like_slow = requests(2, 300, 80'000, 11'000);
  const auto by_ttft = places_of(ranked({slow, fast, like_slow}, "ttft.p50"));
  REQUIRE(by_ttft.size() == 3);
  CHECK(by_ttft[0] == std::pair(1u, false));
  CHECK_FALSE(by_ttft[1].second);
  CHECK(by_ttft[2].second);
  // More is better: the target with the shortest gaps streams fastest.
  CHECK(places_of(ranked({slow, fast, like_slow}, "tps.p50")) == Places{{0, false}, {2, false}, {1, false}});
}

TEST_CASE("ranking: figures without blocks are told apart by their intervals") {
  auto good = requests(0, 300, 50'000, 10'000), bad = good, as_bad = good;
  for (std::size_t i = 0; i < 90; ++i) bad[3 * i].outcome = as_bad[3 * i + 1].outcome = Outcome::truncated;
  CHECK(places_of(ranked({bad, good, as_bad}, "error_rate")) == Places{{1, false}, {0, false}, {2, true}});
}

TEST_CASE("ranking: a target without the figure is last, and there is none if no target has it") {
  auto priceless = requests(0, 60, 50'000, 10'000), priced = priceless;
  for (auto& r : priced) r.cost = 0.5;
  CHECK(places_of(ranked({priceless, priced}, "cost_per_1k")) == Places{{1, false}, {0, false}});
  CHECK(ranked({priceless, priceless}, "cost_per_1k").ranking.empty());
  CHECK(ranked({priceless, priced}, "").ranking.empty());
}

TEST_CASE("differences: against another target than the first all others are compared with it") {
  const auto run = ranked(
      {requests(0, 300, 50'000, 10'000), requests(1, 300, 60'000, 10'000), requests(2, 300, 72'000, 10'000)},
      "", 1);
  std::map<std::uint32_t, double> changes;
  for (const auto& d : run.differences) {
    CHECK(d.target != 1);
    if (d.metric == "ttft" && d.statistic == "p50") changes[d.target] = *d.change;
  }
  CHECK(changes[0] == Approx(-1 / 6.0).margin(0.03));
  CHECK(changes[2] == Approx(0.2).margin(0.04));
}

TEST_CASE("differences: too few blocks say how long a run they need") {
  const auto short_run = [](LoadPoint load) {
    RunResult run;
    run.target_order = TargetOrder::at_once;
    std::vector<RequestRecord> all;
    for (std::uint32_t target = 0; target < 2; ++target) {
      auto own = requests(target, 30, 50'000, 10'000);
      run.targets.push_back({.name = target == 0 ? "a" : "b"});
      run.points.push_back(summarize(load, own, {}));
      run.points.back().target = target;
      all.insert(all.end(), own.begin(), own.end());
    }
    conclude(run, all);
    return *find(run, "ttft", "p50");
  };
  LoadPoint by_requests = open(10), by_time = open(10);
  by_requests.requests = 30;
  by_time.requests = std::nullopt;
  by_time.duration_s = 3;
  CHECK_FALSE(short_run(by_requests).change);
  CHECK(short_run(by_requests).needed == "about 60 requests a target");
  CHECK(short_run(by_time).needed == "about 6 s");
}

TEST_CASE("differences: a run as long as too few blocks ask for has its intervals") {
  const auto run = ranked({requests(0, 60, 50'000, 10'000), requests(1, 60, 60'000, 10'000)}, "");
  CHECK(find(run, "ttft", "p50")->low.has_value());
}
