#include "sim/api/tokenizer.hpp"

#include "catch.hpp"

using namespace infermeter::sim;

namespace {
std::size_t count(std::string_view text) {
  Tokens tokens;
  append_tokens(text, tokens);
  return tokens.size();
}
std::string numbered_words(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += "w" + std::to_string(i * 7919) + " ";
  return text;
}
}  // namespace

TEST_CASE("tokenizer: a text has the same count wherever it stands") {
  CHECK(count("benchmark serving") == count("benchmark") + count("serving"));
  CHECK(count("  benchmark\t serving ") == count("benchmark serving"));
  CHECK(count("benchmark\n\nserving") == count("benchmark serving") + 1);
  CHECK(count("") == 0);
}

TEST_CASE("tokenizer: words are 1 to 4 tokens and 1.5 in the mean") {
  for (int i = 0; i < 200; ++i) {
    const std::size_t tokens = count("w" + std::to_string(i * 7919));
    CHECK(tokens >= 1);
    CHECK(tokens <= 4);
  }
  CHECK(static_cast<double>(count(numbered_words(4000))) / 4000 == Approx(1.5).margin(0.06));
}

TEST_CASE("tokenizer: text without spaces still has many tokens") {
  CHECK(count(std::string(1200, 'x')) >= 100);
}

TEST_CASE("tokenizer: the chat template adds a start, four a message and three that open the answer") {
  const std::vector<ChatMessage> one{{"user", "the"}};
  const std::vector<ChatMessage> two{{"system", ""}, {"user", "the"}};
  REQUIRE(count("the") == 1);
  CHECK(tokenize_chat(one).size() == 1 + 4 + 1 + 3);
  CHECK(tokenize_chat(two).size() == 1 + 4 + 4 + 1 + 3);
  CHECK(tokenize_chat(one, false).size() == 1 + 4 + 1);
  CHECK(tokenize_prompt("the").size() == 2);
  CHECK(tokenize_prompt("the", false).size() == 1);
}

TEST_CASE("tokenizer: prompts share block hashes exactly up to their first difference") {
  Tokens tokens = tokenize_prompt(numbered_words(100));
  const auto before = block_hashes(tokens);
  CHECK(before.size() == tokens.size() / 16);
  tokens[40] += 1;  // in the third block
  const auto after = block_hashes(tokens);
  CHECK(before[0] == after[0]);
  CHECK(before[1] == after[1]);
  for (std::size_t i = 2; i < before.size(); ++i) CHECK(before[i] != after[i]);
}

TEST_CASE("tokenizer: the words of answers are one token each") {
  REQUIRE(one_token_words().size() >= 50);
  for (const auto& word : one_token_words()) CHECK(count(word) == 1);
}
