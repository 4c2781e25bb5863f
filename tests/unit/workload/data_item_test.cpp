#include "workload/data/data_item.hpp"

#include "catch.hpp"

using namespace infermeter;
using namespace std::chrono_literals;

namespace {

DataItem read(DataFormat format, std::string_view text, bool conversations = false) {
  return read_item(format, text, conversations);
}

std::string fault(DataFormat format, std::string_view text, bool conversations = false) {
  return ItemChecker(format, conversations).fault(text).value_or("none");
}

}  // namespace

TEST_CASE("data item: a JSONL prompt has what is said of it") {
  const Request request =
      read(DataFormat::jsonl,
           R"({"prompt":"a\nb","output_tokens":40,"id":7,"headers":{"X-A":"b"},"body":{"stop": ["x"]}})")
          .turns.at(0);
  CHECK(request.messages == std::vector<Message>{{"user", "a\nb"}});
  CHECK(request.output_tokens == 40);
  CHECK(request.label == "7");
  CHECK(request.headers == std::vector<std::string>{"X-A: b"});
  CHECK(request.extra_body == R"({"stop":["x"]})");
}

TEST_CASE("data item: messages are sent as they are, parts and tool calls too") {
  const std::string messages = R"([{"role":"user","content":[{"type":"text","text":"a"}]}])";
  const Request request =
      read(DataFormat::jsonl, R"({"messages": )" + messages + R"(, "max_tokens": 5.0})").turns.at(0);
  CHECK(request.messages_json == messages);
  CHECK(request.messages.empty());
  CHECK(request.output_tokens == 5);
}

TEST_CASE("data item: turn by turn the assistant's words are left to the server") {
  const auto turns = read(DataFormat::jsonl,
                          R"({"messages":[{"role":"system","content":"s"},{"role":"user","content":"a"},)"
                          R"({"role":"assistant","content":"b"},{"role":"user","content":"c"}],"id":"x"})",
                          true)
                         .turns;
  REQUIRE(turns.size() == 2);
  CHECK(turns[0].messages == std::vector<Message>{{"system", "s"}, {"user", "a"}});
  CHECK(turns[1].messages == std::vector<Message>{{"user", "c"}});
  CHECK(turns[1].label == "x");
}

TEST_CASE("data item: null is as good as absent") {
  const Request request =
      read(DataFormat::jsonl, R"({"prompt":"a","messages":null,"output_tokens":null,"id":null})").turns.at(0);
  CHECK(request.output_tokens == 0);
  CHECK(request.label.empty());
}

TEST_CASE("data item: a misspelt key of a JSONL line is refused, not ignored") {
  CHECK(fault(DataFormat::jsonl, R"({"prompt":"a","ouput_tokens":40})") ==
        "has an unknown key `ouput_tokens`; did you mean `output_tokens`?");
  CHECK(fault(DataFormat::jsonl, R"({"prompt":"a","zzz":1})") ==
        "has an unknown key `zzz`; known: prompt, messages, id, headers, body, timestamp, output_tokens, "
        "max_completion_tokens, max_output_tokens, max_tokens");
}

TEST_CASE("data item: a bad JSONL line says which rule it breaks") {
  constexpr auto jsonl = DataFormat::jsonl;
  CHECK(fault(jsonl, "[1]") == "is not a JSON object");
  CHECK(fault(jsonl, "{\"prompt\":\"a\"") == "is not a JSON object");
  CHECK(fault(jsonl, "{}") == "has neither `prompt` nor `messages`");
  CHECK(fault(jsonl, R"({"prompt":"a","messages":[]})") == "has both `prompt` and `messages`");
  CHECK(fault(jsonl, R"({"prompt":3})") == "`prompt` is not text");
  CHECK(fault(jsonl, R"({"prompt":""})") == "`prompt` is empty");
  CHECK(fault(jsonl, R"({"prompt":"a","output_tokens":0})") ==
        "`output_tokens` is not a whole number from 1");
  CHECK(fault(jsonl, R"({"prompt":"a","max_tokens":1.5})") == "`max_tokens` is not a whole number from 1");
  CHECK(fault(jsonl, R"({"prompt":"a","id":[]})") == "`id` is not text or a number");
  CHECK(fault(jsonl, R"({"prompt":"a","body":"x"})") == "`body` is not an object");
  CHECK(fault(jsonl, R"({"prompt":"a","headers":[]})") == "`headers` is not an object");
  CHECK(fault(jsonl, R"({"prompt":"a","headers":{"A":"b\r\nC: d"}})") ==
        "`headers` has a name or value that no header can have");
  CHECK(fault(jsonl, R"({"messages":[]})") == "`messages` is not an array of messages");
  CHECK(fault(jsonl, R"({"messages":[{"content":"a"}]})") == "`messages` has one without a `role`");
  CHECK(fault(jsonl, R"({"messages":[{"role":"user","content":[]}]})", true) ==
        "`messages` has more than text: it cannot be sent turn by turn");
  CHECK(fault(jsonl, R"({"messages":[{"role":"system","content":"a"}]})", true) ==
        "`messages` has none of the user's");
  CHECK(fault(jsonl, R"({"prompt":"a"})", true) ==
        "`prompt` is a single turn: with --turns there are `messages`");
  CHECK(fault(DataFormat::azure, "2023-11-16 18:17:03,3,4", true) ==
        "is a single turn, of which --turns makes no conversation");
  CHECK(fault(DataFormat::text, "\xff\xfe") == "is not UTF-8");
}

TEST_CASE("data item: of a ShareGPT conversation the first human turn is sent, or each of them") {
  const std::string text =
      R"({"id":"b","conversations":[{"from":"system","value":"s"},{"from":"human","value":"a"},)"
      R"({"from":"gpt","value":"b"},{"from":"human","value":""},{"from":"human","value":"c"}]})";
  const auto one = read(DataFormat::sharegpt, text).turns;
  REQUIRE(one.size() == 1);
  CHECK(one[0].messages == std::vector<Message>{{"system", "s"}, {"user", "a"}});
  CHECK(one[0].label == "b");
  CHECK(one[0].output_tokens == 0);
  const auto all = read(DataFormat::sharegpt, text, true).turns;
  REQUIRE(all.size() == 2);
  CHECK(all[1].messages == std::vector<Message>{{"user", "c"}});
}

TEST_CASE("data item: a conversation without a human is no good one") {
  constexpr auto sharegpt = DataFormat::sharegpt;
  CHECK(fault(sharegpt, R"({"id":"b"})") == "has no `conversations`");
  CHECK(fault(sharegpt, R"({"conversations":[{"from":"gpt","value":"b"}]})") ==
        "`conversations` has nothing that a human says");
  CHECK(fault(sharegpt, R"({"conversations":[{"from":"human"}]})") ==
        "`conversations` has one without `from` and `value`");
}

TEST_CASE("data item: a batch request brings its own body") {
  const Request request =
      read(DataFormat::batch, R"({"custom_id":"r1","method":"POST","url":"/v1/chat/completions",)"
                              R"("body":{"messages": [{"role":"user","content":"a"}], "max_tokens": 16}})")
          .turns.at(0);
  CHECK(request.whole_body == R"({"messages":[{"role":"user","content":"a"}],"max_tokens":16})");
  CHECK(request.label == "r1");
  CHECK(request.output_tokens == 16);
  CHECK(fault(DataFormat::batch, R"({"custom_id":"r1"})") == "has no object under `body`");
  CHECK(fault(DataFormat::batch, R"({"body":{"model":"m"}})") ==
        "`body` has no `messages`, `prompt` or `input`");
  CHECK(fault(DataFormat::batch, R"({"method":"GET","body":{"input":"m"}})") == "`method` is not POST");
}

TEST_CASE("data item: a line of a Mooncake trace has stamp, lengths and blocks") {
  const DataItem item =
      read(DataFormat::mooncake,
           R"({"timestamp":27482.5,"input_length":1025,"output_length":0,"hash_ids":[46,"x",2]})");
  CHECK(item.stamp == 27'482'500us);
  CHECK(item.turns.at(0).input_tokens == 1025);
  CHECK(item.turns.at(0).output_tokens == 1);
  CHECK(item.blocks.size() == 3);
  CHECK(item.blocks[0] == 46);
}

TEST_CASE("data item: a bad line of a Mooncake trace says which rule it breaks") {
  constexpr auto mooncake = DataFormat::mooncake;
  CHECK(fault(mooncake, R"({"timestamp":0,"input_length":5})") == "has no `output_length`");
  CHECK(fault(mooncake, R"({"timestamp":0,"input_length":0,"output_length":1})") ==
        "`input_length` is not a whole number from 1");
  CHECK(fault(mooncake, R"({"timestamp":"a","input_length":9,"output_length":1})") ==
        "`timestamp` is not a number of milliseconds");
  CHECK(fault(mooncake, R"({"timestamp":0,"input_length":512,"output_length":1,"hash_ids":[1,2]})") ==
        "`hash_ids` has 2 blocks of 512 tokens for 512 tokens");
}

TEST_CASE("data item: a row of an Azure trace has stamp and lengths") {
  const DataItem item = read(DataFormat::azure, "2023-11-16 18:17:03.9799600,374,44");
  CHECK(item.turns.at(0).input_tokens == 374);
  CHECK(item.turns.at(0).output_tokens == 44);
  CHECK(item.stamp == std::chrono::seconds(1'700'158'623) + 979'960us);
  CHECK(fault(DataFormat::azure, "yesterday,374,44") == "'yesterday' is no time stamp");
  CHECK(fault(DataFormat::azure, "2023-11-16 18:17:03,374") == "'' is no number of GeneratedTokens");
  CHECK(fault(DataFormat::azure, "2023-11-16 18:17:03,0,3") == "'0' is no number of ContextTokens");
}

TEST_CASE("data item: time stamps as Azure and others write them") {
  CHECK(parse_time_stamp("1970-01-02 00:00:01") == 24h + 1s);
  CHECK(parse_time_stamp("1970-01-01T00:00:00.25Z") == 250ms);
  CHECK(parse_time_stamp("1970-01-01 02:00:00.000000001+02:00") == 1ns);
  CHECK(parse_time_stamp("1970-01-01 00:00:00-01:30") == 90min);
  for (const char* bad :
       {"", "1970-01-01", "1970-13-01 00:00:00", "1970-02-30 00:00:00", "1970-01-01 24:00:00",
        "1970-01-01 00:00", "1970-01-01 00:00:00 x", "1970-01-01 00:00:00+1", "1969-12-31 00:00:00"})
    CHECK_FALSE(parse_time_stamp(bad).has_value());
}

TEST_CASE(
    "data item: a trace's stamp that runs back is a bad line, and the next one is held to the last good") {
  ItemChecker checker(DataFormat::azure, false);
  CHECK_FALSE(checker.fault("2023-11-16 18:17:03,3,4"));
  CHECK(checker.fault("2023-11-16 18:17:02,3,4") == "its time stamp runs back");
  CHECK_FALSE(checker.fault("2023-11-16 18:17:03,3,4"));
}

TEST_CASE("data: an item nested 80,000 levels deep is refused by its depth in every format") {
  const std::string deep = std::string(80'000, '[') + std::string(80'000, ']');
  for (const auto format :
       {DataFormat::jsonl, DataFormat::batch, DataFormat::sharegpt, DataFormat::mooncake}) {
    CHECK(fault(format, "{\"prompt\":" + deep + "}") == "is nested 80,001 levels deep; 256 at most are read");
  }
}
