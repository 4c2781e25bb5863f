#include "sim/api/answer_parts.hpp"

#include <vector>

#include "catch.hpp"
#include "generation_driver.hpp"

using namespace infermeter;
using namespace infermeter::sim;
using namespace infermeter::sim::test;

TEST_CASE("logprobs: each event has one entry a token, with its bytes") {
  const Told told = tell({.faults = {"tokens-per-event=2"}, .output = 4, .form = {.top_logprobs = 0}});
  CHECK(times(told.body, R"("logprobs":{"content":[)") == 2);
  CHECK(times(told.body, R"("token":")") == 4);
  CHECK(has(told.body, R"("bytes":[32,102,105,101,108,100],"top_logprobs":[]})"));
  const Told plain = tell({.output = 4});
  CHECK_FALSE(has(plain.body, R"("token":")"));
}

TEST_CASE("logprobs: the first alternative is the token itself and each one less likely") {
  std::string out;
  const std::vector<std::string_view> words{" field"};
  append_logprob_list(out, words, 3);
  CHECK(times(out, R"("token":")") == 4);
  CHECK(times(out, R"("token":" field")") == 2);
  CHECK(times(out, R"("logprob":-)") == 4);
}

TEST_CASE("logprobs: completions list tokens with their place in the text") {
  const Told told =
      tell({.output = 3, .endpoint = Endpoint::completions, .stream = false, .form = {.top_logprobs = 1}});
  CHECK(has(told.body, R"("text":" field of)"));
  CHECK(has(told.body, R"("logprobs":{"text_offset":[0,6,9],"token_logprobs":[-)"));
  CHECK(has(told.body, R"("tokens":[" field"," of",)"));
  const Told streamed = tell({.output = 3, .endpoint = Endpoint::completions, .form = {.top_logprobs = 1}});
  CHECK(has(streamed.body, R"("text_offset":[6])"));
  CHECK(has(streamed.body, R"("text_offset":[9])"));
}

TEST_CASE("logprobs: the Responses API has the list in its deltas") {
  const Told told = tell({.output = 1, .endpoint = Endpoint::responses, .form = {.top_logprobs = 1}});
  CHECK(has(told.body, R"("delta":" field","logprobs":[{"token":" field","logprob":-)"));
}
