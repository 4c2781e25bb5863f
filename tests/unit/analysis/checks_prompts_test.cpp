#include "answers.hpp"
#include "catch.hpp"
#include "checks.hpp"
#include "infermeter/analysis/summarize.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

/// `n` answers of 3 tokens to prompts of 512 that the server counted as `prompt`.
std::vector<RequestRecord> asked(int n, std::int64_t prompt) {
  std::vector<RequestRecord> out;
  for (int i = 0; i < n; ++i) {
    out.push_back(answer(i * 1000, 50'000, {10'000, 10'000}));
    out.back().asked_input_tokens = 512;
    out.back().prompt_tokens = prompt;
  }
  return out;
}

LoadPoint cold_load() {
  auto load = open(1000);
  load.classes.resize(1);
  load.classes[0].cold = true;
  return load;
}

std::vector<RequestRecord> with_cached(int n, std::int64_t cached) {
  auto out = asked(n, 512);
  for (auto& r : out) r.cached_tokens = cached;
  return out;
}

}  // namespace

TEST_CASE("prompt lengths: within 2 % of the length asked for is as asked") {
  CHECK(check_of(CheckKind::prompt_lengths, open(1000), asked(20, 502)).state == CheckState::passed);
  const auto check = check_of(CheckKind::prompt_lengths, open(1000), asked(20, 500));
  CHECK(check.state == CheckState::warning);
  CHECK(check.evidence ==
        "20 of 20 prompts are more than 2 % (2 tokens) off the length asked for; mean 500.0 tokens, asked "
        "for 512.0.");
}

TEST_CASE("prompt lengths: two tokens are allowed to a short prompt") {
  auto records = asked(20, 10);
  for (auto& r : records) r.asked_input_tokens = 8;
  CHECK(check_of(CheckKind::prompt_lengths, open(1000), records).state == CheckState::passed);
}

TEST_CASE("prompt lengths: one prompt in twenty may be off, two may not") {
  auto records = asked(20, 512);
  records[0].prompt_tokens = 600;
  CHECK(check_of(CheckKind::prompt_lengths, open(1000), records).state == CheckState::passed);
  records[1].prompt_tokens = 600;
  CHECK(check_of(CheckKind::prompt_lengths, open(1000), records).state == CheckState::warning);
}

TEST_CASE("prompt lengths: later turns hold answers that nobody asked for") {
  auto records = asked(20, 512);
  for (std::size_t i = 10; i < 20; ++i) {
    records[i].turn = 1;
    records[i].prompt_tokens = 900;
  }
  CHECK(check_of(CheckKind::prompt_lengths, open(1000), records).state == CheckState::passed);
}

TEST_CASE("prompt lengths: nothing is said where nothing was asked or counted") {
  auto records = asked(5, 512);
  for (auto& r : records) r.prompt_tokens = std::nullopt;
  CHECK(check_of(CheckKind::prompt_lengths, open(1000), records).state == CheckState::not_applicable);
  for (auto& r : records) r.asked_input_tokens = 0;
  CHECK_FALSE(find_check(summarize(open(1000), records, {}), CheckKind::prompt_lengths));
}

TEST_CASE("cold: what all prompts share and one block are the template's") {
  auto records = with_cached(20, 32);
  records[3].cached_tokens = 48;
  CHECK(check_of(CheckKind::cold, cold_load(), records).state == CheckState::passed);
  records[3].cached_tokens = 64;
  const auto check = check_of(CheckKind::cold, cold_load(), records);
  CHECK(check.state == CheckState::warning);
  CHECK(check.evidence ==
        "1 of 20 prompts that were to be cold were partly in the server's cache: 32.0 tokens each on average "
        "beyond the 32 that all share.");
  CHECK(summarize(cold_load(), records, {}).validity.trustworthy);
}

TEST_CASE("cold: a run that is cached as a whole does not explain itself") {
  CHECK(check_of(CheckKind::cold, cold_load(), with_cached(20, 496)).state == CheckState::warning);
}

TEST_CASE("cold: a prompt that was tried before is no cold one") {
  auto records = with_cached(20, 0);
  records[3].cached_tokens = 496;
  records[3].tries = 2;
  CHECK(check_of(CheckKind::cold, cold_load(), records).state == CheckState::passed);
}

TEST_CASE("cold: a server without the figure is not judged and a warm class not asked") {
  CHECK(check_of(CheckKind::cold, cold_load(), asked(5, 512)).state == CheckState::not_applicable);
  CHECK_FALSE(find_check(summarize(open(1000), with_cached(20, 496), {}), CheckKind::cold));
}

TEST_CASE("lengths: each answer is held to its own length and its class's force") {
  auto load = open(1000);
  load.classes.resize(2);
  load.classes[0].exact_output = true;
  std::vector<RequestRecord> records;
  for (int i = 0; i < 20; ++i) {
    records.push_back(answer(i * 1000, 50'000, std::vector<std::uint32_t>(9, 1000)));  // 10 tokens
    records.back().asked_output_tokens = 10;
  }
  CHECK(check_of(CheckKind::lengths, load, records).state == CheckState::passed);
  for (auto& r : records) {
    r.asked_output_tokens = 30;
    r.finish_reason = "stop";
  }
  CHECK(check_of(CheckKind::lengths, load, records).state == CheckState::warning);
  for (auto& r : records) r.traffic_class = 1;
  CHECK(check_of(CheckKind::lengths, load, records).state == CheckState::passed);
}

TEST_CASE("findings: a cache that the load itself fills is no finding") {
  auto records = with_cached(20, 400);
  CHECK(summarize(open(1000), records, {}).findings.at(0).id == "prefix_cache");
  for (auto& r : records) r.repeat = 1;
  CHECK(summarize(open(1000), records, {}).findings.empty());
  CHECK(summarize(cold_load(), with_cached(20, 400), {}).findings.empty());  // the check reports it
}

TEST_CASE("findings: first sendings that are slower than repeats are no cold server") {
  auto records = asked(40, 512);
  for (std::size_t i = 0; i < 10; ++i) *records[i].first_token_us += 500'000;
  CHECK(summarize(open(1000), records, {}).findings.at(0).id == "cold_start");
  for (std::size_t i = 10; i < 40; ++i) records[i].repeat = 1;
  CHECK(summarize(open(1000), records, {}).findings.empty());
}
