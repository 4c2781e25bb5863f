#include "sim/api/api_request.hpp"

#include "catch.hpp"

using namespace infermeter;
using namespace infermeter::sim;

namespace {
const ServedModel kServed{"sim", 4096};
ApiRequest read(Endpoint endpoint, std::string_view body) {
  return std::get<ApiRequest>(parse_api_request(endpoint, body, kServed));
}
ApiProblem refused(Endpoint endpoint, std::string_view body) {
  return std::get<ApiProblem>(parse_api_request(endpoint, body, kServed));
}
}  // namespace

TEST_CASE("api request: a streaming chat request is read whole") {
  const auto request = read(Endpoint::chat, R"({"model":"sim","messages":[{"role":"user","content":"the"}],
    "max_tokens":7,"stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true},
    "ignore_eos":true,"min_tokens":7,"n":2,"temperature":0})");
  CHECK(request.stream);
  CHECK(request.include_usage);
  CHECK(request.continuous_usage);
  CHECK(request.ignore_eos);
  CHECK(request.limited);
  CHECK(request.output_limit == 7);
  CHECK(request.min_tokens == 7);
  CHECK(request.n == 2);
  REQUIRE(request.prompts.size() == 1);
  CHECK(request.prompts[0].size() == 9);
  CHECK(request.texts == std::vector<std::string>{"the"});
}

TEST_CASE("api request: max_completion_tokens wins over max_tokens in chat") {
  CHECK(read(Endpoint::chat,
             R"({"messages":[{"role":"user","content":"a"}],"max_tokens":5,"max_completion_tokens":9})")
            .output_limit == 9);
}

TEST_CASE("api request: content parts join and null content is empty") {
  const auto request = read(Endpoint::chat, R"({"messages":[
    {"role":"assistant","content":null},
    {"role":"user","content":[{"type":"text","text":"the"},{"type":"text","text":"of"}]}]})");
  CHECK(request.prompts[0].size() == 1 + 4 + 4 + 3 + 3);  // the, newline, of
  CHECK_FALSE(request.limited);
}

TEST_CASE("api request: prompts come as text, texts, token ids and lists of them") {
  CHECK(read(Endpoint::completions, R"({"prompt":"the"})").prompts[0].size() == 2);
  CHECK(read(Endpoint::completions, R"({"prompt":["the","of"]})").prompts.size() == 2);
  CHECK(read(Endpoint::completions, R"({"prompt":[5,6,7]})").prompts[0] == Tokens{5, 6, 7});
  CHECK(read(Endpoint::completions, R"({"prompt":[[5,6],[7]]})").prompts.size() == 2);
  CHECK(read(Endpoint::completions, R"({"prompt":"the"})").output_limit == 16);
}

TEST_CASE("api request: each mistake is refused by the field it is in") {
  struct Mistake {
    Endpoint endpoint;
    const char *body, *param;
  };
  const Mistake mistakes[]{
      {Endpoint::chat, "nonsense", ""},
      {Endpoint::chat, "[1]", ""},
      {Endpoint::chat, "{}", "messages"},
      {Endpoint::chat, R"({"messages":[]})", "messages"},
      {Endpoint::chat, R"({"messages":["x"]})", "messages"},
      {Endpoint::chat, R"({"messages":[{"role":"user","content":[{"type":"image_url"}]}]})", "messages"},
      {Endpoint::completions, "{}", "prompt"},
      {Endpoint::completions, R"({"prompt":[]})", "prompt"},
      {Endpoint::completions, R"({"prompt":{}})", "prompt"},
      {Endpoint::completions, R"({"prompt":"a","max_tokens":0})", "max_tokens"},
      {Endpoint::completions, R"({"prompt":"a","max_tokens":1.5})", "max_tokens"},
      {Endpoint::completions, R"({"prompt":"a","max_tokens":99999999999999999999})", "max_tokens"},
      {Endpoint::completions, R"({"prompt":"a","n":129})", "n"},
      {Endpoint::completions, R"({"prompt":["a","b"],"n":65})", "n"},
      {Endpoint::completions, R"({"prompt":"a","stream":"yes"})", "stream"},
      {Endpoint::completions, R"({"prompt":"a","stream_options":{}})", "stream_options"},
      {Endpoint::completions, R"({"prompt":"a","max_tokens":4095})", "prompt"},
      {Endpoint::completions, R"({"prompt":"a","logprobs":21})", "logprobs"},
      {Endpoint::chat, R"({"messages":[{"role":"user","content":"a"}],"reasoning_effort":"much"})",
       "reasoning_effort"},
      {Endpoint::chat, R"({"messages":[{"role":"user","content":"a"}],"tools":{}})", "tools"},
      {Endpoint::chat,
       R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}]})",
       "messages"},
      {Endpoint::responses, "{}", "input"},
      {Endpoint::responses, R"({"input":7})", "input"},
      {Endpoint::responses, R"({"input":"a","max_output_tokens":0})", "max_output_tokens"},
      {Endpoint::messages, R"({"messages":[{"role":"user","content":"a"}]})", "max_tokens"},
      {Endpoint::embeddings, R"({"input":[]})", "input"},
      {Endpoint::embeddings, R"({"input":"a","dimensions":0})", "dimensions"},
      {Endpoint::embeddings, R"({"input":"a","encoding_format":"hex"})", "encoding_format"},
  };
  for (const auto& mistake : mistakes) {
    INFO(mistake.body);
    const auto problem = refused(mistake.endpoint, mistake.body);
    CHECK(problem.status == 400);
    CHECK(problem.param == mistake.param);
  }
}

TEST_CASE("api request: an unknown model is 404 and names the served one") {
  const auto problem = refused(Endpoint::completions, R"({"model":"gpt","prompt":"a"})");
  CHECK(problem.status == 404);
  CHECK(
      problem_json(problem) ==
      R"({"error":{"message":"The model `gpt` does not exist; this server has `sim`.","type":"NotFoundError","param":"model","code":404}})");
}

TEST_CASE("api request: tokenize counts as the generation endpoints do") {
  const auto tokens = [](std::string_view body) {
    return std::get<TokenizeRequest>(parse_tokenize_request(body, kServed)).tokens;
  };
  CHECK(tokens(R"({"prompt":"the of"})") == tokenize_prompt("the of"));
  CHECK(tokens(R"({"prompt":"the of","add_special_tokens":false})").size() == 2);
  CHECK(tokens(R"({"messages":[{"role":"user","content":"the"}]})") ==
        read(Endpoint::chat, R"({"messages":[{"role":"user","content":"the"}]})").prompts[0]);
}

TEST_CASE("api request: a body nested 80,000 levels deep is refused by its depth") {
  const std::string deep = std::string(80'000, '[') + std::string(80'000, ']');
  for (const auto endpoint : {Endpoint::chat, Endpoint::completions, Endpoint::responses, Endpoint::messages,
                              Endpoint::embeddings, Endpoint::rerank}) {
    const ApiProblem problem = refused(endpoint, "{\"tools\":" + deep + "}");
    CHECK(problem.status == 400);
    CHECK(problem.message == "the body is nested 80,001 levels deep; 256 at most are read");
  }
}
