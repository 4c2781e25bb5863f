#include "protocol/http/outcome.hpp"

#include "catch.hpp"

using namespace infermeter;

namespace {

using Fields = std::vector<std::string>;

Fields refused(std::string_view body, int status = 400) {
  return read_error_body(status, body).refused_fields;
}

std::string message(std::string_view body) { return read_error_body(500, body).message; }

}  // namespace

TEST_CASE("error body: the message is found in every spelling") {
  CHECK(message(R"({"error":{"message":"boom","type":"x","code":500}})") == "boom");
  CHECK(message(R"({"object":"error","message":"boom","code":500})") == "boom");
  CHECK(message(R"({"error":"boom","error_type":"generation"})") == "boom");
  CHECK(message(R"({"detail":"boom"})") == "boom");
  CHECK(message(R"({"detail":[{"loc":["body","n"],"msg":"boom"}]})") == "boom (n)");
  CHECK(message(R"({"detail":[{"msg":"one"},{"msg":"two"}]})") == "one; two");
  CHECK(message(R"({"error":{"code":500}})") == R"({"code":500})");
  CHECK(message("data: {\"error\":{\"message\":\"boom\"}}\n\ndata: [DONE]\n\n") == "boom");
  CHECK(message(" boom\r\n at line 1\n") == "boom at line 1");
  CHECK(message("\"boom\"") == "boom");
  CHECK(message("").empty());
}

TEST_CASE("error body: causes are unpacked and said once") {
  CHECK(message(R"({"error":true,"message":"boom"})") == "boom");
  CHECK(message(R"({"error":"Bad Request","message":"boom"})") == "Bad Request: boom");
  CHECK(message(R"({"error":{"message":"m"},"message":"m"})") == "m");
  CHECK(message(R"({"success":false,"errors":[{"message":"one"},{"message":"two"}]})") == "one; two");
  CHECK(message(R"([{"error":{"message":"boom"}}])") == "boom");
  CHECK(message(R"({"error":{"message":"Provider returned error","metadata":{"raw":"boom"}}})") ==
        "Provider returned error: boom");
  CHECK(message(R"({"error":{"message":"litellm: OpenAIException - {\"error\":{\"message\":\"boom\"}}"}})") ==
        "litellm: OpenAIException: boom");
  CHECK(message("{'error': {'message': \"it's gone\", 'code': None}}") == "it's gone");
  CHECK(message(R"({"error":{"message":"Param Incorrect","param":"seed is too large: 7"}})") ==
        "Param Incorrect: seed is too large: 7");
  CHECK(message(R"({"base_resp":{"status_code":1008,"status_msg":"no balance"}})") == "no balance");
}

TEST_CASE("error body: a thousand levels are quoted and not walked") {
  const std::string deep = "{\"error\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  CHECK(message(deep).starts_with("{\"error\":[[["));
  CHECK(refused(deep).empty());
}

TEST_CASE("error body: HTML is named by its title and never parsed") {
  const auto body =
      read_error_body(502, "\n<HTML><head><Title lang=en>\n502 Bad\n Gateway</title></head>{\"error\":1}");
  CHECK(body.html);
  CHECK(body.message == "an HTML page: 502 Bad Gateway");
  CHECK(read_error_body(502, "<p>").message == "an HTML page");
}

TEST_CASE("error body: bytes that are no UTF-8 are replaced") {
  CHECK(message("a\xff\x00 b") == "a\xEF\xBF\xBD");
}

TEST_CASE("refused fields: Anthropic names a path before a colon") {
  const auto of = [](const std::string& text) {
    return refused(R"({"type":"error","error":{"type":"invalid_request_error","message":")" + text + "\"}}");
  };
  CHECK(of("seed: Extra inputs are not permitted") == Fields{"seed"});
  CHECK(of("output_config.effort: Extra inputs are not permitted") == Fields{"output_config"});
  CHECK(of("messages.0.name: Extra inputs are not permitted").empty());
  CHECK(of("Not supported: ask again").empty());
}

TEST_CASE("refused fields: OpenAI names the parameter") {
  CHECK(
      refused(
          R"({"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}})") ==
      Fields{"max_tokens"});
  CHECK(
      refused(
          R"({"error":{"message":"Unsupported value","param":"stream_options.include_usage","code":"unsupported_value"}})") ==
      Fields{"stream_options"});
  CHECK(
      refused(R"({"error":{"message":"Unrecognized request argument supplied: ignore_eos","param":null}})") ==
      Fields{"ignore_eos"});
  CHECK(refused("Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                "'max_completion_tokens' instead.") == Fields{"max_tokens"});
}

TEST_CASE("refused fields: pydantic names the place, as JSON and as Python") {
  CHECK(
      refused(
          R"({"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]})",
          422) == Fields{"stream_options"});
  CHECK(
      refused(
          R"({"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","min_tokens"],"msg":"Extra inputs are not permitted"}]},"type":"invalid_request_error"})",
          422) == Fields{"min_tokens"});
  CHECK(
      refused(
          R"({"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'top_k'), 'msg': 'Extra inputs are not permitted', 'input': 1}]","type":"BadRequestError","param":null,"code":400})") ==
      Fields{"top_k"});
  CHECK(
      refused(
          R"({"error":{"message":"2 errors: {'type': 'extra_forbidden', 'loc': ('body', 'stream_options', 'x')}, {'type': 'extra_forbidden', 'loc': ('body', 'seed')} are not permitted"}})") ==
      Fields{"stream_options", "seed"});
}

TEST_CASE("refused fields: plain words of other servers") {
  CHECK(refused(R"({"error":{"message":"property 'ignore_eos' is unsupported"}})") == Fields{"ignore_eos"});
  CHECK(refused("json: unknown field \"min_tokens\"") == Fields{"min_tokens"});
  CHECK(refused("unknown field `seed`, expected one of `model`, `messages`") == Fields{"seed"});
  CHECK(refused("Additional properties are not allowed ('a_b', 'c_d' were unexpected)") ==
        Fields{"a_b", "c_d"});
  CHECK(
      refused(
          R"({"error":{"message":"Invalid JSON payload received. Unknown name \"ignore_eos\": Cannot find field."}})") ==
      Fields{"ignore_eos"});
}

TEST_CASE("refused fields: what names no field refuses none") {
  CHECK(
      refused(
          R"({"error":{"message":"This model's maximum context length is 4096 tokens","param":"messages","code":"context_length_exceeded"}})")
          .empty());
  CHECK(refused(R"({"error":{"message":"The model 'm' does not exist","param":"model"}})").empty());
  CHECK(
      refused(
          R"({"error":{"message":"max_tokens is too large: the maximum context length is 4096","param":"max_tokens"}})")
          .empty());
  CHECK(refused("the prompt is empty").empty());
  CHECK(refused(R"({"error":{"message":"x","param":"max_tokens"}})", 500).empty());
  CHECK(refused("").empty());
}

TEST_CASE("refused fields: quoted causes, lists and Python are unpacked") {
  const std::string cause =
      R"({\"error\":{\"message\":\"Unsupported parameter: 'max_tokens' is not supported with this model.\",\"param\":\"max_tokens\"}})";
  CHECK(refused(R"({"error":{"message":"Provider returned error","metadata":{"raw":")" + cause + R"("}}})") ==
        Fields{"max_tokens"});
  CHECK(refused(R"({"error":{"message":"Error from provider: )" + cause + R"(","type":"api_error"}})") ==
        Fields{"max_tokens"});
  CHECK(
      refused(
          R"([{"error":{"code":400,"message":"Unknown name \"ignore_eos\": Cannot find field.\nUnknown name \"min_tokens\": Cannot find field."}}])") ==
      Fields{"ignore_eos", "min_tokens"});
}

TEST_CASE("refused fields: a parameter that is a kind of error or a sentence is no field") {
  CHECK(
      refused(
          R"({"message":"body.ignore_eos: property 'body.ignore_eos' is unsupported","param":"validation_error"})",
          422) == Fields{"ignore_eos"});
  CHECK(refused(R"({"error":{"message":"Param Incorrect","param":"max_tokens is too large: 9. At most 4."}})")
            .empty());
}

TEST_CASE("refused fields: further words of servers") {
  CHECK(refused("Malformed input request: #: extraneous key [stream_options] is not permitted, please "
                "reformat") == Fields{"stream_options"});
  CHECK(refused("1 validation error for ChatRequest\nignore_eos\n  Extra inputs are not permitted "
                "[type=extra_forbidden, input_value=True]") == Fields{"ignore_eos"});
  CHECK(refused("unknown field `ignore_eos`, expected one of `max_tokens`, `stream`") ==
        Fields{"ignore_eos"});
}

TEST_CASE("refused fields: a 500 refuses what its code does not know and nothing else") {
  CHECK(refused("TypeError: generate() got an unexpected keyword argument 'ignore_eos'", 500) ==
        Fields{"ignore_eos"});
  CHECK(refused(R"({"detail":"Unrecognized field 'min_tokens'"})", 500) == Fields{"min_tokens"});
  CHECK(refused("an unexpected error in 'decode'", 500).empty());
  CHECK(refused("unknown error: 'worker' is gone", 500).empty());
}

TEST_CASE("refused limit: a value that is refused is no refused field") {
  const auto limit = [](std::string_view body) { return read_error_body(400, body).refused_limit; };
  const std::string least =
      R"({"error":{"message":"Invalid 'max_tokens': integer below minimum value. Expected a value >= 16, but got 8 instead.","param":"max_tokens"}})";
  CHECK(refused(least).empty());
  REQUIRE(limit(least));
  CHECK(limit(least)->too_small);
  CHECK(limit(least)->least == 16);
  for (const auto& [body, bound] :
       {std::pair("max_tokens must be greater than 2", 3), std::pair("max_tokens must be at least 16", 16),
        std::pair("max_output_tokens: must be greater than or equal to 4", 4)}) {
    INFO(body);
    REQUIRE(limit(body));
    CHECK(limit(body)->least == static_cast<std::uint32_t>(bound));
    CHECK_FALSE(limit(body)->too_large);
  }
  for (const auto& [body, bound] :
       {std::pair("max_tokens is too large: 50000. This model supports at most 4096 completion tokens", 4096),
        std::pair("`max_tokens`: integer above maximum value, expected a value <= 12288, but got 32000",
                  12288),
        std::pair("max_tokens must be less than or equal to 8192", 8192),
        std::pair("max_completion_tokens cannot exceed 100", 100)}) {
    INFO(body);
    REQUIRE(limit(body));
    CHECK(limit(body)->most == static_cast<std::uint32_t>(bound));
    CHECK_FALSE(limit(body)->too_small);
    CHECK(refused(body).empty());
  }
  CHECK_FALSE(limit("Unsupported parameter: 'max_tokens' is not supported with this model"));
  CHECK_FALSE(limit("temperature must be at most 2"));
}

TEST_CASE("http outcome: only a 400, 422 or 500 that names a field is a refused parameter") {
  ErrorBody body;
  body.refused_fields = {"seed"};
  CHECK(http_outcome(400, body) == Outcome::param_rejected);
  CHECK(http_outcome(422, body) == Outcome::param_rejected);
  CHECK(http_outcome(429, body) == Outcome::http_error);
  CHECK(http_outcome(400, ErrorBody{}) == Outcome::http_error);
}

TEST_CASE("retry-after: seconds, fractions, milliseconds and dates") {
  CHECK(retry_after_ms("2", "", "") == 2000);
  CHECK(retry_after_ms(" 0.25 ", "", "") == 250);
  CHECK(retry_after_ms("1", "350", "") == 350);
  CHECK(retry_after_ms("1", "soon", "") == 1000);
  CHECK(retry_after_ms("Wed, 21 Oct 2035 07:28:00 GMT", "", "Wed, 21 Oct 2035 07:27:30 GMT") == 30000);
  CHECK(retry_after_ms("Wednesday, 21-Oct-35 07:28:00 GMT", "", "Wed, 21 Oct 2035 07:27:59 GMT") == 1000);
  CHECK(retry_after_ms("Sun Nov  6 08:49:37 1994", "", "Sun, 06 Nov 1994 08:49:36 GMT") == 1000);
}

TEST_CASE("retry-after: the past is 0, an hour is 120 s, nonsense is nothing") {
  CHECK(retry_after_ms("Wed, 21 Oct 2015 07:28:00 GMT", "", "Wed, 21 Oct 2035 07:27:30 GMT") == 0);
  CHECK(retry_after_ms("-1", "", "") == 0);
  CHECK(retry_after_ms("3600", "", "") == 120'000);
  CHECK_FALSE(retry_after_ms("Wed, 21 Oct 2035 07:28:00 GMT", "", "").has_value());
  for (const char* text :
       {"", "nan", "inf", "1e999", "12 s", "soon", "Wed, 41 Oct 2035 07:28:00 GMT", ", , -"}) {
    CHECK_FALSE(retry_after_ms(text, "", "Wed, 21 Oct 2035 07:27:30 GMT").has_value());
  }
}
