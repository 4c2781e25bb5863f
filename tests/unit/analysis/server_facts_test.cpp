#include "analysis/figures/server_facts.hpp"

#include <algorithm>

#include "answers.hpp"
#include "catch.hpp"
#include "infermeter/analysis/thresholds.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

/// A million prompt tokens of which a quarter is cached, and 2 output tokens.
RequestRecord priced(std::int64_t start) {
  auto r = answer(start, 50'000, {10'000});
  r.prompt_tokens = 1'000'000;
  r.cached_tokens = 250'000;
  return r;
}

PointResult facts(const std::vector<RequestRecord>& records, const RunState& state = {}) {
  return summarize(closed(1), records, state);
}

}  // namespace

TEST_CASE("cost: tokens at their price, cached ones at theirs") {
  RunState state;
  state.prices = {.input_per_million = 2.0, .cached_per_million = 0.5, .output_per_million = 1e6};
  const auto cost = facts({priced(0)}, state).cost;
  REQUIRE(cost);
  CHECK(cost->total == Approx(1.5 + 0.125 + 2));
  CHECK(cost->per_1k == Approx(3625));
  CHECK(cost->source == "prices");
  state.prices.cached_per_million = std::nullopt;
  CHECK(facts({priced(0)}, state).cost->total == Approx(2 + 2));
}

TEST_CASE("cost: tokens written to the cache at their price") {
  auto record = priced(0);
  record.cache_write_tokens = 500'000;
  RunState state;
  state.prices = {.input_per_million = 2.0,
                  .cached_per_million = 0.5,
                  .cache_write_per_million = 2.5,
                  .output_per_million = 1e6};
  const auto point = facts({record}, state);
  CHECK(point.cost->total == Approx(0.25 * 2 + 0.25 * 0.5 + 0.5 * 2.5 + 2));
  CHECK(point.cache_write_tokens == 500'000);
  state.prices.cache_write_per_million = std::nullopt;
  CHECK(facts({record}, state).cost->total == Approx(0.75 * 2 + 0.25 * 0.5 + 2));
}

TEST_CASE("limits: the facts say which limit was used up, and its reset, though later answers went well") {
  auto refused = priced(0), fine = priced(100'000);
  refused.rate_limits.write() = {
      {"x-ratelimit-remaining", "4"}, {"x-ratelimit-reset", "2.5"}, {"x-tokenlimit-remaining", "0"}};
  fine.rate_limits.write() = {{"x-ratelimit-remaining", "3"}};
  const auto limits = facts({refused, fine}).rate_limits;
  REQUIRE(limits);
  CHECK(limits->headers == HeaderValues{{"x-ratelimit-remaining", "3"}});
  CHECK(limits->used_up == HeaderValues{{"x-tokenlimit-remaining", "2.5"}});
}

TEST_CASE("cost: the server's own figure goes first where nearly all answers have it") {
  RunState state;
  state.prices.input_per_million = 2.0;
  std::vector<RequestRecord> records;
  for (int i = 0; i < 10; ++i) records.push_back(priced(i * 100'000));
  for (std::size_t i = 0; i < 9; ++i) records[i].cost = 0.25;
  CHECK(facts(records, state).cost->source == "server, partly estimated");
  CHECK(facts(records, state).cost->total == Approx(2.5));
  CHECK(facts(records, state).cost->per_1k == Approx(250));
  records[0].cost = std::nullopt;
  CHECK(facts(records, state).cost->source == "prices");
}

TEST_CASE("cost: failed requests are paid for and 1,000 answers are ok ones") {
  std::vector<RequestRecord> records{priced(0), priced(100'000)};
  for (auto& r : records) r.cost = 0.5;
  records[1].outcome = Outcome::truncated;
  CHECK(facts(records).cost->per_1k == Approx(1000));
}

TEST_CASE("cost: a stream that was closed or broke off is paid for by what is known of it") {
  RunState state;
  state.prices = {.input_per_million = 1.0, .output_per_million = 1e6};
  std::vector<RequestRecord> records{priced(0)};  // 1 for its prompt, 2 for its tokens
  for (const auto outcome : {Outcome::cancelled, Outcome::truncated}) {
    records.push_back(answer(100'000, 50'000, {10'000, 10'000}));
    records.back().outcome = outcome;
    records.back().output_tokens = std::nullopt;
    records.back().token_source = TokenSource::events;
    records.back().asked_input_tokens = 500'000;
  }
  records.push_back(failed(200'000, Outcome::http_error, 500));
  const auto cost = facts(records, state).cost;
  CHECK(cost->total == Approx(3 + 2 * (0.5 + 3)));
  CHECK(cost->source == "prices, partly estimated");
  for (auto& r : records) r.asked_input_tokens = 0;  // then a prompt like the others
  CHECK(facts(records, state).cost->total == Approx(3 + 2 * (1 + 3)));
}

TEST_CASE("cost: what the server says of its answers is scaled to streams that end before they are billed") {
  std::vector<RequestRecord> records{priced(0), priced(100'000)};
  records[0].cost = 0.5;
  records[1].outcome = Outcome::cancelled;
  const auto cost = facts(records).cost;
  CHECK(cost->total == Approx(1));
  CHECK(cost->source == "server, partly estimated");
}

TEST_CASE("cost: a target by the hour costs its time") {
  RunState state;
  state.prices.per_hour = 3600;
  const auto point = facts({priced(0), priced(1'000'000)}, state);
  CHECK(point.cost->total == Approx(point.whole.window_s));
  CHECK(point.cost->source == "per_hour");
}

TEST_CASE("cost: uncounted tokens are not free") {
  RunState state;
  state.prices.input_per_million = 2.0;
  auto r = answer(0, 50'000, {10'000});
  r.output_tokens = std::nullopt;
  CHECK_FALSE(facts({r}, state).cost);
  CHECK_FALSE(facts({priced(0)}).cost);
}

TEST_CASE("cache: the hit share is of the requests that report it") {
  auto unknown = priced(100'000);
  unknown.cached_tokens = std::nullopt;
  const auto cache = facts({priced(0), unknown}).cache;
  REQUIRE(cache);
  CHECK(cache->requests == 1);
  CHECK(cache->hit_share == Approx(0.25));
  CHECK(cache->mean_cached == 250'000);
  CHECK_FALSE(facts({unknown}).cache);
}

TEST_CASE("rate limits: refusals, the longest wait asked for and the newest headers") {
  std::vector<RequestRecord> records{failed(0, Outcome::http_error, 429),
                                     failed(1000, Outcome::http_error, 503), priced(2000)};
  records[0].retry_after_ms = 1500;
  records[0].rate_limits.write() = {{"x-ratelimit-remaining-requests", "0"}};
  records[2].rate_limits.write() = {{"x-ratelimit-remaining-requests", "59"}};
  RunState state;
  state.waited_s = 2;
  const auto limits = facts(records, state).rate_limits;
  REQUIRE(limits);
  CHECK(limits->limited == 2);
  CHECK(limits->retry_after_s == 1.5);
  CHECK(limits->waited_s == 2);
  CHECK(limits->headers.at(0).second == "59");
  CHECK_FALSE(facts({priced(0)}).rate_limits);
}

TEST_CASE("rate limits: refusals that were tried again with success are counted") {
  std::vector<RequestRecord> records{priced(0), priced(100'000), failed(200'000, Outcome::http_error, 429)};
  records[1].tries = 3;
  records[1].limited_tries = 2;
  records[1].longest_retry_after_ms = 4000;
  records[2].retry_after_ms = 1000;
  const auto point = facts(records);
  REQUIRE(point.rate_limits);
  CHECK(point.rate_limits->limited == 3);
  CHECK(point.rate_limits->retry_after_s == 4);
  CHECK(value_of(parse_threshold("--assert", "rate_limited < 1%"), point) == Approx(3.0 / 5));
}

TEST_CASE("retries: what was tried again is counted and has no client queue") {
  auto again = priced(100'000);
  again.tries = 3;
  *again.sent_us += 40'000;
  const auto point = facts({priced(0), again});
  CHECK(point.retried_requests == 1);
  CHECK(point.retries == 2);
  CHECK(point.find("client_queue")->count == 1);
  CHECK(point.find("ttft_response")->count == 2);
}

TEST_CASE("server times: they are metrics of their own and name where they stood") {
  auto r = priced(0);
  r.server_times.write().queue_ms = 3.5;
  r.server_times.write().ttft_ms = 40;
  r.server_times.write().from = "vllm metrics";
  const auto point = facts({r, priced(100'000)});
  REQUIRE(point.server_metrics.size() == 2);
  CHECK(point.server_metrics[0].name == "queue");
  CHECK(point.server_metrics[0].mean == 3.5);
  CHECK(point.server_metrics[1].name == "ttft");
  CHECK(point.server_times_from == "vllm metrics");
}

TEST_CASE("embeddings: vectors per second are told apart from requests") {
  auto load = closed(1);
  load.stream = false;
  std::vector<RequestRecord> records;
  for (int i = 0; i < 11; ++i) {
    records.push_back(stay(i * 100'000, i * 100'000 + 100'000));
    records.back().items = 16;
  }
  const auto point = summarize(load, records, {});
  CHECK(point.item_throughput == Approx(16 * point.steady->request));
  CHECK(point.find("e2e")->mean == 100);
}

TEST_CASE("embeddings: a count of the prompt is all the count there is, and no finish is no wonder") {
  auto load = closed(1);
  load.stream = false;
  std::vector<RequestRecord> records;
  for (int i = 0; i < 11; ++i) {
    records.push_back(stay(i * 100'000, i * 100'000 + 100'000));
    records.back().items = 1;
    records.back().prompt_tokens = 512;
    records.back().finish_reason.clear();
  }
  const auto tokens = [&] {
    const auto& checks = summarize(load, records, {}).validity.checks;
    return *std::ranges::find(checks, CheckKind::tokens, &Check::kind);
  };
  CHECK(tokens().state == CheckState::passed);
  CHECK(tokens().evidence.starts_with("5,632 prompt tokens counted by the server"));
  CHECK(summarize(load, records, {}).finish_reasons.empty());
  CHECK(summarize(load, records, {}).token_source == TokenSource::usage);
  records[4].prompt_tokens = std::nullopt;
  CHECK(tokens().state == CheckState::warning);
  CHECK(tokens().evidence.starts_with("1 of 11 answers"));
}

TEST_CASE("gpus: output per GPU is the output throughput shared out") {
  RunState state;
  state.gpus = 8;
  const auto point = summarize(closed(4), closed_loop(4, 11), state);
  CHECK(point.output_per_gpu == Approx(point.steady->output / 8));
}
