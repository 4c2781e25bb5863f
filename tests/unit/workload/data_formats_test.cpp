#include "workload/data/data_formats.hpp"

#include "catch.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;

TEST_CASE("data formats: a file is told by its first bytes") {
  CHECK(detect_format("f", "Why?\n") == DataFormat::text);
  CHECK(detect_format("f.txt", "[{not an array}]") == DataFormat::text);
  CHECK(detect_format("f", R"({"prompt": "a"})") == DataFormat::jsonl);
  CHECK(detect_format("f", "\xef\xbb\xbf\n [ {\"id\": 1,\n \"messages\": [") == DataFormat::jsonl);
  CHECK(detect_format("f", R"([{"id": "x", "conversations": [{"from")") == DataFormat::sharegpt);
  CHECK(detect_format("f", R"({"custom_id": "a", "method": "POST", "url": "/", "body": {"me)") ==
        DataFormat::batch);
  CHECK(detect_format("f", R"({"timestamp": 0, "input_length": 9, "output_length": 1})") ==
        DataFormat::mooncake);
  CHECK(detect_format("f", "TIMESTAMP,ContextTokens,GeneratedTokens\r\n") == DataFormat::azure);
  CHECK(detect_format("f", "\"Timestamp\", \"ContextTokens\", \"GeneratedTokens\"") == DataFormat::azure);
}

TEST_CASE("data formats: only keys of the first object itself count") {
  CHECK(detect_format("f", R"({"prompt": "\"conversations\": {", "x": {"conversations": 1}})") ==
        DataFormat::jsonl);
  CHECK(detect_format("f", "{\"prompt\" : 1}\n{\"conversations\": []}") == DataFormat::jsonl);
}

TEST_CASE("data formats: a prompt with a body of its own is no batch request") {
  CHECK(detect_format("f", R"({"body": {"temperature": 0}, "prompt": "a"})") == DataFormat::jsonl);
}

TEST_CASE("data formats: a file of another kind is refused by what it lacks") {
  CHECK_THROWS_WITH(
      detect_format("f.jsonl", R"({"text": "a", "label": 1})"),
      "f.jsonl: what is to be sent is not clear from the keys of its first object (text, label)");
  CHECK_THROWS_WITH(detect_format("f.csv", "prompt,answer\na,b\n"),
                    "f.csv: its first line is not TIMESTAMP,ContextTokens,GeneratedTokens");
  CHECK_THROWS_WITH(detect_format("f.json", "[1, 2]"), "f.json: does not begin with a JSON object");
}

TEST_CASE("data formats: a name in front forces one, and only a known one is cut off") {
  CHECK(parse_data_file("sharegpt:a:b.json").path == "a:b.json");
  CHECK(parse_data_file("sharegpt:a:b.json").format == DataFormat::sharegpt);
  CHECK(parse_data_file("vllm:x").format == DataFormat::jsonl);
  CHECK(parse_data_file("my:file.txt").path == "my:file.txt");
  CHECK_FALSE(parse_data_file("my:file.txt").format.has_value());
}
