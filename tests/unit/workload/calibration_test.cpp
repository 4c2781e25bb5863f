#include "workload/synthetic/calibration.hpp"

#include <algorithm>
#include <set>

#include "catch.hpp"
#include "sim/api/tokenizer.hpp"
#include "workload/request_source.hpp"
#include "workload/synthetic/text.hpp"

using namespace infermeter;

namespace {

const std::string kSystem = "You are a terse assistant.";

/// The simulator's count for a prompt after a system prompt, through its chat template.
std::uint32_t sim_count(const std::string& text) {
  const sim::ChatMessage messages[]{{"system", kSystem}, {"user", text}};
  return static_cast<std::uint32_t>(sim::tokenize_chat(messages).size());
}

TokenProbes by_usage() { return {.usage = sim_count, .templated = {}, .tokens = {}}; }
TokenProbes by_tokenize() {
  return {.usage = {}, .templated = sim_count, .tokens = [](const std::string& text) {
            return sim::tokenize_prompt(text, false);
          }};
}

/// A typical vocabulary: a token for each word and full stop, 30 for the template.
std::uint32_t usual_count(const std::string& text) {
  const auto ends = std::count_if(text.begin(), text.end(), [](char c) { return c == ' ' || c == '.'; });
  return 31 + static_cast<std::uint32_t>(ends);
}

SourceInputs of_input_length(double tokens) {
  return {.input_tokens = {.a = tokens}, .nonce = "lamp river stone cloud"};
}

SourceInputs learnt(const TokenProbes& probes, SourceInputs inputs) {
  inputs.calibration = std::make_shared<const Calibration>(learn_calibration(probes, inputs));
  return inputs;
}

std::string first_text(const RequestSource& source, std::uint64_t index) {
  return source.request(index, 0).messages[0].content;
}

}  // namespace

TEST_CASE("calibration: prompts have exactly the asked tokens, whichever way they were learnt") {
  for (const TokenProbes& probes : {by_usage(), by_tokenize()}) {
    for (const std::uint32_t tokens : {100u, 1000u, 8000u}) {
      const auto source = make_request_source(learnt(probes, of_input_length(tokens)));
      for (std::uint64_t i = 0; i < 50; ++i) CHECK(sim_count(first_text(*source, i)) == tokens);
    }
  }
}

TEST_CASE("calibration: drawn lengths are as exact, and each request tells its own") {
  SourceInputs inputs = of_input_length(0);
  inputs.input_tokens = {.kind = Lengths::Kind::lognormal, .a = 400, .b = 1};
  const auto source = make_request_source(learnt(by_usage(), inputs));
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Request request = source->request(i, 0);
    CHECK(sim_count(request.messages[0].content) == request.input_tokens);
  }
}

TEST_CASE("calibration: a shared prefix is as long as asked, and counts within the prompt") {
  SourceInputs inputs = of_input_length(1000);
  inputs.prompts.shared_prefix_tokens = 300;
  inputs.prompts.prefix_groups = 2;
  const auto source = make_request_source(learnt(by_usage(), inputs));
  const std::string one = first_text(*source, 0), other = first_text(*source, 2);
  CHECK(sim_count(one) == 1000);
  const auto common = std::mismatch(one.begin(), one.end(), other.begin()).first - one.begin();
  const std::string shared = one.substr(0, one.rfind(' ', static_cast<std::size_t>(common)));
  CHECK(sim_count(shared) - sim_count("") == 300);
}

TEST_CASE("calibration: a usual vocabulary is known after three short probes") {
  std::vector<std::size_t> lengths;
  const TokenProbes probes{.usage = [&](const std::string& text) {
    lengths.push_back(usual_count(text));
    return usual_count(text);
  }};
  const Calibration calibration = learn_calibration(probes, of_input_length(1000));
  CHECK(calibration.overhead_tokens == 30);
  CHECK(std::ranges::count(calibration.word_tokens, 1) == 512);
  CHECK(calibration.task_tokens == 8);
  CHECK(lengths == std::vector<std::size_t>{31, 543, 39, 1000});
  CHECK(calibration.report ==
        "a prompt of 1,000 tokens is counted as 1,000 (exactly), learnt from usage by 4 probes");
}

TEST_CASE("calibration: the report says how it was learnt and how well it holds") {
  const Calibration usage = learn_calibration(by_usage(), of_input_length(1000));
  CHECK(usage.source == "usage");
  CHECK(usage.report ==
        "a prompt of 1,000 tokens is counted as 1,000 (exactly), learnt from usage by 8 probes");
  const Calibration tokenize = learn_calibration(by_tokenize(), of_input_length(1000));
  CHECK(tokenize.source == "tokenize");
  CHECK(tokenize.report == "a prompt of 1,000 tokens is counted as 1,000 (exactly), learnt from /tokenize");
  CHECK(learn_calibration(by_usage(), of_input_length(2)).report.find("no shorter one can be made") !=
        std::string::npos);
}

TEST_CASE("calibration: with few words known no two prompts open alike within 16 tokens of their own") {
  const auto source = make_request_source(learnt(by_usage(), of_input_length(100)));
  std::set<sim::Tokens> seen;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    sim::Tokens tokens = sim::tokenize_prompt(first_text(*source, i), false);
    tokens.resize(16);
    seen.insert(tokens);
  }
  CHECK(seen.size() == 20'000);
}

TEST_CASE("calibration: with few words known another nonce still opens every prompt anew") {
  SourceInputs inputs = learnt(by_usage(), of_input_length(100));
  const std::string one = first_text(*make_request_source(inputs), 0);
  inputs.nonce = "gold wind paper seven";
  const std::string other = first_text(*make_request_source(inputs), 0);
  CHECK(one.substr(0, one.find(' ', 16)) != other.substr(0, other.find(' ', 16)));
}

TEST_CASE("calibration: a server without usage is not calibrated, and the report says so") {
  const auto nothing = [](const std::string&) -> std::optional<std::uint32_t> { return std::nullopt; };
  const Calibration calibration = learn_calibration({.usage = nothing}, of_input_length(100));
  CHECK(calibration.source.empty());
  CHECK(calibration.report == "the server reports no usage: prompt lengths are a guess");
  CHECK(first_text(*make_request_source(learnt({.usage = nothing}, of_input_length(100))), 3) ==
        first_text(*make_request_source(of_input_length(100)), 3));
}

TEST_CASE("calibration: counts that do not follow the prompt are not believed") {
  const auto same = [](const std::string&) -> std::optional<std::uint32_t> { return 10; };
  const Calibration calibration = learn_calibration({.usage = same}, of_input_length(100));
  CHECK(calibration.source.empty());
  CHECK(calibration.report ==
        "the server's token counts do not follow the words of a prompt: prompt lengths are a guess");
}

// Any effect that makes text cost more than its words: the check detects it, and the prompts get shorter.
TEST_CASE("calibration: a check that is off by more than 2 % corrects the lengths in proportion") {
  const auto dear = [](const std::string& text) {
    const std::uint32_t count = usual_count(text);
    return count < 600 ? count : 30 + (count - 30) * 11 / 10;
  };
  const SourceInputs inputs = learnt({.usage = dear}, of_input_length(4000));
  CHECK(inputs.calibration->stretch > 1.09);
  CHECK(inputs.calibration->report.find("after a correction") != std::string::npos);
  const double counted = dear(first_text(*make_request_source(inputs), 5));
  CHECK(std::abs(counted - 4000) <= 80);
}

TEST_CASE("calibration: what the server bills is believed before what /tokenize says of the template") {
  TokenProbes probes = by_tokenize();
  probes.usage = [](const std::string& text) { return sim_count(text) + 12; };
  const auto source = make_request_source(learnt(probes, of_input_length(500)));
  CHECK(*probes.usage(first_text(*source, 9)) == 500);
}
