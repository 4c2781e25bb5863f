#include "sim/http/truth_log.hpp"

#include "catch.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;
using namespace infermeter::sim;
using namespace std::chrono_literals;

TEST_CASE("truth: a record is this line") {
  const std::vector<std::string> faults{"crlf"};
  const std::vector<SentEvent> events{{EventKind::role, 0, 0, Instant(100ns)},
                                      {EventKind::text, 0, 1, Instant(100ns)},
                                      {EventKind::text, 1, 2, Instant(200ns)}};
  TruthRecord record;
  record.request_id = "run-\"7\"";
  record.number = 7;
  record.endpoint = "chat";
  record.session = "s-1";
  record.connection = 4;
  record.stream = true;
  record.end = "done";
  record.faults = faults;
  record.arrived = Instant(40ns);
  record.received = Instant(50ns);
  record.ended = Instant(300ns);
  record.engine = RequestTruth{1ns, 3ns, 10ns, 20ns, 16, 2};
  record.prompt_tokens = 9;
  record.output_tokens = 4;  // one was made and not sent
  record.choices = 2;
  record.finish_reason = "length";
  record.events = events;
  CHECK(
      truth_json(record) ==
      R"({"id":"run-\"7\"","number":7,"endpoint":"chat","session":"s-1","connection":4,"stream":true,"end":"done","faults":["crlf"],"arrived_ns":40,"received_ns":50,"ended_ns":300,"queue_ns":2,"prefill_ns":7,"decode_ns":10,"cached_tokens":16,"preemptions":2,"prompt_tokens":9,"output_tokens":4,"sent_tokens":3,"choices":2,"finish_reason":"length","events":"rtt","sent_ns":[100,100,200],"tokens":[0,1,2],"choice":[0,0,1]})");
}

TEST_CASE("truth: what never happened is null") {
  TruthRecord record;
  record.end = "refused";
  CHECK(truth_json(record).find(R"("queue_ns":null,"prefill_ns":null,"decode_ns":null)") !=
        std::string::npos);
  record.engine = RequestTruth{1ns, 3ns, 10ns, 0ns, 0, 0};
  CHECK(truth_json(record).find(R"("prefill_ns":7,"decode_ns":null)") != std::string::npos);
}

TEST_CASE("truth: a file that cannot be written is said before anything is served") {
  CHECK_THROWS_AS(TruthLog("/nonexistent-folder/truth.jsonl"), EnvironmentError);
  CHECK_FALSE(TruthLog("").enabled());
}
