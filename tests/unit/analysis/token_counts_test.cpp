#include "model/request_view.hpp"

#include "answers.hpp"
#include "catch.hpp"

using namespace infermeter;
using namespace infermeter::tests;

TEST_CASE("tokens: as many events as tokens are one token each") {
  const auto r = answer(0, 10, {1, 1, 1});
  const auto counts = count_tokens(r);
  CHECK(counts.counted);
  CHECK(counts.per_event_known);
  CHECK(counts.carried == 4);
  CHECK(event_tokens(r, counts, 2) == 1);
}

TEST_CASE("tokens: one token more than events is a counted end token") {
  auto r = answer(0, 10, {1, 1, 1});
  r.output_tokens = 5;
  const auto counts = count_tokens(r);
  CHECK(counts.per_event_known);
  CHECK(counts.streamed == 5);
  CHECK(counts.carried == 4);
}

TEST_CASE("tokens: any other number is shared evenly and known of no event") {
  auto r = answer(0, 10, {1, 1, 1});
  r.output_tokens = 12;
  const auto counts = count_tokens(r);
  CHECK_FALSE(counts.per_event_known);
  CHECK(event_tokens(r, counts, 0) == 3);
  r.output_tokens = 3;
  CHECK_FALSE(count_tokens(r).per_event_known);
}

TEST_CASE("tokens: each choice may have its own counted end token") {
  auto r = answer(0, 10, {1, 1, 1});
  r.event_choice = {0, 1, 0, 1};
  r.output_tokens = 6;
  CHECK(count_tokens(r).per_event_known);
  r.output_tokens = 7;
  CHECK_FALSE(count_tokens(r).per_event_known);
}

TEST_CASE("tokens: the server's counts per event are taken as they are") {
  auto r = answer(0, 10, {1, 1});
  r.output_tokens = 8;
  r.gap_tokens = {1, 4, 3};
  const auto counts = count_tokens(r);
  CHECK(counts.per_event_known);
  CHECK(event_tokens(r, counts, 1) == 4);
}

TEST_CASE("tokens: counts of another length than the events are not used") {
  auto r = answer(0, 10, {1, 1});
  r.output_tokens = 8;
  r.gap_tokens = {1, 4};
  CHECK_FALSE(count_tokens(r).per_event_known);
}

TEST_CASE("tokens: without usage the sum of the events' own counts is the total") {
  auto r = answer(0, 10, {1, 1});
  r.output_tokens = std::nullopt;
  r.token_source = TokenSource::token_ids;
  r.gap_tokens = {1, 4, 3};
  CHECK(count_tokens(r).generated == 8);
  r.gap_tokens = {};
  CHECK(count_tokens(r).generated == 3);
}

TEST_CASE("tokens: where nobody counted, events are events") {
  auto r = answer(0, 10, {1, 1});
  r.output_tokens = std::nullopt;
  r.token_source = TokenSource::events;
  const auto counts = count_tokens(r);
  CHECK_FALSE(counts.counted);
  CHECK_FALSE(counts.per_event_known);
  CHECK(counts.generated == 3);
}

TEST_CASE("tokens: hidden reasoning is generated and not streamed") {
  auto r = answer(0, 10, {1, 1, 1});
  r.output_tokens = 204;
  r.reasoning_tokens = 200;
  r.unstreamed_tokens = 200;
  const auto counts = count_tokens(r);
  CHECK(counts.generated == 204);
  CHECK(counts.streamed == 4);
  CHECK(counts.per_event_known);
}

TEST_CASE("tokens: hidden reasoning in the first difference of continuous usage is not the first event's") {
  auto r = answer(0, 10, {1, 1});
  r.output_tokens = 205;
  r.unstreamed_tokens = 200;
  r.gap_tokens = {201, 2, 2};
  const auto counts = count_tokens(r);
  CHECK(event_tokens(r, counts, 0) == 1);
  CHECK(event_tokens(r, counts, 1) == 2);
}

TEST_CASE("tokens: fewer tokens than were hidden leave none, not a negative number") {
  auto r = answer(0, 10, {1, 1});
  r.output_tokens = 2;
  r.unstreamed_tokens = 200;
  CHECK(count_tokens(r).streamed == 0);
}
