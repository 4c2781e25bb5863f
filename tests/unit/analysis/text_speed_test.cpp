#include "analysis/figures/samples.hpp"
#include "answers.hpp"
#include "catch.hpp"
#include "infermeter/analysis/summarize.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

/// Five events of eight characters each, 10 ms apart.
RequestRecord text_answer() {
  auto r = answer(0, 50'000, {10'000, 10'000, 10'000, 10'000});
  r.output_chars = 40;
  return r;
}

/// Characters and seconds.
std::optional<RequestSample> text_speed(const RequestRecord& record) {
  const auto samples = collect({&record}, *find_figure("chars_per_second"));
  return samples.empty() ? std::nullopt : std::optional(samples.front());
}

}  // namespace

TEST_CASE("text speed: the first event's characters are left out as its tokens are") {
  const auto speed = text_speed(text_answer());
  REQUIRE(speed);
  CHECK(speed->above == Approx(32));
  CHECK(speed->below == Approx(0.04));
}

TEST_CASE("text speed: only the time and events from the first visible one on count") {
  auto r = text_answer();
  r.first_output_us = *r.first_token_us + 20'000;  // two events of reasoning before it
  CHECK(text_speed(r)->above == Approx(40 * 2 / 3.0));
  CHECK(text_speed(r)->below == Approx(0.02));
}

TEST_CASE("text speed: events that share the first instant are left out together") {
  auto r = text_answer();
  r.gaps_us = {0, 10'000, 10'000, 10'000};
  r.last_token_us = 80'000;
  CHECK(text_speed(r)->above == Approx(24));
}

TEST_CASE("text speed: without kept gaps it is told where all events are visible and not else") {
  auto r = text_answer();
  r.gaps_us.clear();
  CHECK(text_speed(r)->above == Approx(32));
  r.first_output_us = *r.first_token_us + 20'000;
  CHECK_FALSE(text_speed(r));
}

TEST_CASE("text speed: of several choices it is that of one") {
  auto r = text_answer();
  r.event_choice = {0, 1, 0, 1, 0};
  CHECK(text_speed(r)->above == Approx(16));
}

TEST_CASE("text speed: no text and text of one instant have none") {
  auto r = text_answer();
  r.output_chars = 0;
  CHECK_FALSE(text_speed(r));
  r = answer(0, 50'000, {});
  r.output_chars = 40;
  CHECK_FALSE(text_speed(r));
}

TEST_CASE("text speed: the point's metric has its tail on the low side and a pooled mean") {
  auto slow = text_answer();
  slow.gaps_us = {30'000, 30'000, 30'000, 30'000};
  slow.last_token_us = slow.end_us = 170'000;
  const auto point = summarize(closed(1), std::vector{text_answer(), slow}, {});
  const auto* metric = point.find("chars_per_second");
  REQUIRE(metric);
  CHECK(metric->low_tail);
  CHECK(metric->max == Approx(800));
  CHECK(metric->mean == Approx(64 / 0.16));
}
