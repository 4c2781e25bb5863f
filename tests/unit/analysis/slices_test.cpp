#include "analysis/slices.hpp"

#include <algorithm>

#include "answers.hpp"
#include "catch.hpp"
#include "infermeter/analysis/summarize.hpp"
#include "infermeter/analysis/thresholds.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

std::vector<std::string> slice_names(const PointResult& point) {
  std::vector<std::string> out;
  for (const auto& slice : point.slices) out.push_back(std::string(name(slice.by)) + " " + slice.name);
  return out;
}

const Slice& slice(const PointResult& point, std::string_view name) {
  return *std::ranges::find(point.slices, name, &Slice::name);
}

LoadPoint two_classes() {
  auto load = open(10);
  load.classes.resize(2);
  load.classes[0].name = "chat";
  load.classes[1].name = "search";
  return load;
}

}  // namespace

TEST_CASE("slices: one plain load has none") {
  CHECK(summarize(closed(4), closed_loop(4, 5), {}).slices.empty());
}

TEST_CASE("slices: each class has its own metrics, outcomes and tokens") {
  std::vector<RequestRecord> records;
  for (int i = 0; i < 20; ++i) {
    records.push_back(answer(i * 100'000, i % 2 == 0 ? 50'000 : 80'000, {10'000}));
    records.back().traffic_class = i % 2 == 0 ? 0 : 1;
    records.back().prompt_tokens = 100;
    records.back().cached_tokens = i % 2 == 0 ? 0 : 64;
  }
  records[3].outcome = Outcome::truncated;
  const auto point = summarize(two_classes(), records, {});
  CHECK(slice_names(point) == std::vector<std::string>{"class chat", "class search"});
  CHECK(slice(point, "chat").find("ttft")->find(50)->value == 50);
  const auto& search = slice(point, "search");
  CHECK(search.find("ttft")->find(50)->value == 80);
  CHECK(search.requests == 10);
  CHECK(search.ok == 9);
  CHECK(search.outcomes.at(1).outcome == Outcome::truncated);
  CHECK(search.prompt_tokens == 900);
  CHECK(search.cached_tokens == 576);
  CHECK(search.output_tokens == 18);
  CHECK(search.request_throughput == Approx(8 / point.steady->window_s));  // the last one ends after it
  CHECK(slice(point, "chat").output_throughput + search.output_throughput == Approx(point.steady->output));
}

TEST_CASE("slices: a class without a request stands there with nothing") {
  const auto point = summarize(two_classes(), std::vector{answer(0, 1000, {})}, {});
  REQUIRE(point.slices.size() == 2);
  CHECK(point.slices[1].requests == 0);
  CHECK(point.slices[1].metrics.empty());
}

TEST_CASE("slices: each class is held to its own SLOs") {
  auto load = two_classes();
  load.classes[0].slos = {parse_slo("--slo", "ttft<60ms")};
  std::vector<RequestRecord> records{answer(0, 50'000, {}), answer(100'000, 70'000, {}),
                                     answer(200'000, 90'000, {})};
  records[2].traffic_class = 1;
  const auto point = summarize(load, records, {});
  CHECK(slice(point, "chat").slo->attainment == 0.5);
  CHECK_FALSE(slice(point, "search").slo);
  CHECK(point.slo->requests == 2);
}

TEST_CASE("slices: turns are told apart up to the tenth") {
  std::vector<RequestRecord> records;
  for (std::uint32_t turn = 0; turn < 13; ++turn) {
    records.push_back(answer(turn * 100'000, 50'000 + turn * 1000, {}));
    records.back().turn = turn;
    records.back().conversation = 0;
    records.back().conversation = 4;
  }
  const auto point = summarize(closed(1), records, {});
  REQUIRE(point.slices.size() == 11);
  CHECK(point.slices[0].name == "1");
  CHECK(point.slices[9].name == "10");
  CHECK(point.slices[10].name == "11+");
  CHECK(point.slices[10].requests == 3);
  CHECK(point.slices[10].find("ttft")->min == 60);
  CHECK(point.conversations == 1);
}

TEST_CASE("slices: a repeated prompt is warm and its first sending cold") {
  std::vector<RequestRecord> records{answer(0, 90'000, {}), answer(1000, 20'000, {}),
                                     answer(2000, 30'000, {})};
  records[1].repeat = 1;
  records[2].repeat = 2;
  const auto point = summarize(closed(1), records, {});
  CHECK(slice_names(point) == std::vector<std::string>{"cache cold", "cache warm"});
  CHECK(slice(point, "cold").find("ttft")->mean == 90);
  CHECK(slice(point, "warm").requests == 2);
}

TEST_CASE("slices: a prefix is warm once its group was sent, in the warm-up too") {
  std::vector<RequestRecord> records;
  for (int i = 0; i < 5; ++i) {
    records.push_back(answer(i * 1000, 50'000, {}));
    records.back().prefix_group = i % 2 == 0 ? 1 : 2;
  }
  records[0].phase = Phase::warmup;
  auto load = closed(1);
  CHECK(slice(summarize(load, records, {}), "cold").requests == 1);  // group 2, once
  records[1].outcome = Outcome::dropped;                             // never seen by the server
  CHECK(slice(summarize(load, records, {}), "cold").requests == 2);
  load.classes.resize(1);
  load.classes[0].primed = true;
  CHECK(slice_names(summarize(load, records, {})) == std::vector<std::string>{"cache warm"});
}

TEST_CASE("slices: a later turn of a conversation is warm") {
  std::vector<RequestRecord> records;
  for (std::uint32_t turn = 0; turn < 3; ++turn) {
    records.push_back(answer(turn * 100'000, 50'000, {}));
    records.back().turn = turn;
    records.back().conversation = 0;
    records.back().prefix_group = turn == 0 ? 1 : 0;
  }
  const auto point = summarize(closed(1), records, {});
  CHECK(slice(point, "cold").requests == 1);
  CHECK(slice(point, "warm").requests == 2);
}

TEST_CASE("slices: cancelled streams show what they received and are no errors") {
  std::vector<RequestRecord> records{answer(0, 50'000, {10'000}), answer(100'000, 70'000, {10'000, 10'000})};
  records[1].outcome = Outcome::cancelled;
  records[1].output_tokens = std::nullopt;
  records[1].token_source = TokenSource::events;
  const auto point = summarize(closed(1), records, {});
  CHECK(slice_names(point) == std::vector<std::string>{"cancel cancelled"});
  const auto& cancelled = point.slices[0];
  CHECK(cancelled.find("ttft")->mean == 70);
  CHECK(cancelled.output_tokens == 3);
  CHECK(cancelled.ok == 0);
  CHECK(point.find("ttft")->count == 1);
  CHECK(point.whole.output * point.whole.window_s == Approx(5));
  CHECK(value_of(parse_threshold("--assert", "error_rate < 1%"), point) == 0.0);
}

TEST_CASE("slices: answers that were over before their cut do not make the others look quick") {
  std::vector<RequestRecord> records;
  for (int i = 0; i < 30; ++i) {  // two of three are picked; of these every second is short
    const bool picked = i % 3 != 0, short_one = i % 3 == 1;
    records.push_back(answer(i * 100'000, short_one ? 10'000 : 70'000, {10'000}));
    if (picked) records.back().flags.set(Flag::cancel_planned);
    if (picked && !short_one) records.back().outcome = Outcome::cancelled;
  }
  const auto point = summarize(closed(1), records, {});
  CHECK(point.ok == 20);
  CHECK(point.output_tokens == 40);
  CHECK(point.find("ttft")->count == 10);
  CHECK(point.find("ttft")->mean == 70);
  CHECK(slice_names(point) == std::vector<std::string>{"cancel cancelled"});
  CHECK(point.slices[0].requests == 20);
  CHECK(point.slices[0].ok == 10);
  CHECK(point.slices[0].find("ttft")->mean == 40);
}

TEST_CASE("slices: where nearly all were picked for cancelling those that ended are shown") {
  std::vector<RequestRecord> records{answer(0, 50'000, {10'000}), answer(100'000, 70'000, {10'000})};
  for (auto& r : records) r.flags.set(Flag::cancel_planned);
  records[1].outcome = Outcome::cancelled;
  CHECK(summarize(closed(1), records, {}).find("ttft")->mean == 50);
}

TEST_CASE("slices: a run whose streams were all closed has figures, in events where nobody counted") {
  auto r = answer(0, 50'000, {10'000});
  r.outcome = Outcome::cancelled;
  r.output_tokens = std::nullopt;
  r.token_source = TokenSource::events;
  const auto point = summarize(closed(1), std::vector{r}, {});
  CHECK(point.ok == 0);
  CHECK(point.has_figures());
  CHECK(point.token_source == TokenSource::events);
  CHECK_FALSE(summarize(closed(1), std::vector{failed(0, Outcome::truncated)}, {}).has_figures());
}

TEST_CASE("slices: a user's own text is not called cold where it is sent for the first time") {
  std::vector<RequestRecord> records;
  for (int i = 0; i < 8; ++i) {
    records.push_back(answer(i * 100'000, 50'000, {10'000}));
    records.back().repeat = i < 4 ? 0 : 1;
  }
  auto load = closed(1);
  load.classes.resize(1);
  CHECK(slice_names(summarize(load, records, {})) == std::vector<std::string>{"cache cold", "cache warm"});
  load.classes[0].fresh = false;
  CHECK(slice_names(summarize(load, records, {})) == std::vector<std::string>{"cache first", "cache warm"});
}

TEST_CASE("slices: tokens of a class's warm-up count in its rates and in nothing else") {
  std::vector<RequestRecord> records;
  for (int i = 0; i < 20; ++i) {
    records.push_back(answer(i * 100'000, 50'000, std::vector<std::uint32_t>(10, 50'000)));
    records.back().traffic_class = static_cast<std::uint32_t>(i % 2);
    if (i < 4) records.back().phase = Phase::warmup;
  }
  const auto point = summarize(two_classes(), records, {});
  CHECK(slice(point, "chat").requests == 8);
  CHECK(slice(point, "chat").output_throughput + slice(point, "search").output_throughput ==
        Approx(point.rates().output));
}
