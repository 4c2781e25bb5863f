#include "protocol/request/body.hpp"

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

namespace {

Request chat_of(std::vector<Message> messages) {
  Request request;
  request.messages = std::move(messages);
  return request;
}

BodyTemplate whole(Endpoint endpoint, const char* system = "") {
  auto shape = shape_of(endpoint);
  shape.stream = false;
  shape.max_tokens_field = endpoint == Endpoint::embeddings ? "" : "max_tokens";
  shape.system_prompt = system;
  return BodyTemplate(shape);
}

const std::vector<Message> kTalk{{"user", "a"}, {"assistant", "b"}, {"user", "c"}};

constexpr const char* kPng = "data:image/png;base64,iVBORw0K";

}  // namespace

TEST_CASE("request: a conversation is sent as each endpoint has it") {
  const Request talk = chat_of(kTalk);
  const std::string turns =
      R"([{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}])";
  CHECK(whole(Endpoint::chat).body(talk) ==
        R"({"model":"m","messages":)" + turns + R"(,"max_tokens":128,"stream":false})");
  CHECK(whole(Endpoint::messages).body(talk) ==
        R"({"model":"m","messages":)" + turns + R"(,"max_tokens":128,"stream":false})");
  CHECK(whole(Endpoint::responses).body(talk) ==
        R"({"model":"m","input":)" + turns + R"(,"max_tokens":128,"stream":false})");
  CHECK(whole(Endpoint::completions).body(talk) ==
        R"({"model":"m","prompt":"a\n\nb\n\nc","max_tokens":128,"stream":false})");
  CHECK(whole(Endpoint::embeddings).body(talk) == R"({"model":"m","input":["a","b","c"]})");
  CHECK(whole(Endpoint::embeddings).body("a") == R"({"model":"m","input":"a"})");
}

TEST_CASE("request: responses and messages have a place of their own for the system prompt") {
  CHECK(
      whole(Endpoint::responses, "S").body("u") ==
      R"({"model":"m","instructions":"S","input":[{"role":"user","content":"u"}],"max_tokens":128,"stream":false})");
  CHECK(
      whole(Endpoint::messages, "S").body("u") ==
      R"({"model":"m","system":"S","messages":[{"role":"user","content":"u"}],"max_tokens":128,"stream":false})");
}

TEST_CASE("request: only chat and completions ask for usage in a stream") {
  for (const auto endpoint : {Endpoint::responses, Endpoint::messages, Endpoint::embeddings}) {
    CHECK(BodyTemplate(shape_of(endpoint)).body("u").find("stream_options") == std::string::npos);
  }
}

TEST_CASE("request: its own number of output tokens goes wherever the number stands") {
  auto shape = shape_of();
  shape.stream = false;
  shape.exact_fields = {"ignore_eos", "min_tokens"};
  Request request = chat_of({{"user", "u"}});
  request.output_tokens = 7;
  CHECK(
      BodyTemplate(shape).body(request) ==
      R"({"model":"m","messages":[{"role":"user","content":"u"}],"max_tokens":7,"stream":false,"ignore_eos":true,"min_tokens":7})");
}

TEST_CASE("request: a system prompt without any message leaves no comma behind") {
  CHECK(whole(Endpoint::chat, "S").body(chat_of({})) ==
        R"({"model":"m","messages":[{"role":"system","content":"S"}],"max_tokens":128,"stream":false})");
}

TEST_CASE("request: a system message among the turns moves to where messages want it") {
  CHECK(
      whole(Endpoint::messages, "S").body(chat_of({{"system", "T"}, {"user", "u"}})) ==
      R"({"model":"m","system":"S\n\nT","messages":[{"role":"user","content":"u"}],"max_tokens":128,"stream":false})");
}

TEST_CASE("request: pictures stand beside the text of the last message") {
  Request request = chat_of({{"user", "see"}});
  request.images = {kPng};
  CHECK(
      whole(Endpoint::chat).body(request) ==
      R"({"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0K"}}]}],"max_tokens":128,"stream":false})");
  CHECK(
      whole(Endpoint::responses).body(request) ==
      R"({"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0K"}]}],"max_tokens":128,"stream":false})");
  CHECK(
      whole(Endpoint::messages).body(request) ==
      R"({"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0K"}}]}],"max_tokens":128,"stream":false})");
}

TEST_CASE("request: calls of tools and their results keep their meaning on every endpoint") {
  Request request;
  request.messages_json =
      R"([{"role":"user","content":"w?"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"x\":2}"}}]},{"role":"tool","tool_call_id":"1","content":"ok"}])";
  CHECK(whole(Endpoint::chat).body(request) ==
        R"({"model":"m","messages":)" + request.messages_json + R"(,"max_tokens":128,"stream":false})");
  CHECK(
      whole(Endpoint::responses).body(request) ==
      R"({"model":"m","input":[{"role":"user","content":"w?"},{"type":"function_call","call_id":"1","name":"f","arguments":"{\"x\":2}"},{"type":"function_call_output","call_id":"1","output":"ok"}],"max_tokens":128,"stream":false})");
  CHECK(
      whole(Endpoint::messages).body(request) ==
      R"({"model":"m","messages":[{"role":"user","content":"w?"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"x":2}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"ok"}]}],"max_tokens":128,"stream":false})");
  CHECK(whole(Endpoint::completions).body(request) ==
        R"({"model":"m","prompt":"w?\n\nok","max_tokens":128,"stream":false})");
}

TEST_CASE("request: its own extra body wins over all") {
  auto shape = shape_of(Endpoint::completions);
  shape.stream = false;
  shape.extra_body = R"({"temperature":0,"seed":1})";
  Request request = chat_of({{"user", "u"}});
  request.extra_body = R"({"seed":2,"max_tokens":3})";
  CHECK(BodyTemplate(shape).body(request) ==
        R"({"model":"m","prompt":"u","max_tokens":3,"stream":false,"temperature":0,"seed":2})");
}

TEST_CASE("request: of a whole body of its own only model and stream are the run's") {
  Request request;
  request.whole_body =
      R"({"model":"x","messages":[{"role":"user","content":"u"}],"max_completion_tokens":3,"stream":false})";
  CHECK(
      BodyTemplate(shape_of()).body(request) ==
      R"({"model":"m","messages":[{"role":"user","content":"u"}],"max_completion_tokens":3,"stream":true,"stream_options":{"include_usage":true}})");
  request.whole_body = R"({"input":["a"],"model":"x","stream":true,"stream_options":{}})";
  CHECK(whole(Endpoint::embeddings).body(request) == R"({"input":["a"],"model":"m"})");
}

TEST_CASE("request: what of a special request is no JSON is passed over") {
  Request request = chat_of({{"user", "u"}});
  request.extra_body = "{";
  request.whole_body = "[";
  CHECK(whole(Endpoint::completions).body(request) ==
        R"({"model":"m","prompt":"u","max_tokens":128,"stream":false})");
  request.whole_body.clear();
  request.messages_json = "nothing";
  CHECK(whole(Endpoint::completions).body(request) ==
        R"({"model":"m","prompt":"u","max_tokens":128,"stream":false})");
}

TEST_CASE("request: options stand in the body as they are") {
  auto shape = shape_of();
  shape.stream = false;
  shape.options = {{"n", "2"}, {"response_format", R"({"type":"json_object"})"}};
  CHECK(
      BodyTemplate(shape).body("u") ==
      R"({"model":"m","messages":[{"role":"user","content":"u"}],"max_tokens":128,"stream":false,"n":2,"response_format":{"type":"json_object"}})");
}

TEST_CASE("request: rerank has one query and a list of documents") {
  auto shape = shape_of(Endpoint::rerank);
  shape.model = "m";
  shape.max_tokens_field.clear();
  CHECK(
      BodyTemplate(shape).body("How \"far\"?") ==
      R"({"model":"m","query":"Which of these texts answers the question best?","documents":["How \"far\"?"]})");
  shape.extra_body = R"({"query":"q","top_n":1})";
  Request request;
  request.messages = {{"user", "a"}, {"user", "b"}};
  CHECK(BodyTemplate(shape).body(request) == R"({"model":"m","query":"q","documents":["a","b"],"top_n":1})");
}

TEST_CASE("request: rerank takes a data file's messages and fields") {
  auto shape = shape_of(Endpoint::rerank);
  shape.model = "m";
  shape.max_tokens_field.clear();
  Request request;
  request.messages_json =
      R"([{"role":"user","content":"a"},{"role":"user","content":[{"type":"text","text":"b"}]}])";
  request.extra_body = R"({"query":"q"})";
  CHECK(BodyTemplate(shape).body(request) == R"({"model":"m","query":"q","documents":["a","b"]})");
}
