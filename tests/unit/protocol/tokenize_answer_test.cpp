#include "protocol/http/tokenize_answer.hpp"

#include "catch.hpp"

using namespace infermeter;
using Ids = std::vector<std::uint32_t>;

TEST_CASE("tokenize: count and tokens of vLLM, SGLang and llama.cpp are read alike") {
  const auto vllm =
      parse_tokenize_answer(R"({"count":3,"max_model_len":4096,"tokens":[1,15043,3186],"token_strs":null})");
  CHECK(vllm.count == 3);
  CHECK(vllm.tokens == Ids{1, 15043, 3186});
  CHECK(parse_tokenize_answer(R"({"tokens":[9,8],"count":2,"max_model_len":9})").tokens == Ids{9, 8});
  const auto llama = parse_tokenize_answer(R"({"tokens":[198,27]})");
  CHECK(llama.count == 2);
  CHECK(llama.tokens == Ids{198, 27});
  CHECK(parse_tokenize_answer(R"({"tokens":[{"id":198,"piece":"\n"}]})").tokens == Ids{198});
  CHECK(parse_tokenize_answer(R"({"count":7})").count == 7);
}

TEST_CASE("tokenize: what is no such answer has no count") {
  for (const std::string_view body :
       {"", "not found", R"({"detail":"Not Found"})", "[1,2]", R"({"count":-1})", R"({"tokens":["a"]})"}) {
    CHECK_FALSE(parse_tokenize_answer(body).count);
  }
}

TEST_CASE("tokenize: bare text is asked for in a body that each server understands") {
  CHECK(
      tokenize_text_body("m", "a \"b\"") ==
      R"({"model":"m","prompt":"a \"b\"","add_special_tokens":false,"content":"a \"b\"","add_special":false})");
}

TEST_CASE("tokenize: of a request's body only what decides about the prompt is asked for") {
  CHECK(tokenize_request_body(
            R"({"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":1,"stream":true,)"
            R"("chat_template_kwargs":{"enable_thinking":false},"tools":[]})") ==
        R"({"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[],)"
        R"("chat_template_kwargs":{"enable_thinking":false}})");
  CHECK(tokenize_request_body(R"({"model":"m","prompt":"hi","temperature":0})") ==
        R"({"model":"m","prompt":"hi"})");
  CHECK(tokenize_request_body(R"({"model":"m","input":"hi"})").empty());
  CHECK(tokenize_request_body("hi").empty());
}
