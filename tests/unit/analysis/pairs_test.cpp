#include "analysis/statistics/pairs.hpp"

#include "base/random.hpp"
#include "catch.hpp"

using namespace infermeter;

TEST_CASE("pairs: Walsh averages are the means of all pairs, each with itself too") {
  CHECK(walsh_averages(std::vector{1.0, 3.0, 8.0}) == std::vector{1.0, 2.0, 3.0, 4.5, 5.5, 8.0});
}

TEST_CASE("pairs: ranks count from both ends") {
  const std::vector sorted{1.0, 2.0, 3.0, 4.0};
  CHECK(kth_smallest(sorted, 1) == 1);
  CHECK(kth_largest(sorted, 1) == 4);
  CHECK(kth_largest(sorted, 3) == 2);
}

TEST_CASE("pairs: probabilities of the signed-rank sum are exact") {
  CHECK(signed_rank_probability(6, 0) == 1 / 64.0);
  CHECK(signed_rank_probability(6, 2) == 3 / 64.0);
  CHECK(signed_rank_probability(8, 3) == 5 / 256.0);
  CHECK(signed_rank_probability(3, 6) == 1);
  CHECK(signed_rank_probability(3, 100) == 1);
}

TEST_CASE("pairs: bounds are the ranks of the published tables") {
  struct Row {
    std::uint64_t n;
    double tail;
    std::uint64_t k;
  };
  // Two-sided 95 %; then one-sided 1/64 and 5 % at the looks of a gate.
  for (const auto& [n, tail, k] :
       {Row{6, 0.025, 1}, Row{7, 0.025, 3}, Row{8, 0.025, 4}, Row{10, 0.025, 9}, Row{12, 0.025, 14},
        Row{6, 1 / 64.0, 1}, Row{8, 1 / 64.0, 3}, Row{10, 1 / 64.0, 7}, Row{12, 1 / 64.0, 12},
        Row{16, 1 / 64.0, 27}, Row{6, 0.05, 3}, Row{8, 0.05, 6}, Row{10, 0.05, 11}, Row{12, 0.05, 18},
        Row{16, 0.05, 36}}) {
    INFO(n << " at " << tail);
    CHECK(signed_rank_bound(n, tail) == k);
  }
  CHECK_FALSE(signed_rank_bound(5, 0.025));
}

TEST_CASE("pairs: one wild pair hardly moves the middle") {
  const auto change = paired_change(std::vector{0.1, 0.11, 0.09, 0.1, 0.1, 0.1, 0.1, 9.0});
  CHECK(change.estimate == Approx(0.1));
  CHECK(*change.low > 0.08);
  CHECK(*change.high < 5);
}

TEST_CASE("pairs: under six pairs there is a middle and no interval") {
  const auto change = paired_change(std::vector{0.1, 0.2, 0.3, 0.4, 0.5});
  CHECK(change.estimate == Approx(0.3));
  CHECK_FALSE(change.low);
  CHECK_FALSE(change.high);
}

TEST_CASE("pairs: the interval of eight pairs holds the truth 95 to 98 times in a hundred") {
  Random random(7);
  int held = 0;
  for (int run = 0; run < 4000; ++run) {
    std::vector<double> differences(8);
    for (auto& d : differences) d = 0.2 + random.normal();
    const auto change = paired_change(differences);
    if (*change.low <= 0.2 && 0.2 <= *change.high) ++held;
  }
  CHECK(held > 3800);
  CHECK(held < 3920);
}
