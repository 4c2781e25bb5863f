#include <algorithm>

#include "catch.hpp"
#include "infermeter/base/errors.hpp"
#include "text_tokens.hpp"
#include "workload/request_source.hpp"

using namespace infermeter;
using infermeter::test::tokens_of;

namespace {

class ListedItems final : public ItemSource {
 public:
  ListedItems(DataFormat format, std::vector<std::string> items)
      : format_(format), items_(std::move(items)) {}
  DataFormat format() const override { return format_; }
  std::uint64_t size() const override { return items_.size(); }
  std::string item(std::uint64_t index) const override { return items_.at(index); }
  std::uint64_t line(std::uint64_t index) const override { return index + 1; }
  std::uint32_t same_before(std::uint64_t index) const override {
    const auto end = items_.begin() + static_cast<std::ptrdiff_t>(index);
    return static_cast<std::uint32_t>(std::count(items_.begin(), end, items_.at(index)));
  }
  std::optional<nanoseconds> stamp(std::uint64_t) const override { return std::nullopt; }

 private:
  DataFormat format_;
  std::vector<std::string> items_;
};

SourceInputs of_items(DataFormat format, std::vector<std::string> items) {
  SourceInputs inputs{.output_tokens = {.a = 64}, .nonce = "lamp river stone cloud"};
  inputs.prompts.file = "f";
  inputs.items = std::make_shared<ListedItems>(format, std::move(items));
  return inputs;
}

std::string words_of(const RequestSource& source, std::uint64_t index, std::uint32_t turn = 0) {
  return source.request(index, turn).messages.back().content;
}

std::string mooncake(std::uint32_t tokens, const std::string& blocks) {
  return R"({"timestamp":0,"output_length":5,"input_length":)" + std::to_string(tokens) + R"(,"hash_ids":[)" +
         blocks + "]}";
}

/// The number of tokens at the start that two texts share.
std::size_t shared_tokens(const std::string& a, const std::string& b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return tokens_of(std::string_view(a.begin(), end)) - 1;
}

}  // namespace

TEST_CASE("file source: a text that stands on two lines of the file is a repeat on the second") {
  for (const auto format : {DataFormat::text, DataFormat::jsonl}) {
    const std::string one = format == DataFormat::text ? "one" : R"({"prompt":"one"})";
    const std::string two = format == DataFormat::text ? "two" : R"({"prompt":"two"})";
    const auto source = make_request_source(of_items(format, {one, two, one}));
    CHECK(source->request(0, 0).repeat == 0);
    CHECK(source->request(1, 0).repeat == 0);
    CHECK(source->request(2, 0).repeat == 1);
  }
}

TEST_CASE("file source: items are taken in their order and then again, with what was sent before counted") {
  const auto source = make_request_source(of_items(DataFormat::text, {"one", "two"}));
  CHECK(words_of(*source, 0) == "one");
  CHECK(words_of(*source, 1) == "two");
  CHECK(words_of(*source, 4) == "one");
  CHECK(source->request(1, 0).repeat == 0);
  CHECK(source->request(4, 0).repeat == 2);
  CHECK(source->size() == 2);
  CHECK(source->turns(0) == 1);
  CHECK(source->primers().empty());
}

TEST_CASE("file source: an item's own length of the answer comes before the class's") {
  const auto source = make_request_source(
      of_items(DataFormat::jsonl, {R"({"prompt":"a","output_tokens":7})", R"({"prompt":"b"})"}));
  CHECK(source->request(0, 0).output_tokens == 7);
  CHECK(source->request(1, 0).output_tokens == 64);
}

TEST_CASE("file source: a whole body keeps its silence about the answer's length") {
  const auto source = make_request_source(of_items(DataFormat::batch, {R"({"body":{"prompt":"a"}})"}));
  CHECK(source->request(0, 0).whole_body == R"({"prompt":"a"})");
  CHECK(source->request(0, 0).output_tokens == 0);
}

TEST_CASE("file source: a prompt that is reused is sent again soon") {
  SourceInputs inputs = of_items(DataFormat::text, {"a", "b", "c", "d", "e", "f", "g", "h", "i"});
  inputs.prompts.prompt_reuse = 2;
  const auto source = make_request_source(inputs);
  CHECK(words_of(*source, 8) == "a");
  CHECK(source->request(8, 0).repeat == 1);
  CHECK(words_of(*source, 16) == "i");
  CHECK(source->request(17, 0).repeat == 2);  // "a", in the second round of the file
}

TEST_CASE("file source: a conversation has its own turns, and no more than are asked for") {
  SourceInputs inputs = of_items(
      DataFormat::sharegpt,
      {R"({"conversations":[{"from":"human","value":"a"},{"from":"gpt","value":"-"},{"from":"human","value":"b"},)"
       R"({"from":"human","value":"c"}]})",
       R"({"conversations":[{"from":"human","value":"d"}]})"});
  inputs.prompts.turns.a = 2;
  const auto source = make_request_source(inputs);
  CHECK(source->turns(0) == 2);
  CHECK(source->turns(1) == 1);
  CHECK(words_of(*source, 0, 1) == "b");
}

TEST_CASE("file source: lines of text are the turns of a conversation, in their order") {
  SourceInputs inputs = of_items(DataFormat::text, {"a", "b", "c", "d"});
  inputs.prompts.turns.a = 2;
  const auto source = make_request_source(inputs);
  CHECK(source->turns(1) == 2);
  CHECK(words_of(*source, 1, 0) == "c");
  CHECK(words_of(*source, 1, 1) == "d");
  CHECK(source->size() == 2);
}

TEST_CASE("file source: an item that is no longer what it was stops the run") {
  const auto source = make_request_source(of_items(DataFormat::jsonl, {"{}"}));
  CHECK_THROWS_WITH(source->request(0, 0),
                    "f, line 1, has changed since it was looked at: has neither `prompt` nor `messages`");
}

TEST_CASE("trace: prompts have the lengths of the trace") {
  for (const std::uint32_t tokens : {100u, 511u, 512u, 513u, 1100u, 5000u}) {
    const auto source = make_request_source(of_items(DataFormat::mooncake, {mooncake(tokens, "1")}));
    CHECK(tokens_of(words_of(*source, 0)) == tokens);
    CHECK(source->request(0, 0).input_tokens == tokens);
    CHECK(source->request(0, 0).output_tokens == 5);
  }
}

TEST_CASE("trace: equal blocks are equal text, and no more than these") {
  const auto source = make_request_source(
      of_items(DataFormat::mooncake, {mooncake(1500, "46,47,48"), mooncake(1300, "46,47,49"),
                                      mooncake(1300, "50,47,49"), mooncake(1300, "46,47")}));
  const std::string one = words_of(*source, 0);
  const auto shared_with = [&](std::uint64_t other) { return shared_tokens(one, words_of(*source, other)); };
  CHECK(shared_with(1) >= 1024);
  CHECK(shared_with(1) < 1024 + 8);
  CHECK(shared_with(2) < 4 + 8);  // the nonce
  CHECK(shared_with(3) >= 1024);
  CHECK(shared_with(3) < 1024 + 8);
}

TEST_CASE("trace: equal blocks to the end are the same prompt, in every round") {
  const auto source = make_request_source(
      of_items(DataFormat::mooncake, {mooncake(600, "1,2"), mooncake(600, "1,2"), mooncake(600, "1")}));
  CHECK(words_of(*source, 0) == words_of(*source, 1));
  CHECK(words_of(*source, 3) == words_of(*source, 0));
  CHECK(words_of(*source, 2) != words_of(*source, 5));
  CHECK(source->request(3, 0).repeat == 1);
}

TEST_CASE("trace: lengths alone are prompts that share nothing but the nonce") {
  const auto source = make_request_source(
      of_items(DataFormat::azure, {"2023-11-16 18:17:03,300,44", "2023-11-16 18:17:04,300,44"}));
  CHECK(tokens_of(words_of(*source, 0)) == 300);
  CHECK(shared_tokens(words_of(*source, 0), words_of(*source, 1)) < 4 + 8);
  CHECK(words_of(*source, 0) != words_of(*source, 2));
  CHECK(source->request(2, 0).repeat == 0);
  CHECK(source->request(0, 0).output_tokens == 44);
  CHECK(words_of(*source, 0).ends_with(" Write a long story with these words."));
}

TEST_CASE("trace: with a calibration the server's count is the trace's, its template's tokens with them") {
  SourceInputs inputs = of_items(DataFormat::mooncake, {mooncake(1500, "1,2"), mooncake(1400, "1,2")});
  Calibration calibration{.source = "usage", .overhead_tokens = 30};
  for (std::size_t word = 0; word < 512; ++word)
    calibration.word_tokens.push_back(static_cast<std::uint8_t>(word % 3 + 1));
  inputs.calibration = std::make_shared<Calibration>(calibration);
  const auto source = make_request_source(inputs);
  CHECK(source->request(0, 0).input_tokens == 1500);
  CHECK(source->request(1, 0).input_tokens == 1400);
}
