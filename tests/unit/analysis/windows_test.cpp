#include "analysis/figures/windows.hpp"

#include <algorithm>

#include "analysis/figures/in_flight.hpp"
#include "analysis/statistics/least_squares.hpp"
#include "answers.hpp"
#include "catch.hpp"
#include "infermeter/analysis/summarize.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

/// Two slots of 10 s answers: one starts at 0 s, the other at 4 s; the first of each is warm-up.
std::vector<RequestRecord> two_slots(int rounds) {
  std::vector<RequestRecord> out;
  for (int slot = 0; slot < 2; ++slot) {
    for (int round = 0; round < rounds; ++round) {
      const std::int64_t start = (slot * 4 + round * 10) * 1'000'000LL;
      out.push_back(stay(start, start + 10'000'000));
      if (round == 0) out.back().phase = Phase::warmup;
    }
  }
  return out;
}

}  // namespace

TEST_CASE("windows: a closed loop is steady from completion number C to the last start") {
  const auto records = two_slots(4);  // ends at 10, 14, 20, …; starts until 34
  const auto window = steady_window(closed(2), order_records(records));
  REQUIRE(window);
  CHECK(window->from_us == 14'000'000);
  CHECK(window->to_us == 34'000'000);
  CHECK(window->seconds() == 20);
}

TEST_CASE("windows: under three measured requests a slot there is no steady window") {
  const auto records = two_slots(3);
  CHECK_FALSE(steady_window(closed(2), order_records(records)));
}

TEST_CASE("windows: an open loop is steady over its measured phase") {
  std::vector<RequestRecord> records;
  for (int i = 0; i < 5; ++i) records.push_back(stay(i * 1'000'000, i * 1'000'000 + 9'000'000));
  records[0].phase = Phase::warmup;
  const auto window = steady_window(open(1), order_records(records));
  REQUIRE(window);
  CHECK(window->from_us == 1'000'000);
  CHECK(window->to_us == 4'000'000);
}

TEST_CASE("windows: the whole run lasts from the first measured start to the last end") {
  const auto records = two_slots(4);
  const auto window = whole_window(closed(2), order_records(records).measured);
  REQUIRE(window);
  CHECK(window->from_us == 10'000'000);
  CHECK(window->to_us == 44'000'000);
  CHECK_FALSE(whole_window(closed(2), {}));
}

TEST_CASE("windows: of a target that took turns only its own turns are counted") {
  std::vector<RequestRecord> records{stay(0, 1'000'000), stay(500'000, 1'500'000),
                                     stay(9'000'000, 10'000'000)};
  auto load = closed(2);
  load.in_blocks = true;
  load.blocks = {{0, 1'500'000}, {8'000'000, 10'000'000}};
  const auto point = summarize(load, records, {});
  CHECK(point.whole.window_s == Approx(3.5));
  CHECK(point.whole.request == Approx(3 / 3.5));
  CHECK(point.whole.concurrency == Approx(3 / 3.5));
  CHECK_FALSE(point.steady);
}

TEST_CASE("windows: a target that took turns is not held to Little's law over the others' turns") {
  std::vector<RequestRecord> records;
  for (int i = 0; i < 20; ++i) {
    const std::int64_t start = (i < 10 ? 0 : 50'000'000) + i * 1'000'000;
    records.push_back(stay(start, start + 1'000'000));
  }
  auto load = closed(1);
  load.in_blocks = true;
  for (const auto& check : summarize(load, records, {}).validity.checks) {
    INFO(name(check.kind));
    CHECK(check.kind != CheckKind::little);
    if (check.kind == CheckKind::steady)
      CHECK(check.evidence == "There is no steady window: the targets took turns.");
  }
}

TEST_CASE("windows: the opening edge is outside and the closing one inside") {
  const Window window{100, 200};
  CHECK_FALSE(window.contains(100));
  CHECK(window.contains(101));
  CHECK(window.contains(200));
  CHECK_FALSE(window.contains(201));
  CHECK_FALSE(window.contains(std::nullopt));
}

TEST_CASE("in flight: the mean is weighted by time and agrees with a counter") {
  const std::vector<RequestRecord> records{stay(0, 100), stay(50, 150), stay(140, 300), stay(400, 500)};
  const auto run = order_records(records);
  const Window window{60, 160};  // 40 + 90 + 20
  CHECK(overlap_us(run.all, window) == 150);
  CHECK(counter_integral_us(run.all, window) == 150);
  CHECK(mean_in_flight(run.all, window) == Approx(1.5));
}

TEST_CASE("in flight: a record that ends before it starts makes counter and overlap differ") {
  const std::vector<RequestRecord> records{stay(0, 100), stay(90, 80)};
  const auto run = order_records(records);
  CHECK(overlap_us(run.all, {0, 100}) != counter_integral_us(run.all, {0, 100}));
}

TEST_CASE("little: a balanced closed loop obeys it exactly") {
  const auto records = two_slots(4);
  const auto law = littles_law(closed(2), order_records(records).all, {14'000'000, 34'000'000});
  REQUIRE(law);
  CHECK(law->in_flight == Approx(2));
  CHECK(law->expected == Approx(2));  // starts at 20, 24, 30 and 34 s: 4 in 20 s, 10 s each
  CHECK(law->difference == Approx(0).margin(1e-12));
}

TEST_CASE("little: a load that only grows does not") {
  std::vector<RequestRecord> records;
  for (int i = 0; i < 100; ++i) records.push_back(stay(i * 10'000, 10'000'000));
  const auto law = littles_law(open(100), order_records(records).all, {0, 1'000'000});
  REQUIRE(law);
  CHECK(law->difference > 1);
  CHECK(law->tolerance == Approx(3 * 9.5 / (1 * std::sqrt(law->in_flight))).epsilon(0.01));
}

TEST_CASE("little: a ramp of a second is no matter in a run of minutes") {
  std::vector<RequestRecord> records;
  for (int i = 0; i < 30'000; ++i) records.push_back(stay(i * 10'000, i * 10'000 + 1'000'000));
  const auto law = littles_law(open(100), order_records(records).all, {0, 300'000'000});
  REQUIRE(law);
  CHECK(law->difference == Approx(0.5 / 300).epsilon(0.05));  // half of the 100 in flight for a second
  CHECK(law->tolerance == 0.01);                              // the edges alone would explain 0.1 %
}

TEST_CASE("little: an empty window has no law and no NaN") {
  CHECK_FALSE(littles_law(open(1), {}, {0, 1000}));
}

TEST_CASE("trend: a line that rises is significant and noise is not") {
  CHECK(trend({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}).rise == Approx(9));
  CHECK(trend({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}).significant);
  CHECK_FALSE(trend({10, 9, 8, 7, 6, 5, 4, 3, 2, 1}).significant);
  CHECK_FALSE(trend({5, 6, 5, 4, 5, 6, 5, 4, 5, 6}).significant);
  CHECK_FALSE(trend({5, 5, 5, 5, 5, 5, 5, 5, 5, 5}).significant);
}

namespace {

/// One request every 100 ms: a ramp of 1 s, 2 s held, a ramp, 4 s held, a ramp.
std::vector<RequestRecord> staged() {
  std::vector<RequestRecord> out;
  for (int i = 0; i < 90; ++i) {
    out.push_back(stay(i * 100'000, i * 100'000 + 50'000));
    const bool held = (i >= 10 && i < 30) || (i >= 40 && i < 80);
    out.back().phase = held ? Phase::measured : Phase::ramp;
  }
  return out;
}

}  // namespace

TEST_CASE("windows: with stages it is the longest stretch between the ramps") {
  for (const auto& load : {open(10), closed(1)}) {
    const auto window = steady_window(load, order_records(staged()));
    REQUIRE(window);
    CHECK(window->from_us == 4'000'000);
    CHECK(window->to_us == 7'900'000);
  }
}

TEST_CASE("windows: ramps are counted apart from the warm-up") {
  const auto point = summarize(open(10), staged(), {});
  CHECK(point.ramp_requests == 30);
  CHECK(point.warmup_requests == 0);
  CHECK(point.requests == 60);
}

TEST_CASE("records: the latencies of a point are the load's, those of its probe stand apart") {
  auto load = closed(2);
  load.classes.resize(2);
  load.classes[1].probe = load.classes[1].own_loop = true;
  std::vector<RequestRecord> records{stay(0, 1'000'000), stay(0, 100'000), stay(200'000, 300'000)};
  records[1].traffic_class = records[2].traffic_class = 1;
  const auto point = summarize(load, records, {});
  REQUIRE(point.find("e2e"));
  CHECK(point.find("e2e")->count == 1);
  CHECK(point.ok == 3);
}

TEST_CASE("windows: probes and classes with a loop of their own do not shape the load's window") {
  auto load = open(10);
  load.classes.resize(3);
  load.classes[1].probe = load.classes[1].own_loop = true;
  load.classes[2].own_loop = true;
  std::vector<RequestRecord> records{stay(1'000'000, 1'500'000), stay(3'000'000, 3'500'000), stay(0, 100'000),
                                     stay(9'000'000, 9'100'000)};
  records[2].traffic_class = 1;
  records[3].traffic_class = 2;
  const auto run = order_records(records, load.classes);
  CHECK(run.measured.size() == 4);
  CHECK(steady_window(load, run)->from_us == 1'000'000);
  CHECK(steady_window(load, run)->to_us == 3'000'000);
  load.classes[0].own_loop = true;  // then all classes together are the load; the probe stays separate
  const auto own = order_records(records, load.classes);
  CHECK(steady_window(load, own)->to_us == 9'000'000);
  CHECK(steady_window(load, own)->from_us == 1'000'000);
}

TEST_CASE("windows: classes with loops of their own are the load where there is no other") {
  auto load = open(10);
  load.classes.resize(3);
  load.classes[2].probe = load.classes[2].own_loop = true;
  for (const bool own : {true, false}) {  // as they are, and as such runs are described
    load.classes[0].own_loop = load.classes[1].own_loop = own;
    std::vector<RequestRecord> records;
    for (std::uint32_t i = 0; i < 30; ++i) {
      records.push_back(stay(i * 100'000, i * 100'000 + 50'000));
      records.back().traffic_class = i % 3;
    }
    const auto run = order_records(records, load.classes);
    CHECK(run.load.size() == 20);
    CHECK(run.load_measured.size() == 20);
  }
}

TEST_CASE("windows: an open loop is not steady while one of its classes warms up") {
  auto load = open(10);
  load.classes.resize(2);
  std::vector<RequestRecord> records;
  for (std::uint32_t i = 0; i < 100; ++i) {
    records.push_back(stay(i * 100'000, i * 100'000 + 50'000));
    records.back().traffic_class = i % 2;
    if (i < (i % 2 == 0 ? 10U : 40U)) records.back().phase = Phase::warmup;
  }
  const auto window = steady_window(load, order_records(records, load.classes));
  REQUIRE(window);
  CHECK(window->from_us == 3'900'000);  // the last warm-up request; the edge is outside
  CHECK(window->to_us == 9'900'000);
}

namespace {

/// Slots that each hold a conversation of `turns` answers of a second, two conversations a slot; the first
/// one is warm-up. The slots begin half a second apart.
std::vector<RequestRecord> conversations(int slots, int turns) {
  std::vector<RequestRecord> out;
  for (int slot = 0; slot < slots; ++slot) {
    for (int i = 0; i < 2 * turns; ++i) {
      const std::int64_t start = slot * 500'000LL + i * 1'000'000LL;
      out.push_back(stay(start, start + 1'000'000));
      out.back().turn = static_cast<std::uint32_t>(i % turns);
      if (i < turns) out.back().phase = Phase::warmup;
    }
  }
  return out;
}

}  // namespace

TEST_CASE("windows: the steady window of conversations does not begin in their warm-up") {
  const auto records = conversations(2, 8);
  const auto run = order_records(records);
  const auto steady = steady_window(closed(2), run), whole = whole_window(closed(2), run.measured);
  REQUIRE(steady);
  CHECK(steady->from_us == 8'000'000);  // the first measured start; the second completion was at 1.5 s
  CHECK(steady->seconds() <= whole->seconds());
  const auto point = summarize(closed(2), records, {});
  REQUIRE(point.steady);
  CHECK(point.steady->window_s <= point.whole.window_s);
}

TEST_CASE("windows: a warm-up by time is not in the steady window") {
  auto records = two_slots(9);
  for (auto& r : records) r.phase = *r.intended_us < 30'000'000 ? Phase::warmup : Phase::measured;
  const auto window = steady_window(closed(2), order_records(records));
  REQUIRE(window);
  CHECK(window->from_us == 30'000'000);
}

namespace {

/// Sixteen seats, as of a server with max-seqs=16: each answer takes 1 s and 64 tokens once it has a seat. A
/// closed loop of `slots`, the first round warm-up.
std::vector<RequestRecord> seated(int slots, int requests) {
  std::vector<RequestRecord> out;
  std::vector<std::int64_t> seats(16), free_at(static_cast<std::size_t>(slots), 0);
  for (int i = 0; i < slots + requests; ++i) {
    auto& slot = *std::ranges::min_element(free_at);
    auto& seat = *std::ranges::min_element(seats);
    const std::int64_t start = slot, begin = std::max(start, seat) + 15'625;
    out.push_back(answer(start, begin - start, std::vector<std::uint32_t>(63, 15'625)));
    if (i < slots) out.back().phase = Phase::warmup;
    slot = seat = *out.back().end_us;
    slot += i % 16;  // not all at one instant
    out.back().id = static_cast<std::uint64_t>(i);
  }
  return out;
}

}  // namespace

TEST_CASE("throughput: a sweep beyond the server's seats shows no fall, as the warm-up's tokens count") {
  for (const int slots : {16, 32, 48}) {
    INFO(slots);
    const auto point = summarize(closed(static_cast<std::uint32_t>(slots)), seated(slots, 80), {});
    CHECK(point.rates().output == Approx(16 * 64).epsilon(0.05));
    CHECK(point.has_steady_rate() == (slots == 16));
  }
}

TEST_CASE("throughput: what the warm-up still receives counts in the rate of the whole run") {
  auto first = warmup(answer(0, 1'000'000, std::vector<std::uint32_t>(9, 1'000'000)));  // until 10 s
  auto second = answer(5'000'000, 500'000, std::vector<std::uint32_t>(9, 500'000));     // until 10 s
  const auto point = summarize(closed(2), std::vector{first, second}, {});
  CHECK(point.whole.window_s == 5);
  CHECK(point.whole.output == Approx((5 + 10) / 5.0));
  CHECK(point.whole.request == Approx(1 / 5.0));  // the other one did not start in it
}

TEST_CASE("windows: what arrives between a target's turns is not in its rate") {
  auto load = closed(2);
  load.in_blocks = true;
  load.blocks = {{0, 1'000'000}, {9'000'000, 10'000'000}};
  const auto early = warmup(stay(8'000'000, 8'500'000));  // the second turn's warm-up
  const auto point = summarize(load, std::vector{stay(0, 1'000'000), early, stay(9'000'000, 10'000'000)}, {});
  CHECK(point.whole.request == Approx(2 / 2.0));
  CHECK(point.whole.concurrency == Approx(1));
}

TEST_CASE("little: answers of equal length in step do not break it in a closed loop") {
  // Eight slots in waves of 1 s: the window opens within one wave and closes within another.
  std::vector<RequestRecord> records;
  for (int wave = 0; wave < 6; ++wave) {
    for (int slot = 0; slot < 8; ++slot) {
      records.push_back(stay(wave * 1'000'000LL + slot * 1'000LL, (wave + 1) * 1'000'000LL + slot * 1'000LL));
      if (wave == 0) records.back().phase = Phase::warmup;
    }
  }
  const auto run = order_records(records);
  const auto window = steady_window(closed(8), run);
  REQUIRE(window);
  const auto law = littles_law(closed(8), run.load, *window);
  REQUIRE(law);
  CHECK(law->difference <= law->tolerance);
  for (const auto from : {1'000'000, 1'003'500, 1'007'000}) {  // at the worst instants too
    const auto cut = littles_law(closed(8), run.load, {from, 4'003'500});
    CHECK(cut->difference <= cut->tolerance);
  }
}
