#include "workload/synthetic/lengths.hpp"

#include <cmath>

#include "catch.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;

namespace {

using Kind = Lengths::Kind;
const ReadText kNoFile = [](const std::string&) -> std::string { throw EnvironmentError("no such file"); };

Lengths lengths(std::string_view text) { return parse_lengths("--input-tokens", text, kNoFile); }
Lengths from_histogram(const std::string& content) {
  return parse_lengths("--input-tokens", "histogram:h.txt", [&](const std::string&) { return content; });
}

/// Mean and standard deviation of the numbers drawn for 20,000 requests.
std::pair<double, double> drawn(const Lengths& from) {
  constexpr std::uint64_t kRequests = 20'000;
  double sum = 0, squares = 0;
  for (std::uint64_t i = 0; i < kRequests; ++i) {
    const double value = draw_length(from, Draw::input_tokens, 1, i);
    sum += value;
    squares += value * value;
  }
  const double mean = sum / kRequests;
  return {mean, std::sqrt(squares / kRequests - mean * mean)};
}

}  // namespace

TEST_CASE("lengths: each form is read as it is written, and written as it was read") {
  for (const std::string text :
       {"512", "4k", "uniform:1k,8k", "normal:512,64", "lognormal:512,0.5", "128:0.7,2k:0.3"}) {
    CHECK(lengths_text(lengths(text)) == text);
  }
  for (const std::string text :
       {"0", "2s", "250ms", "uniform:1s,3s", "normal:2s,500ms", "lognormal:1.5s,0.5", "1s:0.7,5s:0.3"}) {
    CHECK(durations_text(parse_durations("--think-time", text)) == text);
  }
}

TEST_CASE("lengths: a number is one fixed length, k is a thousand") {
  CHECK(lengths("4k").sole() == 4000);
  CHECK(lengths("1k:1").kind == Kind::weighted);
  CHECK(parse_durations("--think-time", "2s").a == 2000);
}

TEST_CASE("lengths: turns take two bare ends, prompt lengths do not") {
  CHECK(lengths_text(parse_turns("--turns", "2,6", kNoFile)) == "uniform:2,6");
  CHECK(parse_turns("--turns", "3", kNoFile).sole() == 3);
  CHECK_THROWS_WITH(lengths("1k,8k"), "--input-tokens: '1k,8k' names no distribution");
}

TEST_CASE("lengths: what cannot be read is named with its rule") {
  const std::pair<std::string_view, std::string> cases[]{
      {"0", "--input-tokens: '0' is too short: at least 1"},
      {"uniform:8k", "--input-tokens: 'uniform:8k' needs two ends, as in uniform:A,B"},
      {"uniform:8k,1k", "--input-tokens: 'uniform:8k,1k' ends below its beginning"},
      {"uniform:1,2,3", "--input-tokens: 'uniform:1,2,3' needs two ends, as in uniform:A,B"},
      {"normal:512", "--input-tokens: 'normal:512' needs a mean and a standard deviation, as in normal:M,S"},
      {"lognormal:512,9", "--input-tokens: 'lognormal:512,9' has a sigma that is not from 0 to 5"},
      {"unifrom:1,2", "--input-tokens: 'unifrom:1,2' is no distribution that is known"},
      {"128:0,2k:0", "--input-tokens: '128:0,2k:0' has no weight above 0"},
      {"128:0.5,2k", "--input-tokens: '128:0.5,2k' is not pairs of length and weight, as in A:0.7,B:0.3"},
      {"many", "--input-tokens: 'many' is not a whole number such as 128, 4k or 8_192"}};
  for (const auto& [text, message] : cases) CHECK_THROWS_WITH(lengths(text), message);
  CHECK_THROWS_WITH(parse_durations("--think-time", "2"),
                    "--think-time: '2' is not a duration such as 250ms, 30s, 1.5m or 2h");
}

TEST_CASE("lengths: a histogram has a length and a weight a line") {
  const Lengths read = from_histogram("# tokens weight\n128 70\n\n  2k,\t30 # long\r\n");
  CHECK(read.weighted == std::vector<std::pair<std::uint32_t, double>>{{128, 70}, {2000, 30}});
  CHECK_THROWS_WITH(from_histogram("128 70\n2000\n"),
                    "--input-tokens histogram:h.txt, line 2: '2000' is not a length and its weight");
  CHECK_THROWS_WITH(from_histogram("\n"), "--input-tokens: 'histogram:h.txt' has no weight above 0");
  CHECK_THROWS_WITH(lengths("histogram:missing"), "no such file");
}

TEST_CASE("lengths: a long histogram is told by its size and mean") {
  std::string content;
  for (int i = 1; i <= 20; ++i) content += std::to_string(i * 100) + " 1\n";
  CHECK(lengths_text(from_histogram(content)) == "20 lengths, mean 1050");
}

TEST_CASE("lengths: 20,000 draws have the mean and spread that were asked for") {
  struct Case {
    std::string_view text;
    double mean, deviation;
  };
  for (const Case& c : {Case{"512", 512, 0},
                        {"uniform:100,300", 200, 58},
                        {"normal:512,64", 512, 64},
                        {"lognormal:500,0.5", 566.6, 302},
                        {"100:0.75,500:0.25", 200, 173.2}}) {
    const auto [mean, deviation] = drawn(lengths(c.text));
    INFO(c.text);
    CHECK(std::abs(mean - c.mean) < 0.02 * c.mean);
    CHECK(std::abs(deviation - c.deviation) <= 0.04 * c.deviation + 1e-3);
  }
}

TEST_CASE("lengths: uniform reaches both of its ends") {
  bool low = false, high = false;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const auto value = draw_length(lengths("uniform:3,6"), Draw::turns, 1, i);
    REQUIRE(value >= 3);
    REQUIRE(value <= 6);
    low = low || value == 3;
    high = high || value == 6;
  }
  CHECK(low);
  CHECK(high);
}

TEST_CASE("lengths: none is drawn below the least there can be") {
  std::uint32_t shortest = 1000;
  for (std::uint64_t i = 0; i < 1000; ++i)
    shortest = std::min(shortest, draw_length(lengths("normal:10,50"), Draw::input_tokens, 1, i));
  CHECK(shortest == 1);
  CHECK(draw_length(parse_durations("--think-time", "0"), Draw::think_time, 1, 0, 1, 0) == 0);
}

TEST_CASE("lengths: a draw depends on seed, index, turn and use, and on nothing else") {
  const Lengths wide = lengths("uniform:1,1M");
  const auto first = draw_length(wide, Draw::input_tokens, 1, 7);
  CHECK(first == 371'150);
  CHECK(draw_length(wide, Draw::output_tokens, 1, 7) != first);
  CHECK(draw_length(wide, Draw::input_tokens, 2, 7) != first);
  CHECK(draw_length(wide, Draw::input_tokens, 1, 8) != first);
  CHECK(draw_length(wide, Draw::input_tokens, 1, 7, 1) != first);
}
