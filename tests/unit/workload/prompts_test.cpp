#include "infermeter/workload/prompts.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "catch.hpp"

using namespace infermeter;

namespace {

PromptSource source(std::uint32_t tokens = 512, std::string nonce = "lamp river stone cloud",
                    std::uint64_t seed = 1) {
  Prompts prompts;
  prompts.input_tokens.a = tokens;
  prompts.nonce = std::move(nonce);
  return PromptSource(prompts, seed);
}

/// Words and full stops: what a usual tokenizer makes of them.
std::size_t tokens_of(const std::string& text) {
  const auto stops = std::count(text.begin(), text.end(), '.');
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), ' ') + 1 + stops);
}

std::size_t common_prefix(const std::string& a, const std::string& b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

}  // namespace

TEST_CASE("prompts: a synthetic prompt has the asked number of words and full stops") {
  for (const std::uint32_t tokens : {8u, 20u, 24u, 31u, 128u, 512u, 8192u}) {
    CHECK(tokens_of(source(tokens).prompt(7)) == tokens);
  }
}

TEST_CASE("prompts: one asked to be shorter than its opening is the opening alone") {
  CHECK(tokens_of(source(1).prompt(0)) == 7);
}

TEST_CASE("prompts: the same seed, nonce and index give the same bytes") {
  CHECK(source().prompt(41) == source().prompt(41));
  CHECK(source().prompt(41) != source().prompt(42));
  CHECK(source(512, "lamp river stone cloud", 2).prompt(41) != source().prompt(41));
}

TEST_CASE("prompts: these words never change for seed 1") {
  CHECK(source(24).prompt(0) ==
        "lamp river stone cloud center next happy only read board age moon. six sing. Write a long story "
        "with these words.");
}

TEST_CASE("prompts: another nonce changes the opening and nothing else") {
  const std::string one = source().prompt(3), other = source(512, "gold wind paper seven").prompt(3);
  CHECK(one.starts_with("lamp river stone cloud "));
  CHECK(other.starts_with("gold wind paper seven "));
  CHECK(one.substr(22) == other.substr(21));
}

TEST_CASE("prompts: neighbours differ in the first word after the nonce") {
  const PromptSource prompts = source(32);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    CHECK(common_prefix(prompts.prompt(i), prompts.prompt(i + 1)) < 22 + 1 + 6);
  }
}

TEST_CASE("prompts: of 100,000 prompts no two open alike") {
  const PromptSource prompts = source(8);
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < 100'000; ++i) seen.insert(prompts.prompt(i));
  CHECK(seen.size() == 100'000);
}

TEST_CASE("prompts: the user's own are taken in turn and carry no nonce") {
  Prompts own;
  own.prompts = {"one", "two"};
  own.nonce = "lamp river stone cloud";
  const PromptSource prompts(own, 1);
  CHECK(prompts.prompt(0) == "one");
  CHECK(prompts.prompt(3) == "two");
}

TEST_CASE("prompts: the probe is short and opens unlike any prompt") {
  const PromptSource prompts = source();
  CHECK(tokens_of(prompts.probe()) < 16);
  CHECK(common_prefix(prompts.probe(), prompts.prompt(0)) == 0);
}

TEST_CASE("prompts: a nonce is four words and new for other entropy") {
  std::set<std::string> seen;
  for (std::uint64_t entropy = 0; entropy < 1000; ++entropy) {
    const std::string nonce = make_nonce(entropy * 0x9e3779b97f4a7c15ULL);
    CHECK(std::count(nonce.begin(), nonce.end(), ' ') == 3);
    seen.insert(nonce);
  }
  CHECK(seen.size() == 1000);
}
