#include "protocol/request/headers.hpp"

#include "catch.hpp"

using namespace infermeter;

namespace {

using Lines = std::vector<std::string>;

Target with_key() {
  Target target;
  target.api_key = "k";
  return target;
}

std::string last_line(const Target& target, const char* url) {
  return header_lines(target, resolve_target_url(url), true).back();
}

}  // namespace

TEST_CASE("headers: those of a plain request") {
  CHECK(header_lines(with_key(), resolve_target_url("http://h"), true) ==
        Lines{"Expect:", "Content-Type: application/json", "Accept: text/event-stream",
              "User-Agent: infermeter", "Authorization: Bearer k"});
}

TEST_CASE("headers: a whole answer is asked for as JSON") {
  const auto accept = [](const char* url, bool stream) {
    return header_lines({}, resolve_target_url(url), stream)[2];
  };
  CHECK(accept("http://h", false) == "Accept: application/json");
  CHECK(accept("http://h/v1/embeddings", true) == "Accept: application/json");
}

TEST_CASE("headers: the key goes as the endpoint or the host wants it") {
  CHECK(last_line(with_key(), "https://api.anthropic.com/v1/messages") == "x-api-key: k");
  CHECK(last_line(with_key(), "https://r.openai.azure.com") == "api-key: k");
  CHECK(last_line(with_key(), "https://g.example/openai/deployments/x") == "api-key: k");
  CHECK(last_line(with_key(), "https://api.groq.com/openai/v1") == "Authorization: Bearer k");
  Target target = with_key();
  target.auth_header = "X-Key";
  CHECK(last_line(target, "https://r.openai.azure.com") == "X-Key: k");
  target.auth_header = "authorization";
  CHECK(last_line(target, "http://h/v1/messages") == "authorization: Bearer k");
}

TEST_CASE("headers: messages carry the version of their API") {
  const auto lines = header_lines({}, resolve_target_url("http://h/v1/messages"), true);
  CHECK(lines.back() == "anthropic-version: 2023-06-01");
}

TEST_CASE("headers: the user's stand in place of ours") {
  Target target = with_key();
  target.headers = {{"authorization", "Basic x"}, {"X-Tier", "a"}, {"X-Tier", "b"}};
  CHECK(header_lines(target, resolve_target_url("http://h"), true) ==
        Lines{"Expect:", "Content-Type: application/json", "Accept: text/event-stream",
              "User-Agent: infermeter", "authorization: Basic x", "X-Tier: a", "X-Tier: b"});
}
