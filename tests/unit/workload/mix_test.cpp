#include "workload/schedule/mix.hpp"

#include <map>
#include <string>

#include "catch.hpp"

using infermeter::Mix;

namespace {

std::vector<std::uint64_t> counts(const Mix& mix, std::uint64_t from, std::uint64_t to, std::size_t classes) {
  std::vector<std::uint64_t> counted(classes, 0);
  for (std::uint64_t i = from; i < to; ++i) ++counted[mix.at(i).traffic_class];
  return counted;
}

std::string order(const Mix& mix, std::uint64_t count) {
  std::string text;
  for (std::uint64_t i = 0; i < count; ++i) text += static_cast<char>('a' + mix.at(i).traffic_class);
  return text;
}

}  // namespace

TEST_CASE("mix: shares are exact in every hundred requests") {
  const Mix mix({0.7, 0.25, 0.05}, 1);
  for (std::uint64_t from = 0; from < 1000; from += 100)
    CHECK(counts(mix, from, from + 100, 3) == std::vector<std::uint64_t>{70, 25, 5});
}

TEST_CASE("mix: a share of a third is exact in every ninety-nine") {
  CHECK(counts(Mix({1, 2}, 1), 0, 99, 2) == std::vector<std::uint64_t>{33, 66});
}

TEST_CASE("mix: a share of one in a thousand is not lost") {
  CHECK(counts(Mix({999, 1}, 1), 5000, 6000, 2) == std::vector<std::uint64_t>{999, 1});
}

TEST_CASE("mix: shares that no round holds come close and add up") {
  const auto counted = counts(Mix({0.31830988, 0.68169012}, 1), 0, 10'000, 2);
  CHECK(counted == std::vector<std::uint64_t>{3183, 6817});
}

TEST_CASE("mix: a class without a share takes no part") {
  CHECK(counts(Mix({0, 1, -1}, 1), 0, 1000, 3) == std::vector<std::uint64_t>{0, 1000, 0});
}

TEST_CASE("mix: the index counts the requests of its own class, over all rounds") {
  const Mix mix({3, 1}, 7);
  std::map<std::uint32_t, std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Mix::Place place = mix.at(i);
    CHECK(place.index == seen[place.traffic_class]++);
  }
}

TEST_CASE("mix: the order is the seed's and not one class after the other") {
  const std::vector<double> shares{1, 1};
  CHECK(order(Mix(shares, 1), 100) == order(Mix(shares, 1), 100));
  CHECK(order(Mix(shares, 1), 100) != order(Mix(shares, 2), 100));
  CHECK(order(Mix(shares, 1), 100).find(std::string(20, 'a')) == std::string::npos);
  CHECK(order(Mix(shares, 1), 20) == "bbbbbaababaababaabba");
}
