#include "analysis/findings/findings.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/conclude.hpp"
#include "analysis/statistics/least_squares.hpp"
#include "answers.hpp"
#include "catch.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

/// TTFT by `formula` at each length.
template <typename Formula>
std::vector<LengthMedian> medians_of(std::vector<double> lengths, Formula formula) {
  std::vector<LengthMedian> out;
  for (const double n : lengths) out.push_back({n, formula(n)});
  return out;
}

const std::vector<double> kLengths{2000, 4000, 8000, 16'000, 32'000, 64'000, 100'000};

RequestRecord prompt(std::int64_t start, std::int64_t tokens, std::int64_t ttft_us) {
  auto r = answer(start, ttft_us, {});
  r.prompt_tokens = tokens;
  return r;
}

}  // namespace

TEST_CASE("least squares: a parabola is found again and its width is nothing") {
  std::vector<WeightedPoint> points;
  for (const double x : {0.1, 0.2, 0.4, 0.8, 1.0}) points.push_back({x, 3 + 2 * x + 5 * x * x, 1 / (x + 1)});
  const auto fit = fit_polynomial(points, 2);
  CHECK(fit.coefficients[0] == Approx(3));
  CHECK(fit.coefficients[1] == Approx(2));
  CHECK(fit.coefficients[2] == Approx(5));
  CHECK(fit.half_width < 1e-6);
  CHECK(fit_polynomial(std::span(points).first(3), 2).half_width > 1e300);
}

TEST_CASE("least squares: the width of a line's slope is the textbook's") {
  // y = x with errors +1, −1, −1, +1: s² = 4/2, Σ(x − mean)² = 5, t(2) = 4.303.
  const std::vector<WeightedPoint> points{{1, 2, 1}, {2, 1, 1}, {3, 2, 1}, {4, 5, 1}};
  const auto fit = fit_polynomial(points, 1);
  CHECK(fit.coefficients[1] == Approx(1));
  CHECK(fit.half_width == Approx(4.3027 * std::sqrt(2.0 / 5)).epsilon(1e-4));
}

TEST_CASE("context fit: a growth with the square is named with its share") {
  const auto fit = fit_context(medians_of(kLengths, [](double n) { return 10 + 0.02 * n + 8e-7 * n * n; }));
  CHECK(fit.a == Approx(10).epsilon(0.01));
  CHECK(fit.b == Approx(0.02).epsilon(0.01));
  CHECK(fit.c == Approx(8e-7).epsilon(0.01));
  CHECK(fit.max_error < 0.001);
  CHECK(fit.superlinear);
  CHECK(fit.text ==
        "From 2k to 100k tokens TTFT grows 188-fold, 3.8 times more than linearly: 80 % of the longest is "
        "the part that grows with the square of the length.");
}

TEST_CASE("context fit: a line is none and a fixed start makes it less than linear") {
  const auto fit = fit_context(medians_of(kLengths, [](double n) { return 30 + 0.03 * n; }));
  CHECK_FALSE(fit.superlinear);
  CHECK(fit.text == "From 2k to 100k tokens TTFT grows 33.7-fold, less than linearly.");
  const auto straight = fit_context(medians_of(kLengths, [](double n) { return 0.03 * n; }));
  CHECK(straight.text == "From 2k to 100k tokens TTFT grows 50.0-fold, in step with the length.");
}

TEST_CASE("context fit: below the ridge TTFT is flat and does not bend the curve") {
  const auto hinge = [](double n) { return std::max(14.0, 2 + 0.0271 * n + 2e-7 * n * n); };
  const auto fit = fit_context(medians_of({16, 32, 64, 128, 256, 1024, 4096, 16'384, 65'536}, hinge));
  CHECK(fit.b == Approx(0.0271).epsilon(0.03));
  CHECK(fit.max_error < 0.02);
}

TEST_CASE("context fit: noise is not taken for a square") {
  std::vector<LengthMedian> medians = medians_of(kLengths, [](double n) { return 30 + 0.03 * n; });
  for (std::size_t i = 0; i < medians.size(); ++i) medians[i].ttft_ms *= i % 2 == 0 ? 1.06 : 0.94;
  CHECK_FALSE(fit_context(medians).superlinear);
}

TEST_CASE("context fit: medians are of lengths that lie together") {
  std::vector<RequestRecord> records;
  for (int i = 0; i < 30; ++i) {
    const std::int64_t tokens = i % 3 == 0 ? 500 + i % 5 : i % 3 == 1 ? 2000 + i : 8000 - i;
    records.push_back(prompt(i * 1000, tokens, tokens * 20));
  }
  Records ok;
  for (const auto& r : records) ok.push_back(&r);
  const auto medians = length_medians(ok);
  REQUIRE(medians.size() == 3);
  CHECK(medians[0].tokens == Approx(502).margin(2));
  CHECK(medians[2].ttft_ms == Approx(160).epsilon(0.01));
}

TEST_CASE("context fit: groups that the server counts alike are one length") {
  std::vector<RequestRecord> records;
  for (int i = 0; i < 8; ++i) {
    records.push_back(prompt(i * 1000, 500, 10'000));
    records.back().asked_input_tokens = i % 2 == 0 ? 512 : 1024;
  }
  Records ok;
  for (const auto& r : records) ok.push_back(&r);
  CHECK(length_medians(ok).size() == 1);
}

TEST_CASE("context fit: what the server had in its cache is not read anew") {
  std::vector<RequestRecord> records;
  for (int i = 0; i < 8; ++i) records.push_back(prompt(i * 1000, 4000, 80'000));
  records[0].cached_tokens = 3000;
  records[1].turn = 1;
  records[2].repeat = 1;
  for (std::size_t i = 0; i < 3; ++i) records[i].first_token_us = *records[i].sent_us + 1000;
  Records ok;
  for (const auto& r : records) ok.push_back(&r);
  CHECK(length_medians(ok).at(0).ttft_ms == 80);
}

TEST_CASE("context fit: a run has one where its lengths span four times, of its least load") {
  RunResult run;
  std::vector<RequestRecord> records;
  for (std::uint32_t point = 0; point < 10; ++point) {
    const std::int64_t tokens = 1000 << (point % 5);
    run.points.push_back({.point = point});
    run.points.back().load.concurrency = point < 5 ? 1 : 8;
    run.points.back().load.shape = std::to_string(tokens) + "/1";
    for (int i = 0; i < 3; ++i) {
      records.push_back(prompt(point * 1'000'000 + i * 1000, tokens, tokens * (point < 5 ? 20 : 500)));
      records.back().point = point;
    }
  }
  conclude(run, records);
  REQUIRE(run.context_fits.size() == 1);
  CHECK(run.context_fits[0].b == Approx(0.02).epsilon(0.02));
  std::erase_if(records, [](const auto& r) { return r.prompt_tokens > 2500; });
  conclude(run, records);
  CHECK(run.context_fits.empty());
}

TEST_CASE("context fit: a run that swept no lengths has one from a hundred answers over eight times on") {
  RunResult run;
  run.points.resize(1);
  const auto fits_of = [&](int answers, std::int64_t spread, double noise = 0) {
    std::vector<RequestRecord> records;
    for (int i = 0; i < answers; ++i) {
      const std::int64_t tokens = 500 + (spread - 1) * 500 * (i % 7) / 6;
      const double off = i % 7 % 2 == 0 ? 1 + noise : 1 - noise;
      records.push_back(
          prompt(i * 1000, tokens, static_cast<std::int64_t>(20 * off * static_cast<double>(tokens))));
    }
    conclude(run, records);
    return run.context_fits.size();
  };
  CHECK(fits_of(105, 8) == 1);
  CHECK(fits_of(98, 8) == 0);
  CHECK(fits_of(105, 7) == 0);
  CHECK(fits_of(105, 8, 0.23) == 0);  // error far larger than the run could detect
  run.scenario = "context-sweep";
  CHECK(fits_of(21, 5) == 1);
  CHECK(fits_of(21, 5, 0.23) == 0);
}
