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

TEST_CASE("shape: a vendor's limit field is sent from the first request on, and swapped if it is refused") {
  Target target;
  target.facts = {.vendor = "groq", .endpoint = Endpoint::chat, .limit_field = "max_completion_tokens"};
  auto shape = shape_of(target, {}, Endpoint::chat);
  CHECK(shape.max_tokens_field == "max_completion_tokens");
  CHECK(drop_field(shape, "max_completion_tokens") ==
        "max_completion_tokens is refused by the server: max_tokens is sent instead");
  CHECK(shape_of(target, {}, Endpoint::responses).max_tokens_field == "max_output_tokens");
  CHECK(shape_of(target, {}, Endpoint::embeddings).max_tokens_field.empty());
}

TEST_CASE("shape: fields that a vendor refuses are not sent, and what was asked for is said") {
  Target target;
  target.facts = {.vendor = "groq",
                  .refused = {"n", "logprobs", "stream_options", "ignore_eos", "min_tokens"}};
  CHECK(shape_of(target, {}, Endpoint::chat).notes.empty());
  CHECK_FALSE(shape_of(target, {}, Endpoint::chat).include_usage);
  Answers answers;
  answers.choices = 3;
  answers.logprobs = 2;
  answers.json_mode = true;
  auto shape = shape_of(target, traffic_of(answers), Endpoint::chat);
  REQUIRE(shape.options.size() == 1);
  CHECK(shape.options[0].first == "response_format");
  const std::vector<std::string> notes{"groq does not take --choices (n): left out",
                                       "groq does not take --logprobs (logprobs, top_logprobs): left out"};
  CHECK(shape.notes == notes);
}

TEST_CASE("shape: an extra body loses the fields that a vendor refuses, and keeps n if it is 1") {
  Target target;
  target.facts = {.vendor = "mistral", .refused = {"seed", "n"}};
  target.extra_body = R"({"seed":1,"n":1,"top_k":5})";
  const RequestShape shape = shape_of(target, {}, Endpoint::chat);
  CHECK(shape.extra_body == R"({"n":1,"top_k":5})");
  CHECK(shape.notes == std::vector<std::string>{"mistral does not take --extra-body (seed): left out"});
  target.extra_body = R"({"n":2})";
  CHECK(shape_of(target, {}, Endpoint::chat).extra_body.empty());
}

TEST_CASE("shape: a length is forced by the fields that a vendor takes") {
  const VendorFacts facts{.vendor = "v", .refused = {"min_tokens"}};
  RequestShape shape;
  CHECK(force_length(shape, facts, "vllm", true));
  CHECK(shape.exact_fields == std::vector<std::string>{"ignore_eos"});
  CHECK(shape.notes == std::vector<std::string>{"v does not take --exact-output (min_tokens): left out"});
  RequestShape none;
  CHECK_FALSE(force_length(none, {.vendor = "v", .refused = {"min_tokens", "ignore_eos"}}, "", false));
  CHECK(none.exact_fields.empty());
  CHECK(none.notes.empty());
  RequestShape unknown;
  CHECK(force_length(unknown, {}, "", true));
  CHECK(unknown.exact_fields == std::vector<std::string>{"ignore_eos", "min_tokens"});
}

TEST_CASE("shape: a vendor's own switch turns thinking on and off, and the user's effort wins over it") {
  Target target;
  target.facts = {.vendor = "cohere",
                  .endpoint = Endpoint::chat,
                  .thinking_on = R"({"reasoning_effort":"high","thinking":{"type":"enabled"}})",
                  .thinking_off = R"({"enable_thinking":false})"};
  const auto of = [&](Thinking thinking, const std::string& effort) {
    Answers answers;
    answers.thinking = thinking;
    answers.reasoning_effort = effort;
    return shape_of(target, traffic_of(answers), Endpoint::chat, "vllm").options;
  };
  using Options = std::vector<std::pair<std::string, std::string>>;
  CHECK(of(Thinking::on, "") ==
        Options{{"reasoning_effort", "\"high\""}, {"thinking", R"({"type":"enabled"})"}});
  CHECK(of(Thinking::off, "") == Options{{"enable_thinking", "false"}});
  CHECK(of(Thinking::on, "low") ==
        Options{{"thinking", R"({"type":"enabled"})"}, {"reasoning_effort", "\"low\""}});
  CHECK(of(Thinking::unsaid, "").empty());
  target.facts.thinking_on = "[]";
  CHECK_THROWS_WITH(of(Thinking::on, ""),
                    "thinking_on and thinking_off of cohere: '[]' is not a JSON object");
}

TEST_CASE("shape: LMDeploy's switch is a field of the request and not of the chat template") {
  Answers answers;
  answers.thinking = Thinking::off;
  CHECK(options(answers, Endpoint::chat, "lmdeploy") == "enable_thinking=false");
}
