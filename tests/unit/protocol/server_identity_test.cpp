#include "protocol/http/server_identity.hpp"

#include "catch.hpp"

using namespace infermeter;

TEST_CASE("models: the list is found in each of its three shapes") {
  for (const char* body : {R"({"object":"list","data":[{"id":"m","owned_by":"vllm"},{"id":"n"}]})",
                           R"([{"id":"m","owned_by":"vllm"},{"id":"n"}])",
                           R"({"models":[{"name":"m","owned_by":"vllm"},{"model":"n"}]})"}) {
    const auto models = parse_models(body);
    REQUIRE(models.size() == 2);
    CHECK(models[0].id == "m");
    CHECK(models[0].owned_by == "vllm");
    CHECK(models[1].id == "n");
  }
  CHECK(parse_models(R"({"data":[{"id":"m","max_model_len":4096}]})")[0].json ==
        R"({"id":"m","max_model_len":4096})");
}

TEST_CASE("models: what is simulated is only known of infermeter's simulator") {
  CHECK(parse_models(R"([{"id":"m","owned_by":"infermeter-sim","simulated":"h100-8b"}])")[0].simulated ==
        "h100-8b");
  CHECK(parse_models(R"([{"id":"m","owned_by":"vllm","simulated":"h100-8b"}])")[0].simulated.empty());
}

TEST_CASE("models: what is no list of models is empty") {
  for (const char* body :
       {"", "<html>", "{}", R"({"data":3})", R"({"data":[1,{"x":1},null]})", "3", "null"}) {
    CHECK(parse_models(body).empty());
  }
}

TEST_CASE("version: JSON or plain text, never a page") {
  CHECK(parse_version(R"({"version":"0.10.1"})") == "0.10.1");
  CHECK(parse_version("0.10.1\n") == "0.10.1");
  CHECK(parse_version("\"0.10.1\"") == "0.10.1");
  CHECK(parse_version("<html>404</html>").empty());
  CHECK(parse_version("{}").empty());
  CHECK(parse_version("").empty());
  CHECK(parse_version(std::string(300, 'v')).size() == 200);
}

TEST_CASE("engine: each is known by the owner of its models") {
  const std::vector<std::pair<std::string, std::string>> owners{{"vllm", "vllm"},
                                                                {"sglang", "sglang"},
                                                                {"tensorrt_llm", "tensorrt-llm"},
                                                                {"llamacpp", "llama.cpp"},
                                                                {"lmdeploy", "lmdeploy"},
                                                                {"library", "ollama"},
                                                                {"infermeter-sim", "infermeter-sim"}};
  for (const auto& [owner, engine] : owners) CHECK(engine_name({{"m", owner, ""}}, "", "uvicorn") == engine);
}

TEST_CASE("engine: else by the server header or the version, else not at all") {
  CHECK(engine_name({}, "", "llama.cpp") == "llama.cpp");
  CHECK(engine_name({{"m", "me", ""}}, "", "infermeter-sim/0.1") == "infermeter-sim");
  CHECK(engine_name({}, R"({"version":"1","backend":"SGLang"})", "uvicorn") == "sglang");
  CHECK(engine_name({{"gpt", "openai", ""}}, R"({"version":"1"})", "cloudflare").empty());
}
