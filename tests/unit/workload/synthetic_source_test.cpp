#include <algorithm>
#include <set>

#include "catch.hpp"
#include "infermeter/base/errors.hpp"
#include "text_tokens.hpp"
#include "workload/request_source.hpp"
#include "workload/synthetic/text.hpp"

using namespace infermeter;
using infermeter::test::tokens_of;

namespace {

SourceInputs of_length(double tokens) {
  return {.input_tokens = {.a = tokens}, .output_tokens = {.a = 128}, .nonce = "lamp river stone cloud"};
}

SourceInputs with_prefix(std::uint32_t tokens, std::uint32_t groups) {
  SourceInputs inputs = of_length(512);
  inputs.prompts.shared_prefix_tokens = tokens;
  inputs.prompts.prefix_groups = groups;
  return inputs;
}

std::string text_of(const Request& request) { return request.messages.at(0).content; }
std::string prompt(const SourceInputs& inputs, std::uint64_t index, std::uint32_t turn = 0) {
  return text_of(make_request_source(inputs)->request(index, turn));
}

std::size_t common_prefix(const std::string& a, const std::string& b) {
  const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(end - a.begin());
}

}  // namespace

TEST_CASE("synthetic: a prompt has the asked number of words and full stops") {
  for (const std::uint32_t tokens : {8u, 20u, 24u, 31u, 128u, 512u, 8192u}) {
    const Request request = make_request_source(of_length(tokens))->request(7, 0);
    CHECK(tokens_of(text_of(request)) == tokens);
    CHECK(request.input_tokens == tokens);
    CHECK(request.output_tokens == 128);
    CHECK(request.messages[0].role == "user");
  }
}

TEST_CASE("synthetic: one asked to be shorter than its opening is the opening alone, and says so") {
  const Request request = make_request_source(of_length(1))->request(0, 0);
  CHECK(tokens_of(text_of(request)) == 7);
  CHECK(request.input_tokens == 7);
}

TEST_CASE("synthetic: the same seed, nonce and index give the same bytes") {
  SourceInputs other = of_length(512);
  other.seed = 2;
  CHECK(prompt(of_length(512), 41) == prompt(of_length(512), 41));
  CHECK(prompt(of_length(512), 41) != prompt(of_length(512), 42));
  CHECK(prompt(other, 41) != prompt(of_length(512), 41));
}

TEST_CASE("synthetic: these words never change for seed 1") {
  CHECK(prompt(of_length(24), 0) ==
        "lamp river stone cloud center next happy only read board age moon. six sing. Write a long story "
        "with these words.");
}

TEST_CASE("synthetic: another nonce changes the opening and nothing else") {
  SourceInputs inputs = of_length(512);
  inputs.nonce = "gold wind paper seven";
  const std::string one = prompt(of_length(512), 3), other = prompt(inputs, 3);
  CHECK(one.starts_with("lamp river stone cloud "));
  CHECK(other.starts_with("gold wind paper seven "));
  CHECK(one.substr(22) == other.substr(21));
}

TEST_CASE("synthetic: neighbours differ in the first word after the nonce") {
  const auto source = make_request_source(of_length(32));
  for (std::uint64_t i = 0; i < 1000; ++i) {
    CHECK(common_prefix(text_of(source->request(i, 0)), text_of(source->request(i + 1, 0))) < 22 + 1 + 6);
  }
}

TEST_CASE("synthetic: of 100,000 prompts no two open alike") {
  const auto source = make_request_source(of_length(8));
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < 100'000; ++i) seen.insert(text_of(source->request(i, 0)));
  CHECK(seen.size() == 100'000);
}

TEST_CASE("synthetic: lengths are drawn anew for each request, and told") {
  SourceInputs inputs = of_length(0);
  inputs.input_tokens = {.kind = Lengths::Kind::uniform, .a = 50, .b = 250};
  inputs.output_tokens = {.kind = Lengths::Kind::uniform, .a = 10, .b = 90};
  const auto source = make_request_source(inputs);
  std::set<std::uint32_t> in, out;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const Request request = source->request(i, 0);
    CHECK(tokens_of(text_of(request)) == request.input_tokens);
    in.insert(request.input_tokens);
    out.insert(request.output_tokens);
  }
  CHECK(in.size() > 50);
  CHECK(out.size() > 40);
}

TEST_CASE("synthetic: no answer length asked for is none said") {
  SourceInputs inputs = of_length(32);
  inputs.output_tokens = {};
  CHECK(make_request_source(inputs)->request(0, 0).output_tokens == 0);
}

TEST_CASE("synthetic: prompts of a group share a prefix of the asked length, others do not") {
  const auto source = make_request_source(with_prefix(200, 3));
  const Request a = source->request(1, 0), b = source->request(4, 0), other = source->request(2, 0);
  CHECK(a.prefix_group == 2);
  CHECK(b.prefix_group == 2);
  CHECK(other.prefix_group == 3);
  CHECK(tokens_of(text_of(a)) == 512);
  const std::string shared = text_of(a).substr(0, common_prefix(text_of(a), text_of(b)));
  CHECK(tokens_of(shared.substr(0, shared.rfind(' '))) == 200);
  CHECK(tokens_of(text_of(a).substr(0, common_prefix(text_of(a), text_of(other)))) < 7);
}

TEST_CASE("synthetic: one short primer a group carries just its prefix") {
  const auto source = make_request_source(with_prefix(200, 3));
  const auto primers = source->primers();
  REQUIRE(primers.size() == 3);
  CHECK(primers[1].prefix_group == 2);
  CHECK(primers[1].output_tokens == 1);
  CHECK(tokens_of(text_of(primers[1])) == 203);
  const std::string shared =
      text_of(primers[1]).substr(0, common_prefix(text_of(primers[1]), text_of(source->request(1, 0))));
  CHECK(tokens_of(shared.substr(0, shared.rfind(' '))) == 200);
  CHECK(make_request_source(of_length(512))->primers().empty());
}

TEST_CASE("synthetic: a prefix that leaves no room, or is no prefix, is refused") {
  CHECK_THROWS_WITH(
      make_request_source(with_prefix(510, 1)),
      "--input-tokens: 512 has no room for a shared prefix of 510 tokens and the prompt's own words");
  CHECK_NOTHROW(make_request_source(with_prefix(509, 1)));
  CHECK_THROWS_WITH(make_request_source(with_prefix(6, 1)),
                    "--shared-prefix-tokens: 6 is too short: at least 7, its opening words");
}

TEST_CASE("synthetic: a reused prompt comes back after twice what is in flight, and counts its repeats") {
  SourceInputs inputs = of_length(32);
  inputs.prompts.prompt_reuse = 3;
  inputs.in_flight = 10;
  const auto source = make_request_source(inputs);
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < 60; ++i) seen.insert(text_of(source->request(i, 0)));
  CHECK(seen.size() == 20);
  CHECK(text_of(source->request(25, 0)) == text_of(source->request(5, 0)));
  CHECK(source->request(5, 0).repeat == 0);
  CHECK(source->request(45, 0).repeat == 2);
  CHECK(source->request(60, 0).repeat == 0);
  CHECK(seen.count(text_of(source->request(60, 0))) == 0);
}

TEST_CASE("synthetic: a conversation draws its turns, their new words and the time to think") {
  SourceInputs inputs = of_length(40);
  inputs.prompts.turns = {.kind = Lengths::Kind::uniform, .a = 2, .b = 4};
  inputs.prompts.think_time = {.kind = Lengths::Kind::uniform, .a = 1000, .b = 3000};
  const auto source = make_request_source(inputs);
  std::set<std::uint32_t> turns;
  for (std::uint64_t i = 0; i < 50; ++i) turns.insert(source->turns(i));
  CHECK(turns == std::set<std::uint32_t>{2, 3, 4});
  const Request later = source->request(0, 1);
  CHECK(later.messages.size() == 1);
  CHECK(tokens_of(text_of(later)) == 40);
  CHECK(later.input_tokens == 0);
  CHECK(text_of(later) != text_of(source->request(0, 2)));
  CHECK(text_of(later) != text_of(source->request(1, 1)));
  CHECK(source->think_time(0, 1) != source->think_time(0, 2));
  CHECK(source->think_time(0, 1) >= 1s);
  CHECK(source->think_time(0, 1) <= 3s);
}

TEST_CASE("synthetic: the probe is short and opens unlike any prompt") {
  const std::string probe = probe_prompt("lamp river stone cloud");
  CHECK(tokens_of(probe) < 16);
  CHECK(common_prefix(probe, prompt(of_length(32), 0)) == 0);
}

TEST_CASE("synthetic: a nonce is four words and new for other entropy") {
  std::set<std::string> seen;
  for (std::uint64_t entropy = 0; entropy < 1000; ++entropy) {
    const std::string nonce = make_nonce(entropy * 0x9e3779b97f4a7c15ULL);
    CHECK(std::count(nonce.begin(), nonce.end(), ' ') == 3);
    seen.insert(nonce);
  }
  CHECK(seen.size() == 1000);
}
