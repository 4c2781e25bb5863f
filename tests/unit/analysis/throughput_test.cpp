#include "analysis/figures/throughput.hpp"

#include "answers.hpp"
#include "catch.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

constexpr Window kWindow{1'000'000, 3'000'000};  // 2 s

Rates rates_of(const std::vector<RequestRecord>& records, double tokens_per_event = 1) {
  return rates(order_records(records).all, kWindow, tokens_per_event);
}

}  // namespace

TEST_CASE("throughput: tokens of requests across the edges count by arrival") {
  // Tokens at 0.8, 1.0 (on the edge: outside), 1.2 and 1.4 s; and at 2.8, 3.0 (inside) and 3.2 s.
  const auto early = answer(500'000, 300'000, {200'000, 200'000, 200'000});
  const auto late = answer(2'500'000, 300'000, {200'000, 200'000});
  const auto found = rates_of({early, late});
  CHECK(found.output == Approx(4 / 2.0));
  CHECK(found.request == Approx(1 / 2.0));
  CHECK(found.window_s == 2);
}

TEST_CASE("throughput: what a failed stream delivered counts, its request does not") {
  auto cut = answer(1'000'000, 100'000, {100'000, 100'000});
  cut.outcome = Outcome::truncated;
  cut.token_source = TokenSource::events;
  cut.output_tokens = std::nullopt;
  CHECK(rates_of({cut}).output == Approx(3 / 2.0));
  CHECK(rates_of({cut}, 4).output == Approx(12 / 2.0));
  CHECK(rates_of({cut}).request == 0);
}

TEST_CASE("throughput: hidden reasoning arrives with the first token") {
  auto r = answer(900'000, 200'000, {100'000});
  r.output_tokens = 102;
  r.unstreamed_tokens = 100;
  CHECK(rates_of({r}).output == Approx(102 / 2.0));
}

TEST_CASE("throughput: a counted end token arrives with the last token") {
  auto r = answer(2'500'000, 400'000, {200'000});  // 2.9 and 3.1 s
  r.output_tokens = 3;
  CHECK(rates_of({r}).output == Approx(1 / 2.0));
}

TEST_CASE("throughput: prompt tokens count at the first token") {
  auto inside = answer(500'000, 600'000, {});
  auto before = answer(100'000, 600'000, {});
  inside.prompt_tokens = before.prompt_tokens = 512;
  const auto found = rates_of({inside, before});
  CHECK(found.input == Approx(512 / 2.0));
  CHECK(found.total == Approx(found.input + found.output));
}

TEST_CASE("throughput: a request that failed before its first token brings no prompt tokens") {
  RequestRecord refused = answer(1'000'000, 100'000, {});
  refused.outcome = Outcome::http_error;
  refused.first_token_us = std::nullopt;
  refused.prompt_tokens = std::nullopt;
  refused.asked_input_tokens = 512;
  CHECK(rates_of({refused}).input == 0);
}

TEST_CASE("throughput: without kept gaps tokens are spread between first and last") {
  auto r = answer(0, 500'000, std::vector<std::uint32_t>(10, 100'000));  // 0.5 to 1.5 s
  r.gaps_us.clear();
  CHECK(rates_of({r}).output == Approx(5 / 2.0));
}

TEST_CASE("throughput: without kept gaps an answer at one instant keeps all its tokens") {
  auto r = answer(1'000'000, 500'000, std::vector<std::uint32_t>(10, 0));
  r.gaps_us.clear();
  CHECK(rates_of({r}).output == Approx(11 / 2.0));
}

TEST_CASE("throughput: an answer without a stream arrives at its end") {
  auto r = stay(500'000, 1'500'000);
  r.output_tokens = 40;
  CHECK(rates_of({r}).output == Approx(40 / 2.0));
}

TEST_CASE("throughput: an even flow has an interval of next to nothing, few arrivals have none") {
  const auto even = answer(0, 1'005'000, std::vector<std::uint32_t>(198, 10'000));
  const auto found = rates_of({even});
  CHECK(found.output == Approx(199 / 2.0));
  REQUIRE(found.output_half_width);
  CHECK(*found.output_half_width < 5);
  CHECK_FALSE(rates_of({answer(0, 1'005'000, {10'000, 10'000})}).output_half_width);
}

TEST_CASE("throughput: the whole run does not count the warm-up's answers that end just after its start") {
  std::vector<RequestRecord> records;
  for (int slot = 0; slot < 8;
       ++slot) {  // each a little later: the first measured one starts before the others
    for (int round = 0; round < 3; ++round) {
      records.push_back(answer(slot * 1'000 + round * 1'000'000, 500'000, {499'000}));
      if (round == 0) records.back().phase = Phase::warmup;
    }
  }
  const auto point = summarize(closed(8), records, {});
  CHECK(point.whole.window_s == Approx(2.006).margin(0.001));
  CHECK(point.whole.request == Approx(16 / point.whole.window_s));
}
