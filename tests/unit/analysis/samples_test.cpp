#include "analysis/figures/samples.hpp"

#include <algorithm>

#include "answers.hpp"
#include "catch.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

std::optional<double> value_of(std::string_view name, const RequestRecord& record) {
  return figure_of(*find_figure(name), record);
}

/// The samples of one answer, one a choice.
std::vector<double> samples_of(std::string_view name, const RequestRecord& record, bool counted = true) {
  return values_of(collect({&record}, *find_figure(name), {.counted = counted}));
}

/// Value and weight of each sample.
using ValueWeights = std::vector<std::pair<double, std::uint32_t>>;

ValueWeights pairs(const std::vector<WeightedSample>& samples) {
  ValueWeights out;
  for (const auto& sample : samples) out.emplace_back(sample.value, sample.weight);
  return out;
}

ValueWeights itl_of(const RequestRecord& record) {
  const Records records{&record};
  return pairs(collect_gaps(records, *find_figure("itl"), TimeBlocks(records)));
}

ValueWeights icl_of(const RequestRecord& record) {
  const Records records{&record};
  return pairs(collect_gaps(records, *find_figure("icl"), TimeBlocks(records)));
}

/// A request over a new connection, with all times different.
RequestRecord timeline() {
  RequestRecord r = answer(0, 0, {});
  r.intended_us = 1'000;
  r.started_us = 1'500;
  r.dns_us = 2'500;
  r.connected_us = 4'500;
  r.tls_us = 9'500;
  r.sent_us = 9'700;
  r.uploaded_us = 9'900;
  r.headers_us = 30'000;
  r.first_token_us = 59'700;
  r.first_output_us = 99'700;
  r.last_token_us = 150'000;
  r.end_us = 150'300;
  return r;
}

}  // namespace

TEST_CASE("samples: every phase of a request is its own difference of instants") {
  const auto r = timeline();
  CHECK(value_of("dns", r) == Approx(1));
  CHECK(value_of("connect", r) == Approx(2));
  CHECK(value_of("tls", r) == Approx(5));
  CHECK(value_of("client_queue", r) == Approx(8.7 - 8));
  CHECK(value_of("upload", r) == Approx(0.2));
  CHECK(value_of("ttfb", r) == Approx(20.3));
  CHECK(value_of("ttft", r) == Approx(50));
  CHECK(value_of("ttft_response", r) == Approx(58.7));
  CHECK(value_of("ttfo", r) == Approx(90));
  CHECK(value_of("e2e", r) == Approx(140.6));
  CHECK(value_of("e2e_response", r) == Approx(149.3));
  CHECK(value_of("tail", r) == Approx(0.3));
}

TEST_CASE("samples: on a reused connection set-up phases are absent and the queue is all of the wait") {
  auto r = timeline();
  r.dns_us = r.connected_us = r.tls_us = std::nullopt;
  CHECK_FALSE(value_of("dns", r));
  CHECK_FALSE(value_of("connect", r));
  CHECK_FALSE(value_of("tls", r));
  CHECK(value_of("client_queue", r) == Approx(8.7));
}

TEST_CASE("samples: a connection to an address has no name to resolve") {
  auto r = timeline();
  r.dns_us = r.tls_us = std::nullopt;
  CHECK(value_of("connect", r) == Approx(3));
  CHECK(value_of("client_queue", r) == Approx(8.7 - 3));
}

TEST_CASE("samples: an instant that did not happen gives no sample and not 0") {
  auto r = timeline();
  r.first_output_us = r.headers_us = r.uploaded_us = std::nullopt;
  CHECK_FALSE(value_of("ttfo", r));
  CHECK_FALSE(value_of("ttfb", r));
  CHECK_FALSE(value_of("upload", r));
}

TEST_CASE("samples: one token an event makes ITL the gaps and TPOT their mean") {
  const auto r = answer(0, 50'000, {10'000, 20'000, 30'000});
  CHECK(itl_of(r) == ValueWeights{{10, 1}, {20, 1}, {30, 1}});
  CHECK(icl_of(r) == itl_of(r));
  CHECK(samples_of("ttst", r) == std::vector<double>{10});
  CHECK(samples_of("tpot", r).at(0) == Approx(20));
  CHECK(samples_of("tps", r).at(0) == Approx(50));
  CHECK(samples_of("max_gap", r) == std::vector<double>{30});
  CHECK(samples_of("stalls", r) == std::vector<double>{0});
}

TEST_CASE("samples: e2e is ttft plus streamed tokens times tpot plus tail, exactly") {
  auto r = answer(1'000, 50'123, {10'001, 20'002, 30'003, 7});
  *r.end_us += 456;
  r.output_tokens = 23;
  for (const std::vector<std::uint32_t>& tokens : {std::vector<std::uint32_t>{}, {5, 4, 6, 1, 7}}) {
    r.gap_tokens = tokens;
    const double n = 23, m1 = tokens.empty() ? 23 / 5.0 : 5;
    const double sum = *value_of("ttft", r) + (n - m1) * samples_of("tpot", r).at(0) + *value_of("tail", r);
    CHECK(sum == Approx(*value_of("e2e", r)).epsilon(1e-12));
  }
}

TEST_CASE("samples: tokens per event weigh ITL and leave the first event out of TPOT") {
  auto r = answer(0, 50'000, {40'000, 20'000});
  r.output_tokens = 9;
  r.gap_tokens = {3, 4, 2};
  CHECK(itl_of(r) == ValueWeights{{10, 4}, {10, 2}});
  CHECK(icl_of(r) == ValueWeights{{40, 1}, {20, 1}});
  CHECK(samples_of("tpot", r).at(0) == Approx(10));
}

TEST_CASE("samples: unknown tokens per event leave ITL out and spread TPOT evenly") {
  auto r = answer(0, 50'000, {40'000, 20'000});
  r.output_tokens = 12;  // 4 an event
  CHECK(itl_of(r).empty());
  CHECK(icl_of(r).size() == 2);
  CHECK(samples_of("tpot", r).at(0) == Approx(60 / 8.0));
  CHECK(samples_of("tps", r).at(0) == Approx(8 / 0.06));
}

TEST_CASE("samples: a few answers of unknown tokens per event are left out of ITL, many take it away") {
  const auto known = answer(0, 50'000, {10'000});
  auto unknown = answer(100'000, 50'000, {10'000});
  unknown.output_tokens = 9;
  Records records(9, &known);
  records.push_back(&unknown);
  CHECK(collect_gaps(records, *find_figure("itl"), TimeBlocks(records)).size() == 9);
  records.push_back(&unknown);
  CHECK(collect_gaps(records, *find_figure("itl"), TimeBlocks(records)).empty());
}

TEST_CASE("samples: events of one instant are one with the sum of their tokens") {
  const auto r = answer(0, 50'000, {0, 20'000, 0, 30'000});  // 2, then 2, then 1
  CHECK(itl_of(r) == ValueWeights{{10, 2}, {30, 1}});
  CHECK(icl_of(r) == ValueWeights{{0, 1}, {20, 1}, {0, 1}, {30, 1}});
}

TEST_CASE("samples: an event without a token is part of the next gap") {
  auto r = answer(0, 50'000, {10'000, 10'000, 10'000});
  r.output_tokens = 3;
  r.gap_tokens = {1, 0, 1, 1};
  CHECK(itl_of(r) == ValueWeights{{20, 1}, {10, 1}});
}

TEST_CASE("samples: hidden reasoning does not make a stream fast") {
  auto r = answer(0, 5'000'000, std::vector<std::uint32_t>(13, 76'923));
  r.output_tokens = 14 + 950;
  r.unstreamed_tokens = r.reasoning_tokens = 950;
  r.reasoning = Reasoning::hidden;
  CHECK(samples_of("tps", r).at(0) == Approx(13.0).epsilon(0.001));  // and not 963
  CHECK(itl_of(r).front().first == Approx(76.923));
}

TEST_CASE("samples: choices have their own gaps and speeds") {
  // Two choices in turn: arrivals 50, 55, 70, 75 ms belong to 0, 1, 0, 1.
  auto r = answer(0, 50'000, {5'000, 15'000, 5'000});
  r.event_choice = {0, 1, 0, 1};
  CHECK(icl_of(r) == ValueWeights{{20, 1}, {20, 1}});
  CHECK(itl_of(r) == icl_of(r));
  CHECK(samples_of("tps", r).size() == 2);
  CHECK(samples_of("tps", r).at(0) == Approx(50));
  CHECK(samples_of("tpot", r).at(1) == Approx(20));
  CHECK(value_of("ttft", r) == Approx(50));
}

TEST_CASE("samples: a choice that never spoke has no samples") {
  auto r = answer(0, 50'000, {10'000});
  r.event_choice = {1, 1};
  CHECK(samples_of("tps", r).size() == 1);
}

TEST_CASE("samples: one event or one instant has no speed, absent and not 0 or infinite") {
  CHECK(samples_of("tpot", answer(0, 50'000, {})).empty());
  CHECK(samples_of("ttst", answer(0, 50'000, {})).empty());
  CHECK(samples_of("tps", answer(0, 50'000, {0, 0, 0})).empty());
  CHECK(itl_of(answer(0, 50'000, {0, 0, 0})).empty());
}

TEST_CASE("samples: without kept gaps speeds come from first, last and the count") {
  auto r = answer(0, 50'000, {10'000, 20'000, 30'000});
  r.gaps_us.clear();
  CHECK(samples_of("tpot", r).at(0) == Approx(20));
  CHECK(samples_of("ttst", r).empty());
  CHECK(samples_of("max_gap", r).empty());
  CHECK(samples_of("stalls", r).empty());
  CHECK(icl_of(r).empty());
  CHECK(itl_of(r).empty());
}

TEST_CASE("samples: answers that nobody counted stay out of speeds per token") {
  auto r = answer(0, 50'000, {10'000, 10'000});
  r.output_tokens = std::nullopt;
  r.token_source = TokenSource::events;
  CHECK(samples_of("tpot", r, true).empty());
  CHECK(samples_of("tpot", r, false).at(0) == Approx(10));
  CHECK(itl_of(r).empty());
}

TEST_CASE("samples: normalized latency is the whole answer over its tokens, those of hidden reasoning too") {
  auto r = answer(0, 50'000, {10'000, 20'000, 30'000});
  *r.end_us += 10'000;  // 120 ms
  CHECK(value_of("normalized_latency", r) == Approx(30));
  r.output_tokens = 12;
  r.unstreamed_tokens = 8;
  CHECK(value_of("normalized_latency", r) == Approx(10));
}

TEST_CASE("samples: normalized latency is absent where the server did not count the tokens") {
  auto r = answer(0, 50'000, {10'000});
  r.output_tokens = std::nullopt;
  CHECK_FALSE(value_of("normalized_latency", r));
  r.output_tokens = 0;
  CHECK_FALSE(value_of("normalized_latency", r));
}

TEST_CASE("samples: a stall is longer than five median gaps and a quarter of a second") {
  CHECK(samples_of("stalls", answer(0, 1, {10'000, 10'000, 240'000})).at(0) == 0);
  CHECK(samples_of("stalls", answer(0, 1, {10'000, 10'000, 260'000})).at(0) == 1);
  CHECK(samples_of("stalls", answer(0, 1, {100'000, 100'000, 100'000, 400'000})).at(0) == 0);
  CHECK(samples_of("stalls", answer(0, 1, {100'000, 100'000, 100'000, 600'000})).at(0) == 1);
}

TEST_CASE("samples: pauses between bursts are no stalls") {
  std::vector<std::uint32_t> bursts;
  for (int i = 0; i < 8; ++i) bursts.insert(bursts.end(), {300'000, 0, 0, 0});
  CHECK(samples_of("stalls", answer(0, 1, bursts)).at(0) == 0);
}

TEST_CASE("samples: blocks of time are tenths from the first to the last token") {
  const auto r = answer(0, 1'000, std::vector<std::uint32_t>(10, 100));
  const TimeBlocks blocks({&r});
  CHECK(blocks.of(1'000) == 0);
  CHECK(blocks.of(1'500) == 4);
  CHECK(blocks.of(2'000) == 9);
  CHECK(blocks.block_us() == Approx(100).epsilon(0.01));
}
