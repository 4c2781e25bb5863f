#include <bit>
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

std::vector<float> floats_of(const std::string& base64) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  std::uint32_t bits = 0, have = 0;
  for (const char c : base64.substr(0, base64.find('='))) {
    bits = bits << 6 | static_cast<std::uint32_t>(letters.find(c));
    if ((have += 6) < 8) continue;
    have -= 8;
    bytes.push_back(static_cast<std::uint8_t>(bits >> have));
  }
  std::vector<float> out;
  for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    std::uint32_t word = 0;
    for (std::size_t k = 4; k-- > 0;) word = word << 8 | bytes[i + k];
    out.push_back(std::bit_cast<float>(word));
  }
  return out;
}
}  // namespace

TEST_CASE("embeddings: vectors have length one, equal for equal inputs and different for others") {
  Fixture fixture;
  const auto data = body_of(fixture.text(
      fixture.send("POST", "/v1/embeddings", R"({"input":["a","a","b"],"dimensions":64})")))["data"];
  double square = 0;
  for (const double x : data[0]["embedding"]) square += x * x;
  CHECK(square == Approx(1));
  CHECK(data[0]["embedding"] == data[1]["embedding"]);
  CHECK(data[0]["embedding"] != data[2]["embedding"]);
}

TEST_CASE("embeddings: base64 holds the same numbers as little-endian floats, padded as RFC 4648 says") {
  for (const auto& [dimensions, padding] : {std::pair(1, "=="), std::pair(2, "="), std::pair(3, "")}) {
    Fixture fixture;
    const auto ask = [&](const std::string& format) {
      return body_of(fixture.text(fixture.send("POST", "/v1/embeddings",
                                               R"({"input":"a","dimensions":)" + std::to_string(dimensions) +
                                                   R"(,"encoding_format":")" + format +
                                                   R"("})")))["data"][0]["embedding"];
    };
    const auto text = ask("base64").get<std::string>();
    CHECK(text.ends_with(padding));
    CHECK(floats_of(text) == ask("float").get<std::vector<float>>());
  }
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
  Fixture fixture({}, 1, "card");  // 35 ms a step, for one token as for eight
  std::string bytes;
  const auto reply = fixture.send("POST", "/v1/embeddings", R"({"input":"the of and to"})");
  CHECK(fixture.drain(*reply, bytes) == std::vector<nanoseconds>{35ms});
  fixture.service.close(*reply, fixture.at);
  const std::string metrics = fixture.text(fixture.send("GET", "/metrics"));
  CHECK(has(metrics, R"(vllm:generation_tokens_total{engine="0",model_name="sim"} 0)"));
  CHECK(has(metrics, R"(vllm:prompt_tokens_total{engine="0",model_name="sim"} 5)"));
}

TEST_CASE("rerank: a score of each document, the best first, and tokens of every pair") {
  Fixture fixture;
  const auto body = body_of(fixture.text(fixture.send(
      "POST", "/v1/rerank", R"({"model":"sim","query":"the","documents":["of",{"text":"and to"},"a"]})")));
  REQUIRE(body["results"].size() == 3);
  CHECK(body["results"][0]["relevance_score"] >= body["results"][1]["relevance_score"]);
  CHECK(body["results"][1]["relevance_score"] >= body["results"][2]["relevance_score"]);
  for (const auto& result : body["results"]) {
    if (result["index"] == 1) CHECK(result["document"]["text"] == "and to");
  }
  // A start token, the query, a line's end and the document: 4 + 5 + 4.
  CHECK(body["usage"] == nlohmann::json::parse(R"({"prompt_tokens":13,"total_tokens":13})"));
}

TEST_CASE("rerank: top_n leaves the others out") {
  Fixture fixture;
  const auto body = body_of(fixture.text(
      fixture.send("POST", "/rerank", R"({"query":"the","documents":["of","and","to"],"top_n":2})")));
  CHECK(body["results"].size() == 2);
}

TEST_CASE("rerank: what is wrong with a request is named") {
  Fixture fixture;
  const auto refused = [&](const char* body) {
    return fixture.text(fixture.send("POST", "/v1/rerank", body));
  };
  CHECK(has(refused(R"({"documents":["a"]})"), R"("param":"query")"));
  CHECK(has(refused(R"({"query":"a","documents":[]})"), R"("param":"documents")"));
  CHECK(has(refused(R"({"query":"a","documents":["b"],"top_n":0})"), R"("param":"top_n")"));
}
