#include "protocol/request/shape.hpp"

#include "catch.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;

namespace {

TrafficClass traffic_of(const Answers& answers) {
  TrafficClass out;
  out.model = "m";
  out.answers = answers;
  return out;
}

/// The options of the shape as one text: "n=4 logprobs=true".
std::string options(const Answers& answers, Endpoint endpoint, std::string_view engine = {}) {
  std::string out;
  for (const auto& [name, json] : shape_of({}, traffic_of(answers), endpoint, engine).options) {
    if (!out.empty()) out += ' ';
    out += name + '=' + json;
  }
  return out;
}

constexpr const char* kTools =
    R"([{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"},"strict":true}}])";

}  // namespace

TEST_CASE("shape: each endpoint names its limit, and embeddings have none") {
  CHECK(shape_of({}, {}, Endpoint::chat).max_tokens_field == "max_tokens");
  CHECK(shape_of({}, {}, Endpoint::responses).max_tokens_field == "max_output_tokens");
  CHECK(shape_of({}, {}, Endpoint::messages).max_tokens_field == "max_tokens");
  CHECK(shape_of({}, {}, Endpoint::embeddings).max_tokens_field.empty());
  CHECK(shape_of({}, {}, Endpoint::responses).least_output_tokens == 16);
  CHECK_FALSE(shape_of({}, {}, Endpoint::embeddings).stream);
}

TEST_CASE("shape: a class's model wins over the target's, and lengths that vary are sent by their mean") {
  Target target;
  target.model = "big";
  TrafficClass traffic;
  CHECK(shape_of(target, traffic, Endpoint::chat).model == "big");
  traffic.model = "lora";
  traffic.answers.output_tokens = {.kind = Lengths::Kind::uniform, .a = 10, .b = 31};
  const RequestShape shape = shape_of(target, traffic, Endpoint::chat);
  CHECK(shape.model == "lora");
  CHECK(shape.output_tokens == 21);
}

TEST_CASE("shape: the class's extra body is laid over the target's") {
  Target target;
  target.extra_body = R"({"temperature":0,"a":{"x":1,"y":1}})";
  Answers answers;
  answers.extra_body = R"({"a":{"y":2},"seed":1})";
  CHECK(shape_of(target, traffic_of(answers), Endpoint::chat).extra_body ==
        R"({"temperature":0,"a":{"x":1,"y":2},"seed":1})");
  target.extra_body = "[]";
  CHECK_THROWS_AS(shape_of(target, traffic_of(answers), Endpoint::chat), UsageError);
}

TEST_CASE("shape: choices and log probabilities in the words of each endpoint") {
  Answers answers;
  answers.choices = 4;
  CHECK(options(answers, Endpoint::chat) == "n=4");
  CHECK_THROWS_WITH(options(answers, Endpoint::responses),
                    "more than one choice cannot be asked of the responses endpoint");
  answers = {};
  answers.logprobs = 5;
  CHECK(options(answers, Endpoint::chat) == "logprobs=true top_logprobs=5");
  CHECK(options(answers, Endpoint::completions) == "logprobs=5");
  CHECK(options(answers, Endpoint::responses) ==
        R"(include=["message.output_text.logprobs"] top_logprobs=5)");
  CHECK_THROWS_AS(options(answers, Endpoint::messages), UsageError);
}

TEST_CASE("shape: thinking is turned on and off as the endpoint and the engine understand it") {
  Answers off, on;
  off.thinking = Thinking::off;
  on.thinking = Thinking::on;
  on.output_tokens.a = 4000;
  CHECK(options(off, Endpoint::chat, "vllm") ==
        R"(chat_template_kwargs={"enable_thinking":false,"thinking":false})");
  CHECK(options(off, Endpoint::chat) == R"(reasoning_effort="none")");
  CHECK(options(on, Endpoint::chat) == R"(reasoning_effort="medium")");
  CHECK(options(off, Endpoint::responses) == R"(reasoning={"effort":"none"})");
  CHECK(options(off, Endpoint::messages) == R"(thinking={"type":"disabled"})");
  CHECK(options(on, Endpoint::messages) == R"(thinking={"type":"enabled","budget_tokens":2000})");
  on.reasoning_effort = "high";
  CHECK(options(on, Endpoint::chat, "sglang") ==
        R"(reasoning_effort="high" chat_template_kwargs={"enable_thinking":true,"thinking":true})");
  CHECK(options(on, Endpoint::responses) == R"(reasoning={"effort":"high"})");
  CHECK_THROWS_AS(options(on, Endpoint::embeddings), UsageError);
}

TEST_CASE("shape: several texts are for endpoints without generated text") {
  TrafficClass traffic;
  traffic.prompts.batch = 2;
  shape_of({}, traffic, Endpoint::embeddings);
  CHECK_THROWS_WITH(shape_of({}, traffic, Endpoint::chat),
                    "several texts in one request (--batch-size) cannot be asked of the chat endpoint");
}

TEST_CASE("shape: thinking by messages needs room beside its budget") {
  Answers answers;
  answers.thinking = Thinking::on;
  answers.output_tokens.a = 1024;
  CHECK_THROWS_AS(options(answers, Endpoint::messages), UsageError);
  answers.output_tokens.a = 1025;
  CHECK(shape_of({}, traffic_of(answers), Endpoint::messages).least_output_tokens == 1025);
}

TEST_CASE("shape: tools of chat's form are turned into those of the endpoint") {
  Answers answers;
  answers.tools = kTools;
  CHECK(options(answers, Endpoint::chat) == "tools=" + answers.tools);
  CHECK(
      options(answers, Endpoint::responses) ==
      R"(tools=[{"type":"function","name":"f","description":"d","parameters":{"type":"object"},"strict":true}])");
  CHECK(options(answers, Endpoint::messages) ==
        R"(tools=[{"name":"f","description":"d","input_schema":{"type":"object"}}])");
  CHECK_THROWS_AS(options(answers, Endpoint::completions), UsageError);
  answers.tools = "{}";
  CHECK_THROWS_WITH(options(answers, Endpoint::chat), "tools: '{}' is not a JSON array");
}

TEST_CASE("shape: a tool in the endpoint's own form is left as it is") {
  Answers answers;
  answers.tools = R"([{"type":"web_search_20250305","name":"web_search"}])";
  CHECK(options(answers, Endpoint::messages) == "tools=" + answers.tools);
}

TEST_CASE("shape: a format of the answer in the words of each endpoint") {
  Answers answers;
  answers.json_mode = true;
  CHECK(options(answers, Endpoint::chat) == R"(response_format={"type":"json_object"})");
  CHECK(options(answers, Endpoint::responses) == R"(text={"format":{"type":"json_object"}})");
  CHECK_THROWS_AS(options(answers, Endpoint::messages), UsageError);
  answers.json_schema = R"({"type":"object"})";
  CHECK(
      options(answers, Endpoint::chat) ==
      R"(response_format={"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"}}})");
  CHECK(options(answers, Endpoint::responses) ==
        R"(text={"format":{"type":"json_schema","name":"answer","schema":{"type":"object"}}})");
  CHECK(options(answers, Endpoint::messages) ==
        R"(output_config={"format":{"type":"json_schema","schema":{"type":"object"}}})");
  answers.reasoning_effort = "low";
  CHECK(options(answers, Endpoint::messages) ==
        R"(output_config={"format":{"type":"json_schema","schema":{"type":"object"}},"effort":"low"})");
  answers = {};
  answers.json_schema = R"({"name":"n","schema":{"type":"object"},"strict":true})";
  CHECK(options(answers, Endpoint::chat) ==
        R"(response_format={"type":"json_schema","json_schema":)" + answers.json_schema + "}");
}

TEST_CASE("shape: every option that is refused can be left out") {
  Answers answers;
  answers.choices = 2;
  answers.logprobs = 1;
  answers.reasoning_effort = "low";
  answers.tools = kTools;
  answers.json_mode = true;
  auto shape = shape_of({}, traffic_of(answers), Endpoint::chat);
  for (const char* field : {"n", "logprobs", "reasoning_effort", "tools", "response_format"}) {
    CHECK(drop_field(shape, field) == std::string(field) + " is refused by the server: left out");
  }
  CHECK(shape.options.empty());
}

TEST_CASE("shape: a limit that an endpoint demands stays, and one with a single name is left out") {
  auto messages = shape_of({}, {}, Endpoint::messages);
  CHECK(drop_field(messages, "max_tokens").empty());
  CHECK(messages.max_tokens_field == "max_tokens");
  auto responses = shape_of({}, {}, Endpoint::responses);
  CHECK(drop_field(responses, "max_output_tokens") == "max_output_tokens is refused by the server: left out");
  CHECK(responses.max_tokens_field.empty());
}
