#include "workload/schedule/stages.hpp"

#include "catch.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;

namespace {

std::vector<LoadStage> stages(std::string_view text) { return parse_stages("--stages", text); }

}  // namespace

TEST_CASE("stages: each is its duration and its target") {
  const auto parsed = stages("60s:20,2m:20,30s:0");
  REQUIRE(parsed.size() == 3);
  CHECK(parsed[1].duration == 2min);
  CHECK(parsed[1].target == 20);
  CHECK(total_length(parsed) == 210s);
  CHECK(highest_target(parsed) == 20);
}

TEST_CASE("stages: the other order is refused with the right one") {
  CHECK_THROWS_WITH(stages("20:60s"),
                    "--stages: '20:60s' has the wrong order: it is duration:target, as 60s:20");
}

TEST_CASE("stages: without one that holds a target nothing would be measured") {
  const std::string nothing =
      "--stages: nothing would be measured: add a stage that holds its target, as 2m:20 after 60s:20";
  CHECK_THROWS_WITH(stages("60s:20"), nothing);
  CHECK_THROWS_WITH(stages("60s:20,30s:0,60s:0"), nothing);
  CHECK_THROWS_WITH(stages("60s:20,0s:20"), nothing);
}

TEST_CASE("stages: what is no stage is named") {
  CHECK_THROWS_WITH(stages("60s:20,2m"), "--stages: '2m' is not duration:target, as 60s:20");
  CHECK_THROWS_WITH(stages("60s:20,"), "--stages: '' is not duration:target, as 60s:20");
  CHECK_THROWS_WITH(stages("60s:x"), "--stages: 'x' is not a number such as 2.5 or 4k");
  CHECK_THROWS_WITH(stages("60:20"), "--stages: '60' is not a duration such as 250ms, 30s, 1.5m or 2h");
  CHECK_THROWS_WITH(stages("60s:2M"), "--stages: the target of '60s:2M' is not from 0 to 1M");
}

TEST_CASE("stages: the target goes up from 0, holds, and goes down") {
  const auto shape = stages("10s:20,10s:20,10s:0");
  CHECK(target_at(shape, 0s) == 0);
  CHECK(target_at(shape, 5s) == 10);
  CHECK(target_at(shape, 15s) == 20);
  CHECK(target_at(shape, 25s) == 10);
  CHECK(target_at(shape, 30s) == 0);
}

TEST_CASE("stages: one without length is a jump") {
  const auto shape = stages("0s:8,10s:8,0s:2,10s:2");
  CHECK(slots_at(shape, 0s) == 8);
  CHECK(slots_at(shape, 10s - 1ns) == 8);
  CHECK(slots_at(shape, 10s) == 2);
  CHECK_FALSE(in_ramp(shape, 0s));
}

TEST_CASE("stages: what is measured is what holds a target above 0") {
  const auto shape = stages("10s:4,10s:4,10s:0,10s:0");
  CHECK(in_ramp(shape, 9s));
  CHECK_FALSE(in_ramp(shape, 10s));
  CHECK(in_ramp(shape, 20s));
  CHECK(in_ramp(shape, 35s));
  CHECK_FALSE(in_ramp(shape, 40s));
}

TEST_CASE("stages: a ramp's slots change one at a time, and each change is foretold") {
  const auto shape = stages("10s:5,10s:5,5s:1,5s:1");
  std::vector<std::uint32_t> seen{slots_at(shape, 0s)};
  std::size_t asked = 0;
  for (auto at = next_slots_change(shape, 0s); at; at = next_slots_change(shape, *at)) {
    ++asked;
    if (slots_at(shape, *at) != seen.back()) seen.push_back(slots_at(shape, *at));
  }
  CHECK(seen == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 4, 3, 2, 1});
  CHECK(asked < 30);
}
