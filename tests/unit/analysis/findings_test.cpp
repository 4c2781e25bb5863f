#include <algorithm>

#include "answers.hpp"
#include "catch.hpp"
#include "infermeter/analysis/summarize.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

std::string finding(std::string_view id, const LoadPoint& load, const std::vector<RequestRecord>& records) {
  const auto found = summarize(load, records, {}).findings;
  const auto it = std::ranges::find(found, id, &Finding::id);
  return it == found.end() ? "" : it->text;
}

bool found(std::string_view id, const LoadPoint& load, const std::vector<RequestRecord>& records) {
  return !finding(id, load, records).empty();
}

/// One slot, `n` answers of 31 tokens, TTFT 50 to 53 ms.
std::vector<RequestRecord> ordinary_answers(int n) {
  std::vector<RequestRecord> out;
  for (int i = 0; i < n; ++i)
    out.push_back(answer(i * 500'000, 50'000 + i % 4 * 1000, std::vector<std::uint32_t>(30, 10'000)));
  return out;
}

void set_flag(std::vector<RequestRecord>& records, std::size_t n, Flag flag) {
  for (std::size_t i = 0; i < n; ++i) records[i].flags.set(flag);
}

void slow_start(RequestRecord& r, std::int64_t us) {
  *r.first_token_us += us;
  *r.last_token_us += us;
  *r.end_us += us;
}

/// The slots of a closed loop, each begun a quarter of an answer after the one before.
std::vector<RequestRecord> apart(std::vector<RequestRecord> records) {
  std::int64_t slot = -1;
  for (auto& r : records) {
    if (r.phase == Phase::warmup) ++slot;
    for (Micros* at : {&r.intended_us, &r.started_us, &r.sent_us, &r.first_token_us, &r.first_output_us,
                       &r.last_token_us, &r.end_us})
      **at += slot * 85'000;
  }
  return records;
}

/// Ten prompts of the user's own, each sent several times: 176 ms the first time, then 15 ms.
std::vector<RequestRecord> own_prompts(int requests) {
  std::vector<RequestRecord> out;
  for (int i = 0; i < requests; ++i) {
    out.push_back(answer(i * 500'000, i < 10 ? 176'000 : 15'000, {10'000, 10'000}));
    out.back().repeat = static_cast<std::uint32_t>(i / 10);
    if (i < 10) out.back().phase = Phase::warmup;
  }
  return out;
}

LoadPoint with_own_text() {
  auto load = closed(1);
  load.classes.resize(1);
  load.classes[0].fresh = false;
  return load;
}

}  // namespace

TEST_CASE("findings: a run like any other has none") {
  CHECK(summarize(closed(1), ordinary_answers(100), {}).findings.empty());
  CHECK(summarize(closed(4), apart(closed_loop(4, 20)), {}).findings.empty());
  CHECK(summarize(closed(1), {}, {}).findings.empty());
}

TEST_CASE("findings: slow first requests are a cold start, counted and measured") {
  auto records = ordinary_answers(100);
  for (std::size_t i = 0; i < 3; ++i) slow_start(records[i], 150'000);
  const auto text = finding("cold_start", closed(1), records);
  CHECK(text.find("The first 3 requests took 3.9 times as long") == 0);
  CHECK(text.find("--warmup") != std::string::npos);
}

TEST_CASE(
    "findings: slow requests in the middle, a little slower first ones or few requests are no cold start") {
  auto middle = ordinary_answers(100);
  for (std::size_t i = 20; i < 23; ++i) slow_start(middle[i], 150'000);
  CHECK_FALSE(found("cold_start", closed(1), middle));
  auto slightly = ordinary_answers(100);
  slow_start(slightly[0], 80'000);
  CHECK_FALSE(found("cold_start", closed(1), slightly));
  auto few = ordinary_answers(19);
  slow_start(few[0], 500'000);
  CHECK_FALSE(found("cold_start", closed(1), few));
}

TEST_CASE("findings: a first request no slower than later outliers is no cold start") {
  auto records = ordinary_answers(100);
  for (const std::size_t i : {0u, 60u, 70u, 80u}) slow_start(records[i], 300'000);
  CHECK_FALSE(found("cold_start", closed(1), records));
}

TEST_CASE("findings: slots that start together without a warm-up are named as the other cause") {
  auto records = ordinary_answers(100);
  for (std::size_t i = 0; i < 4; ++i) slow_start(records[i], 200'000);
  CHECK(finding("cold_start", closed(4), records).find("all slots started at once") != std::string::npos);
  CHECK(finding("cold_start", closed(1), records).find("all slots") == std::string::npos);
}

TEST_CASE("findings: a frequent minority of buffered answers is found, one in a hundred is not") {
  auto records = ordinary_answers(100);
  set_flag(records, 1, Flag::buffered_stream);
  CHECK_FALSE(found("buffered_stream", closed(1), records));
  set_flag(records, 20, Flag::buffered_stream);
  CHECK(finding("buffered_stream", closed(1), records).find("20 of 100 answers") == 0);
}

TEST_CASE("findings: a stream that is none is left to its check") {
  auto records = ordinary_answers(100);
  set_flag(records, 90, Flag::buffered_stream);
  CHECK_FALSE(found("buffered_stream", closed(1), records));
}

TEST_CASE("findings: events packed by the server are found, those of a late client are not") {
  auto records = ordinary_answers(100);
  for (auto& r : records) r.packed = 10;  // of 31
  CHECK(finding("packed_events", closed(1), records).find("32 %") == 0);
  for (auto& r : records) r.late = 1;
  CHECK_FALSE(found("packed_events", closed(1), records));
  for (auto& r : records) r.late = 0, r.packed = 5;
  CHECK_FALSE(found("packed_events", closed(1), records));
}

TEST_CASE("findings: a limit that is ignored is found with the longest answer") {
  auto load = closed(1);
  load.output_tokens = 16;
  auto records = ordinary_answers(100);
  CHECK_FALSE(found("limit_ignored", load, records));
  set_flag(records, 2, Flag::limit_ignored);
  const auto text = finding("limit_ignored", load, records);
  CHECK(text.find("2 of 100 answers") == 0);
  CHECK(text.find("the longest 31") != std::string::npos);
}

TEST_CASE("findings: the limit of an answer of several choices is that of all of them") {
  auto load = closed(1);
  load.output_tokens = 16;
  auto records = ordinary_answers(100);
  for (auto& r : records) r.asked_output_tokens = 64;  // n = 4
  set_flag(records, 2, Flag::limit_ignored);
  CHECK(finding("limit_ignored", load, records).find("the limit of 64 tokens") != std::string::npos);
  set_flag(records, 1, Flag::limit_ignored);
  records[0].asked_output_tokens = 32;
  CHECK(finding("limit_ignored", load, records).find("longer than the limit they") != std::string::npos);
}

TEST_CASE("findings: end markers are a fault unless the answer was forced past its end") {
  auto load = closed(1);
  auto records = ordinary_answers(100);
  set_flag(records, 40, Flag::end_marker);
  CHECK(found("end_marker", load, records));
  load.exact_output = true;
  CHECK_FALSE(found("end_marker", load, records));
}

TEST_CASE("findings: answers of reasoning only are named with the limit that cut them") {
  auto load = closed(1);
  load.output_tokens = 31;
  auto records = ordinary_answers(100);
  CHECK_FALSE(found("only_reasoning", load, records));
  set_flag(records, 7, Flag::only_reasoning);
  CHECK(finding("only_reasoning", load, records).find("7 of 100 answers") == 0);
}

TEST_CASE("findings: a warm prefix cache is found by the server's own count") {
  auto records = ordinary_answers(100);
  for (auto& r : records) r.prompt_tokens = 512, r.cached_tokens = 32;
  CHECK_FALSE(found("prefix_cache", closed(1), records));
  for (auto& r : records) r.cached_tokens = 256;
  CHECK(finding("prefix_cache", closed(1), records).find("50 % of the prompt tokens") == 0);
}

TEST_CASE("findings: tokens that came in no event give no TTFT and no speed, and say so") {
  auto records = ordinary_answers(100);
  set_flag(records, 100, Flag::uncarried_tokens);
  const auto point = summarize(closed(1), records, {});
  CHECK(finding("uncarried_tokens", closed(1), records).find("100 of 100 answers") == 0);
  for (const auto name : {"ttft", "ttft_response", "ttfo", "tpot", "tps", "itl", "icl"}) {
    INFO(name);
    CHECK(point.find(name) == nullptr);
  }
  CHECK(point.find("e2e") != nullptr);
}

TEST_CASE("findings: an event that cannot be read is quoted") {
  auto records = ordinary_answers(100);
  set_flag(records, 1, Flag::odd_event);
  records[0].error = "an event is no JSON object: oops";
  CHECK(finding("odd_event", closed(1), records).find("oops") != std::string::npos);
}

TEST_CASE("findings: slots in step are said, with the spread of lengths that breaks the waves") {
  auto load = closed(4);
  load.output_tokens = 128;
  const auto text = finding("waves", load, closed_loop(4, 20));
  CHECK(text.find("All slots run in step") == 0);
  CHECK(text.find("--output-tokens uniform:64,192") != std::string::npos);
  CHECK(text.find("--stages 30s:4,60s:4") != std::string::npos);
  CHECK_FALSE(found("waves", load, apart(closed_loop(4, 20))));
  load.open_loop = true;
  load.rate = 10;
  CHECK_FALSE(found("waves", load, closed_loop(4, 20)));
}

TEST_CASE("findings: own prompts sent again say what a prefix cache may hide, 176 ms against 15") {
  const auto text = finding("prompts_again", with_own_text(), own_prompts(100));
  CHECK(text.find("90 of 90 answers are to prompts that this run had sent before") == 0);
  CHECK(text.find("Their TTFT is 15.0 ms (p50); the first time it was 176 ms.") != std::string::npos);
  CHECK_FALSE(found("prompts_again", closed(1), own_prompts(100)));  // --prompt-reuse of synthetic ones
}

TEST_CASE("findings: where the server counts cached tokens, its count stands for own prompts sent again") {
  auto records = own_prompts(100);
  for (auto& r : records) {
    r.prompt_tokens = 1000;
    r.cached_tokens = r.repeat > 0 ? 900 : 0;
  }
  CHECK_FALSE(found("prompts_again", with_own_text(), records));
  CHECK(finding("prefix_cache", with_own_text(), records).find("90 % of the prompt tokens") == 0);
}
