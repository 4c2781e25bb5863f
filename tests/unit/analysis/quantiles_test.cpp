#include "analysis/statistics/quantiles.hpp"

#include <vector>

#include "catch.hpp"

using namespace infermeter;

TEST_CASE("quantiles: type 7 interpolates between order statistics") {
  const std::vector<double> v{1, 2, 3, 4};
  CHECK(quantile(v, 0.0) == 1);
  CHECK(quantile(v, 0.25) == Approx(1.75));
  CHECK(quantile(v, 0.5) == Approx(2.5));
  CHECK(quantile(v, 0.9) == Approx(3.7));
  CHECK(quantile(v, 1.0) == 4);
  CHECK(quantile(std::vector<double>{7.5}, 0.99) == 7.5);
}

TEST_CASE("quantiles: equal values give exactly that value") {
  const std::vector<double> v(7, 0.1);
  for (const double q : {0.01, 0.37, 0.5, 0.999}) CHECK(quantile(v, q) == 0.1);
}

TEST_CASE("quantiles: a weight counts like that many copies") {
  const std::vector<WeightedSample> weighted{{1, 3, 0}, {2, 1, 0}, {5, 4, 0}, {9, 2, 0}};
  const std::vector<double> copies{1, 1, 1, 2, 5, 5, 5, 5, 9, 9};
  const auto total = total_weight(weighted);
  REQUIRE(total == 10);
  for (int i = 0; i <= 100; ++i) CHECK(quantile(weighted, total, i / 100.0) == quantile(copies, i / 100.0));
}

TEST_CASE("quantiles: weights of 1 are plain samples") {
  const std::vector<WeightedSample> weighted{{1}, {2}, {3}, {4}};
  CHECK(quantile(weighted, 4, 0.9) == Approx(3.7));
}

TEST_CASE("quantiles: the median takes values in any order") {
  std::vector<double> v{9, 1, 4};
  CHECK(median(v) == 4);
}
