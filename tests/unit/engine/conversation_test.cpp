#include "generator_fixture.hpp"

using namespace infermeter;

TEST_CASE("conversations: each turn begins a think time after the answer before it") {
  Fixture f(load_of(1, 2));
  f.converse(3, 1s);
  f.run();
  REQUIRE(f.records.size() == 6);
  CHECK(f.records[1].intended_us == 1'061'000);
  CHECK(f.records[2].intended_us == 2'122'000);
  CHECK(f.records[3].intended_us == 2'183'000);  // the next conversation, at once
  CHECK(f.records[3].turn == 0);
}

TEST_CASE("conversations: the server's own answers go back as history") {
  Fixture f(load_of(1, 1));
  f.converse(2, 0ms);
  f.run();
  REQUIRE(f.transport.requests.size() == 2);
  const std::string& second = f.transport.requests[1].body;
  const auto first_words = second.find("prompt 0.0"), answer = second.find("\"ab\"");
  const auto new_words = second.find("prompt 0.1");
  CHECK(first_words < answer);
  CHECK(answer < new_words);
  CHECK(new_words != std::string::npos);
  CHECK(f.records[0].text.empty());  // kept for the history alone
}

TEST_CASE("conversations: an end by count cuts none in half and counts conversations") {
  Fixture f(load_of(3, 7));
  f.converse(4, 100ms);
  f.run();
  CHECK(f.records.size() == 28);
  std::map<std::uint64_t, std::uint32_t> turns;
  for (const auto& record : f.records) ++turns[*record.conversation];
  CHECK(turns.size() == 7);
  CHECK(f.transport.most_in_flight <= 3);
}

TEST_CASE("conversations: a turn that fails ends its conversation and frees its slot") {
  Fixture f(load_of(1, 2));
  f.converse(3, 0ms);
  f.transport.special[1] = {{5ms, token("a")}, {6ms, "", Outcome::truncated}};
  f.run();
  REQUIRE(f.records.size() == 5);
  CHECK(f.records[1].outcome == Outcome::truncated);
  CHECK(f.records[2].conversation == 1u);
  CHECK(f.transport.requests[2].body.find("prompt 0") == std::string::npos);
}

TEST_CASE("conversations: after an end by time no further turn begins") {
  Load load = load_of(2, 1);
  load.requests.reset();
  load.duration = 500ms;
  Fixture f(load);
  f.converse(100, 100ms);
  f.run();
  CHECK(f.records.back().end_us < 700'000);
  for (const auto& record : f.records) CHECK(*record.intended_us <= 600'000);
}

TEST_CASE("conversations: a session header holds one id for all turns of a conversation") {
  Fixture f(load_of(1, 2));
  f.converse(2, 0ms);
  f.lane.classes.front().session_header = "X-Session-Id";
  f.lane.classes.front().session_connection = true;
  f.run();
  const auto& sent = f.transport.requests;
  REQUIRE(sent.size() == 4);
  CHECK(sent[0].headers == std::vector<std::string>{"X-Session-Id: r-0"});
  CHECK(sent[1].headers == sent[0].headers);
  CHECK(sent[2].headers == std::vector<std::string>{"X-Session-Id: r-1"});
  CHECK(sent[0].connection_key == sent[1].connection_key);
  CHECK_FALSE(sent[0].connection_key.empty());
}

TEST_CASE("conversations: ids differ from turn to turn") {
  Fixture f(load_of(2, 3));
  f.converse(3, 0ms);
  f.run();
  std::map<std::uint64_t, int> ids;
  for (const auto& record : f.records) ++ids[record.id];
  CHECK(ids.size() == 9);
}
