#include "sim/api/embeddings.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "service_fixture.hpp"

using namespace infermeter;
using namespace infermeter::sim;
using namespace infermeter::sim::test;

namespace {
nlohmann::json body_of(const std::string& answer) {
  return nlohmann::json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
}
}  // namespace

TEST_CASE("embeddings: vectors have length one, equal for equal inputs and different for others") {
  const auto first = embedding(Tokens{1, 2, 3}, 64);
  double square = 0;
  for (const float x : first) square += static_cast<double>(x) * x;
  CHECK(square == Approx(1));
  CHECK(embedding(Tokens{1, 2, 3}, 64) == first);
  CHECK(embedding(Tokens{1, 2, 4}, 64) != first);
}

TEST_CASE("embeddings: base64 is that of RFC 4648") {
  CHECK(to_base64("") == "");
  CHECK(to_base64("f") == "Zg==");
  CHECK(to_base64("fo") == "Zm8=");
  CHECK(to_base64("foob") == "Zm9vYg==");
  CHECK(to_base64("foobar") == "Zm9vYmFy");
}

TEST_CASE("embeddings: one vector an input, in order, as many numbers as asked, prompt tokens only") {
  Fixture fixture;
  const auto body = body_of(fixture.text(
      fixture.send("POST", "/v1/embeddings", R"({"model":"sim","input":["the of","a"],"dimensions":8})")));
  CHECK(body["object"] == "list");
  REQUIRE(body["data"].size() == 2);
  CHECK(body["data"][1]["index"] == 1);
  CHECK(body["data"][1]["embedding"].size() == 8);
  CHECK(body["usage"] == nlohmann::json::parse(R"({"prompt_tokens":5,"total_tokens":5})"));
  const auto coded = body_of(fixture.text(
      fixture.send("POST", "/v1/embeddings", R"({"input":"a","dimensions":3,"encoding_format":"base64"})")));
  CHECK(coded["data"][0]["embedding"].get<std::string>().size() == 16);
}

TEST_CASE("embeddings: the engine reads the prompt and decodes nothing") {
  Fixture fixture({}, 1, "card");  // 35 ms a step, whatever its one token or eight
  std::string bytes;
  const auto reply = fixture.send("POST", "/v1/embeddings", R"({"input":"the of and to"})");
  CHECK(fixture.drain(*reply, bytes) == std::vector<nanoseconds>{35ms});
  fixture.service.close(*reply, fixture.at);
  const std::string metrics = fixture.text(fixture.send("GET", "/metrics"));
  CHECK(has(metrics, R"(vllm:generation_tokens_total{engine="0",model_name="sim"} 0)"));
  CHECK(has(metrics, R"(vllm:prompt_tokens_total{engine="0",model_name="sim"} 5)"));
}
