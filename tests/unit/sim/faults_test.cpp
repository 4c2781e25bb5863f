#include "sim/http/faults.hpp"

#include "catch.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;
using namespace infermeter::sim;
using namespace std::chrono_literals;

TEST_CASE("faults: kind, value and share read as written") {
  const Fault plain = parse_fault("reset");
  CHECK(plain.kind == "reset");
  CHECK(plain.share == 1.0);
  const Fault shared = parse_fault("429:10%");
  CHECK(shared.kind == "429");
  CHECK(shared.value == "1");
  CHECK(shared.share == Approx(0.1));
  const Fault full = parse_fault("stall=250ms:0.5");
  CHECK(full.value == "250ms");
  CHECK(full.share == Approx(0.5));
}

TEST_CASE("faults: a Retry-After date keeps its colons") {
  const Fault dated = parse_fault("429=Wed, 21 Oct 2035 07:28:00 GMT:20%");
  CHECK(dated.value == "Wed, 21 Oct 2035 07:28:00 GMT");
  CHECK(dated.share == Approx(0.2));
  CHECK(parse_fault("503=Wed, 21 Oct 2035 07:28:00 GMT").value == "Wed, 21 Oct 2035 07:28:00 GMT");
}

TEST_CASE("faults: what is wrong with an option is said") {
  CHECK_THROWS_WITH(parse_fault("heartbaet=1s"), "--fault: 'heartbaet' is no fault; did you mean heartbeat?");
  CHECK_THROWS_WITH(parse_fault("reset=3"), "--fault: reset takes no value, not '3'");
  for (const char* wrong : {"", "429:banana", "reset:2", "pack=0", "pack=x", "stall=3", "refuse",
                            "refuse=", "reasoning=loud", "reasoning=hidden,x", "usage=nowhere", "429:"}) {
    INFO(wrong);
    CHECK_THROWS_AS(parse_fault(wrong), UsageError);
  }
  CHECK_THROWS_AS(FaultPlan({{"nonsense", 1, ""}}, 1), UsageError);
}

TEST_CASE("faults: every kind of the list is drawn by name, those with a default without a value") {
  for (const auto& [kind, line] : fault_list()) {
    INFO(kind);
    CHECK_FALSE(line.empty());
    const Fault fault = parse_fault(kind == "refuse" ? "refuse=max_tokens" : kind);
    CHECK(FaultPlan({fault}, 1).draw(0).drawn == std::vector<std::string>{kind});
  }
}

TEST_CASE("faults: a share of 10% hits a tenth of the requests, the same ones again with the same seed") {
  const FaultPlan plan({parse_fault("429:10%"), parse_fault("crlf:50%")}, 7);
  const FaultPlan again({parse_fault("429:10%"), parse_fault("crlf:50%")}, 7);
  const FaultPlan other({parse_fault("429:10%"), parse_fault("crlf:50%")}, 8);
  int hit = 0, both = 0, differ = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const Quirks quirks = plan.draw(i);
    const bool refused = quirks.refusal == "429";
    hit += refused;
    both += refused && quirks.crlf;
    differ += refused != (other.draw(i).refusal == "429");
    REQUIRE(again.draw(i).drawn == quirks.drawn);
  }
  CHECK(hit == Approx(2000).margin(200));
  CHECK(both == Approx(1000).margin(150));  // independent of one another
  CHECK(differ > 3000);
}

TEST_CASE("faults: shares of none and of all are exact") {
  const FaultPlan plan({parse_fault("500:0"), parse_fault("crlf:100%")}, 1);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    REQUIRE(plan.draw(i).refusal.empty());
    REQUIRE(plan.draw(i).crlf);
  }
}

TEST_CASE("faults: of two whole answers and of two cuts the first given wins") {
  const Quirks quirks =
      FaultPlan({parse_fault("503=7"), parse_fault("429"), parse_fault("stall=1s"), parse_fault("reset")}, 1)
          .draw(0);
  CHECK(quirks.refusal == "503");
  CHECK(quirks.retry_after == "7");
  CHECK(quirks.cut == Cut::stall);
  CHECK(quirks.stall == 1s);
}

TEST_CASE("faults: reasoning is a count or a share") {
  const auto drawn = [](std::string_view text) { return FaultPlan({parse_fault(text)}, 1).draw(0); };
  CHECK(drawn("reasoning=hidden").reasoning_share == Approx(0.5));
  CHECK(drawn("reasoning=streamed,64").reasoning_tokens == 64);
  CHECK(drawn("reasoning=hidden,100%").reasoning_share == Approx(1));
}
