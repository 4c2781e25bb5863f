#include "base/random.hpp"

#include <cmath>

#include "catch.hpp"

using infermeter::Random;

namespace {
template <typename Draw>
std::pair<double, double> mean_and_cv(Draw draw) {
  const int n = 200'000;
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const double x = draw();
    sum += x;
    squares += x * x;
  }
  const double mean = sum / n;
  return {mean, std::sqrt(squares / n - mean * mean) / mean};
}
}  // namespace

TEST_CASE("random: the first numbers of seed 1 never change") {
  Random random(1);
  const auto first = random.next();
  Random again(1), other_stream(1, 1), other_seed(2);
  CHECK(again.next() == first);
  CHECK(other_stream.next() != first);
  CHECK(other_seed.next() != first);
  CHECK(infermeter::mix64(0) == 0xe220a8397b1dcdafULL);  // SplitMix64's published first output for seed 0
}

TEST_CASE("random: gamma gaps have mean 1 and the asked CV") {
  for (const double cv : {0.3, 1.0, 2.0}) {
    Random random(7);
    const auto [mean, measured] = mean_and_cv([&] { return random.gamma_mean_one(1 / (cv * cv)); });
    CHECK(mean == Approx(1).margin(0.02));
    CHECK(measured == Approx(cv).epsilon(0.02));
  }
}

TEST_CASE("random: exponential has mean 1 and CV 1") {
  Random random(3);
  const auto [mean, cv] = mean_and_cv([&] { return random.exponential(); });
  CHECK(mean == Approx(1).margin(0.01));
  CHECK(cv == Approx(1).margin(0.02));
}

TEST_CASE("random: below stays below") {
  Random random(5);
  bool seen[3] = {};
  for (int i = 0; i < 1000; ++i) seen[random.below(3)] = true;
  CHECK((seen[0] && seen[1] && seen[2]));
}
