#include "infermeter/protocol/request_body.hpp"

#include "catch.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;

namespace {

RequestShape shape_of(Endpoint endpoint = Endpoint::chat) {
  RequestShape shape;
  shape.endpoint = endpoint;
  shape.model = "m";
  return shape;
}

}  // namespace

TEST_CASE("request: the smallest chat body") {
  CHECK(
      BodyTemplate(shape_of()).body("Hi") ==
      R"({"model":"m","messages":[{"role":"user","content":"Hi"}],"max_tokens":128,"stream":true,"stream_options":{"include_usage":true}})");
}

TEST_CASE("request: the smallest completions body") {
  CHECK(
      BodyTemplate(shape_of(Endpoint::completions)).body("Hi") ==
      R"({"model":"m","prompt":"Hi","max_tokens":128,"stream":true,"stream_options":{"include_usage":true}})");
}

TEST_CASE("request: stream_options are asked for only with a stream") {
  auto shape = shape_of();
  shape.stream = false;
  shape.max_tokens_field.clear();
  CHECK(BodyTemplate(shape).body("Hi") ==
        R"({"model":"m","messages":[{"role":"user","content":"Hi"}],"stream":false})");
}

TEST_CASE("request: the system prompt opens a chat as a message and a completion as text") {
  auto shape = shape_of();
  shape.stream = false;
  shape.system_prompt = "Be \"brief\"";
  CHECK(
      BodyTemplate(shape).body("Hi") ==
      R"({"model":"m","messages":[{"role":"system","content":"Be \"brief\""},{"role":"user","content":"Hi"}],"max_tokens":128,"stream":false})");
  shape.endpoint = Endpoint::completions;
  CHECK(BodyTemplate(shape).body("Hi") ==
        R"({"model":"m","prompt":"Be \"brief\"\n\nHi","max_tokens":128,"stream":false})");
}

TEST_CASE("request: a prompt of any bytes is escaped") {
  auto shape = shape_of(Endpoint::completions);
  shape.stream = false;
  CHECK(BodyTemplate(shape).body("a\"\\\n\t\x01 \xC3\xA9 \xF0\x9F\x98\x80 \xff") ==
        "{\"model\":\"m\",\"prompt\":\"a\\\"\\\\\\n\\t\\u0001 \xC3\xA9 \xF0\x9F\x98\x80 "
        "\xEF\xBF\xBD\",\"max_tokens\":128,\"stream\":false}");
}

TEST_CASE("request: exact length fields carry the length or true") {
  auto shape = shape_of();
  shape.stream = false;
  shape.output_tokens = 9;
  shape.exact_fields = {"ignore_eos", "min_tokens"};
  CHECK(
      BodyTemplate(shape).body("") ==
      R"({"model":"m","messages":[{"role":"user","content":""}],"max_tokens":9,"stream":false,"ignore_eos":true,"min_tokens":9})");
}

TEST_CASE("request: the extra body wins and its objects merge deeply") {
  auto shape = shape_of();
  shape.extra_body = R"({"temperature":0,"max_tokens":5,"stream_options":{"continuous_usage_stats":true}})";
  CHECK(
      BodyTemplate(shape).body("Hi") ==
      R"({"model":"m","messages":[{"role":"user","content":"Hi"}],"max_tokens":5,"stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true},"temperature":0})");
}

TEST_CASE("request: an extra body with its own messages leaves no place for the prompt") {
  auto shape = shape_of();
  shape.stream = false;
  shape.extra_body = R"({"messages":[]})";
  CHECK(BodyTemplate(shape).body("Hi") == R"({"model":"m","messages":[],"max_tokens":128,"stream":false})");
}

TEST_CASE("request: a model that is called like the place of the prompt is not taken for it") {
  auto shape = shape_of(Endpoint::completions);
  shape.stream = false;
  shape.model = "<pro-prompt-mpt>";
  CHECK(BodyTemplate(shape).body("Hi") ==
        R"({"model":"<pro-prompt-mpt>","prompt":"Hi","max_tokens":128,"stream":false})");
}

TEST_CASE("request: an extra body that is no object is refused by name") {
  for (const char* text : {"[]", "3", "{", "temperature=0"}) {
    auto shape = shape_of();
    shape.extra_body = text;
    CHECK_THROWS_AS(BodyTemplate(shape), UsageError);
  }
}

TEST_CASE("request: engines that can force a length are asked in their own words") {
  using Fields = std::vector<std::string>;
  CHECK(exact_output_fields("vllm") == Fields{"ignore_eos", "min_tokens"});
  CHECK(exact_output_fields("lmdeploy") == Fields{"ignore_eos", "min_new_tokens"});
  CHECK(exact_output_fields("llama.cpp") == Fields{"ignore_eos"});
  CHECK(exact_output_fields("infermeter-sim") == Fields{"ignore_eos"});
  CHECK(exact_output_fields("").empty());
  CHECK(exact_output_fields("ollama").empty());
}

TEST_CASE("request: max_tokens is swapped once and then left out") {
  auto shape = shape_of();
  CHECK(drop_field(shape, "max_tokens") ==
        "max_tokens is refused by the server: max_completion_tokens is sent instead");
  CHECK(shape.max_tokens_field == "max_completion_tokens");
  CHECK(drop_field(shape, "max_completion_tokens") ==
        "max_completion_tokens is refused by the server: left out");
  CHECK(shape.max_tokens_field.empty());
  CHECK(drop_field(shape, "max_tokens").empty());
}

TEST_CASE("request: a refused field is left out wherever it came from") {
  auto shape = shape_of();
  shape.exact_fields = {"ignore_eos", "min_tokens"};
  shape.extra_body = R"({"seed":1,"stream_options":{"x":1}})";
  CHECK(drop_field(shape, "stream_options") == "stream_options is refused by the server: left out");
  CHECK(drop_field(shape, "min_tokens") == "min_tokens is refused by the server: left out");
  CHECK(drop_field(shape, "seed") == "seed is refused by the server: left out");
  CHECK(drop_field(shape, "top_k").empty());
  CHECK(drop_field(shape, "").empty());
  CHECK(
      BodyTemplate(shape).body("Hi") ==
      R"({"model":"m","messages":[{"role":"user","content":"Hi"}],"max_tokens":128,"stream":true,"ignore_eos":true})");
}
