#include "sim/http/outbox.hpp"

#include "catch.hpp"

using namespace infermeter;
using namespace infermeter::sim;

namespace {
Instant at(std::int64_t ns) { return Instant(nanoseconds(ns)); }
}  // namespace

TEST_CASE("outbox: an event is stamped by the write that completes it") {
  Outbox outbox(true);
  outbox.bytes() += "first";
  outbox.mark(EventKind::text, 0, 1);
  outbox.bytes() += "second";
  outbox.mark(EventKind::text, 0, 2);
  outbox.release_all();
  outbox.wrote(7, at(100));
  CHECK(outbox.ready() == "cond");
  outbox.wrote(4, at(200));
  REQUIRE(outbox.sent().size() == 2);
  CHECK(outbox.sent()[0].at == at(100));
  CHECK(outbox.sent()[1].at == at(200));
  CHECK(outbox.sent()[1].tokens == 2);
  CHECK(outbox.empty());
}

TEST_CASE("outbox: what is not released stays") {
  Outbox outbox(true);
  outbox.bytes() += "abcd";
  outbox.mark(EventKind::text, 0, 1);
  CHECK(outbox.ready().empty());
  CHECK(outbox.held_events() == 1);
  outbox.release_half();
  CHECK(outbox.ready() == "ab");
  outbox.wrote(2, at(1));
  CHECK(outbox.sent().empty());
  outbox.release_all();
  CHECK(outbox.ready() == "cd");
  CHECK(outbox.held_events() == 0);
}
