// The tokens of a prompt's parts, and the fields that a body may have, endpoint by endpoint.
#include "catch.hpp"
#include "sim/api/api_request.hpp"

using namespace infermeter;
using namespace infermeter::sim;

namespace {
const ServedModel kLongContext{"sim", 100'000};
ApiRequest read_long(Endpoint endpoint, std::string_view body) {
  return std::get<ApiRequest>(parse_api_request(endpoint, body, kLongContext));
}
std::size_t prompt_tokens(Endpoint endpoint, std::string_view body) {
  return read_long(endpoint, body).prompts[0].size();
}
constexpr std::size_t kOneMessage = 1 + 4 + 1 + 3;  // start, around the message, "the", the answer's opening
}  // namespace

TEST_CASE("request bodies: the same words are the same tokens in every dialect") {
  const auto chat = read_long(Endpoint::chat, R"({"messages":[{"role":"user","content":"the"}]})").prompts;
  CHECK(chat[0].size() == kOneMessage);
  CHECK(read_long(Endpoint::responses, R"({"input":"the"})").prompts == chat);
  CHECK(read_long(Endpoint::responses,
                  R"({"input":[{"role":"user","content":[{"type":"input_text","text":"the"}]}]})")
            .prompts == chat);
  CHECK(read_long(Endpoint::messages,
                  R"({"max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"the"}]}]})")
            .prompts == chat);
}

TEST_CASE("request bodies: a system text is a message before the others") {
  const auto chat = read_long(Endpoint::chat, R"({"messages":[{"role":"system","content":"of"},
      {"role":"user","content":"the"}]})")
                        .prompts;
  CHECK(read_long(Endpoint::responses, R"({"instructions":"of","input":"the"})").prompts == chat);
  CHECK(read_long(Endpoint::messages,
                  R"({"max_tokens":9,"system":"of","messages":[{"role":"user","content":"the"}]})")
            .prompts == chat);
  CHECK(read_long(Endpoint::messages, R"({"max_tokens":9,"system":[{"type":"text","text":"of"}],
      "messages":[{"role":"user","content":"the"}]})")
            .prompts == chat);
}

TEST_CASE("request bodies: images cost their tiles in every dialect") {
  const std::string png = "iVBORw0KGgoAAAANSUhEUgAAAgAAAAEsCAIAAAA=";  // 512 × 300
  const std::string url = "data:image/png;base64," + png;
  const std::size_t expected = kOneMessage + 19 * 11;
  CHECK(prompt_tokens(Endpoint::chat, R"({"messages":[{"role":"user","content":[{"type":"text","text":"the"},
      {"type":"image_url","image_url":{"url":")" +
                                          url + R"("}}]}]})") == expected);
  CHECK(prompt_tokens(Endpoint::responses, R"({"input":[{"role":"user","content":[
      {"type":"input_text","text":"the"},{"type":"input_image","image_url":")" +
                                               url + R"("}]}]})") == expected);
  CHECK(prompt_tokens(Endpoint::messages, R"({"max_tokens":9,"messages":[{"role":"user","content":[
      {"type":"text","text":"the"},
      {"type":"image","source":{"type":"base64","media_type":"image/png","data":")" +
                                              png + R"("}}]}]})") == expected);
}

TEST_CASE("request bodies: tools, their calls and their results cost tokens") {
  const std::size_t plain =
      prompt_tokens(Endpoint::chat, R"({"messages":[{"role":"user","content":"the"}]})");
  CHECK(prompt_tokens(Endpoint::chat, R"({"messages":[{"role":"user","content":"the"}],
      "tools":[{"type":"function","function":{"name":"look"}}]})") > plain + 4);
  CHECK(prompt_tokens(Endpoint::chat, R"({"messages":[{"role":"user","content":"the"},
      {"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"look","arguments":"{}"}}]},
      {"role":"tool","tool_call_id":"1","content":"of"}]})") > plain + 4 + 4 + 1);
  CHECK(prompt_tokens(Endpoint::messages, R"({"max_tokens":9,"messages":[{"role":"user","content":"the"},
      {"role":"assistant","content":[{"type":"tool_use","id":"1","name":"look","input":{"a":1}}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"of"}]}]})") ==
        plain + 4 + 4 + 1 + prompt_tokens(Endpoint::completions, R"x({"prompt":"{\"a\":1}"})x") - 1);
}

TEST_CASE("request bodies: limits have each vendor's name") {
  CHECK(read_long(Endpoint::responses, R"({"input":"a","max_output_tokens":7})").output_limit == 7);
  CHECK(read_long(Endpoint::messages, R"({"max_tokens":8,"messages":[{"role":"user","content":"a"}]})")
            .output_limit == 8);
  CHECK_FALSE(read_long(Endpoint::responses, R"({"input":"a","max_tokens":7})").limited);
  CHECK(read_long(Endpoint::embeddings, R"({"input":"a"})").output_limit == 0);
}

TEST_CASE("request bodies: thinking is switched in each of the known ways") {
  const auto chat = [](std::string_view more) {
    return read_long(Endpoint::chat,
                     R"({"messages":[{"role":"user","content":"a"}],)" + std::string(more) + "}");
  };
  struct Case {
    const char* field;
    Thinking thinking;
  };
  const Case cases[]{
      {R"("temperature":0)", Thinking::unsaid},
      {R"("chat_template_kwargs":{"enable_thinking":false})", Thinking::off},
      {R"("chat_template_kwargs":{"thinking":true})", Thinking::on},
      {R"("thinking":{"type":"disabled"})", Thinking::off},
      {R"("thinking":{"type":"enabled","budget_tokens":1024})", Thinking::on},
      {R"("enable_thinking":false)", Thinking::off},
      {R"("reasoning":{"enabled":false})", Thinking::off},
      {R"("reasoning_effort":"none")", Thinking::off},
      {R"("reasoning":{"effort":"none"})", Thinking::off},
  };
  for (const auto& [field, thinking] : cases) {
    INFO(field);
    CHECK(chat(field).thinking == thinking);
  }
  CHECK(chat(R"("reasoning_effort":"low")").reasoning_effort == 0.5);
  CHECK(read_long(Endpoint::responses, R"({"input":"a","reasoning":{"effort":"high","summary":"auto"}})")
            .form.reasoning_summary);
}

TEST_CASE("request bodies: log probabilities are asked for in each endpoint's way") {
  const auto top = [](Endpoint endpoint, std::string_view body) {
    return read_long(endpoint, body).form.top_logprobs.value_or(99);
  };
  constexpr std::string_view kMessages = R"({"messages":[{"role":"user","content":"a"}],)";
  CHECK(top(Endpoint::chat, std::string(kMessages) + R"("logprobs":true})") == 0);
  CHECK(top(Endpoint::chat, std::string(kMessages) + R"("logprobs":true,"top_logprobs":5})") == 5);
  CHECK(top(Endpoint::chat, std::string(kMessages) + R"("logprobs":false})") == 99);
  CHECK(top(Endpoint::completions, R"({"prompt":"a","logprobs":2})") == 2);
  CHECK(top(Endpoint::responses,
            R"({"input":"a","include":["message.output_text.logprobs"],"top_logprobs":3})") == 3);
}

TEST_CASE("request bodies: a deployment's path chooses the model, whatever the body says") {
  constexpr std::string_view kBody = R"({"model":"gpt-x","messages":[{"role":"user","content":"a"}]})";
  CHECK(std::holds_alternative<ApiRequest>(parse_api_request(Endpoint::chat, kBody, kLongContext, true)));
  CHECK(std::holds_alternative<ApiProblem>(parse_api_request(Endpoint::chat, kBody, kLongContext)));
}
