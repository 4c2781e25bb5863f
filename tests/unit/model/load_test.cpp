#include "model/load.hpp"

#include "catch.hpp"

using namespace infermeter;

namespace {

LoadPoint open(double rate, Arrival arrival = Arrival::poisson) {
  LoadPoint load;
  load.open_loop = true;
  load.rate = rate;
  load.arrival = arrival;
  return load;
}

LoadPoint closed(std::uint32_t concurrency) {
  LoadPoint load;
  load.concurrency = concurrency;
  return load;
}

RunResult sweep(std::vector<LoadPoint> loads) {
  RunResult run;
  run.targets = {{.name = "a"}, {.url = "http://host:8000/v1"}};
  for (std::uint32_t i = 0; i < loads.size(); ++i)
    run.points.push_back({.point = i, .target = i % 2, .load = std::move(loads[i])});
  return run;
}

}  // namespace

TEST_CASE("load: it is the same one whatever its length, its seed and its run") {
  LoadPoint other = closed(8);
  other.requests = 100;
  other.seed = 7;
  other.run = 2;
  other.rate = 3;
  CHECK(load_id(other) == load_id(closed(8)));
  CHECK(load_id(closed(16)) != load_id(closed(8)));
  CHECK(load_id(open(8)) != load_id(closed(8)));
}

TEST_CASE("load: arrival, its CV, the cap in flight, stages and shape make it another one") {
  LoadPoint load = open(10, Arrival::gamma);
  load.cv = 2;
  for (const auto change :
       {+[](LoadPoint& l) { l.arrival = Arrival::constant; }, +[](LoadPoint& l) { l.cv = 3; },
        +[](LoadPoint& l) { l.max_in_flight = 4; }, +[](LoadPoint& l) { l.stages = "1 m:10"; },
        +[](LoadPoint& l) { l.shape = "1k/128"; }}) {
    LoadPoint changed = load;
    change(changed);
    CHECK(load_id(changed) != load_id(load));
  }
  LoadPoint poisson = open(10);
  poisson.cv = 2;  // has no meaning there
  CHECK(load_id(poisson) == load_id(open(10)));
}

TEST_CASE("load: what is asked for is the load that a result has of it") {
  Load load;
  load.rate = 10;
  load.stages = {{.duration = 30s, .target = 10}};
  LoadPoint point = open(10);
  point.stages = stages_text(load.stages);
  CHECK(load_id(load) == load_id(point));
}

TEST_CASE("load: its name says how requests come, its short name only how many") {
  CHECK(name(load_id(closed(1000))) == "concurrency 1,000");
  LoadPoint load = open(2.5, Arrival::gamma);
  load.cv = 2;
  load.max_in_flight = 8;
  load.shape = "1k/128";
  CHECK(name(load_id(load)) == "2.5 requests/s, gamma with CV 2, at most 8 in flight, shape 1k/128");
  CHECK(short_name(load_id(load)) == "2.5 requests/s, 1k/128");
  LoadPoint trace = open(0, Arrival::trace);
  trace.replay = "2x";
  CHECK(name(load_id(trace)) == "trace at 2x");
  LoadPoint stages = closed(32);
  stages.stages = "30 s:8,1 m:32";
  CHECK(short_name(load_id(stages)) == "concurrency in stages 30 s:8,1 m:32");
}

TEST_CASE("load: of several that differ only in how much the rest is said once") {
  const std::vector<LoadId> alike{load_id(open(10)), load_id(open(20))};
  CHECK(names(alike) == "10, 20 requests/s, Poisson");
  CHECK(short_names(alike) == "10, 20 requests/s");
  LoadPoint shaped = closed(8);
  shaped.shape = "8k/1k";
  CHECK(short_names(std::vector<LoadId>{load_id(closed(8)), load_id(shaped)}) ==
        "concurrency 8; concurrency 8, 8k/1k");
}

TEST_CASE("place: it says no more than distinguishes the point from the others of its run") {
  CHECK(name(place_in(sweep({closed(8), closed(8)}), sweep({closed(8)}).points[0])) == "a");
  const RunResult run = sweep({closed(1), closed(8)});
  CHECK(name(place_in(run, run.points[1])) == "host:8000, concurrency 8");
  RunResult pairs = sweep({closed(8), closed(8)});
  pairs.targets.resize(1);
  pairs.points[1].load.run = 2;
  CHECK(name(place_in(pairs, pairs.points[1])) == "run 2");
  pairs.target_order = TargetOrder::pairs;
  CHECK(name(place_in(pairs, pairs.points[0])) == "pair 1");
  CHECK(name(PointPlace{.traffic_class = "chat"}) == "class chat");
}

TEST_CASE("place: a target is shown by its label, else by its name, else by its host") {
  TargetFacts target{.label = "Ours (eu)", .url = "http://host:8000/v1/chat/completions"};
  target.name = "ours";
  CHECK(target_name(target) == "Ours (eu)");
  target.label.clear();
  CHECK(target_name(target) == "ours");
  target.name.clear();
  CHECK(target_name(target) == "host:8000");
}

TEST_CASE("names: every name leads back to its value, and no other does") {
  for (const auto text : kNamesOf<Outcome>) CHECK(name(*from_name<Outcome>(text)) == text);
  CHECK_FALSE(from_name<Outcome>("fine"));
  CHECK(name(std::optional<TokenSource>()).empty());
  std::optional<TokenSource> all;
  join(all, std::optional<TokenSource>());
  CHECK_FALSE(all);
  join(all, std::optional(TokenSource::usage));
  join(all, std::optional(TokenSource::usage));
  CHECK(all == TokenSource::usage);
  join(all, std::optional(TokenSource::events));
  CHECK(all == TokenSource::mixed);
}
