#include "workload/request_source.hpp"

#include <set>

#include "catch.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;

namespace {

SourceInputs own(std::vector<std::string> prompts) {
  SourceInputs inputs{.output_tokens = {.a = 64}, .nonce = "lamp river stone cloud"};
  inputs.prompts.prompts = std::move(prompts);
  return inputs;
}

SourceInputs pictured(std::uint32_t images) {
  SourceInputs inputs = own({"What is this?"});
  inputs.prompts.images = images;
  inputs.prompts.image_width = inputs.prompts.image_height = 64;
  return inputs;
}

/// The bytes of a data URL, decoded by RFC 4648.
std::string png_of(const std::string& url) {
  constexpr std::string_view kHead = "data:image/png;base64,";
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  REQUIRE(url.starts_with(kHead));
  REQUIRE((url.size() - kHead.size()) % 4 == 0);
  std::string bytes;
  std::uint32_t bits = 0, have = 0;
  for (const char c : url.substr(kHead.size())) {
    if (c == '=') break;
    const auto digit = kDigits.find(c);
    REQUIRE(digit != std::string_view::npos);
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((have += 6) < 8) continue;
    have -= 8;
    bytes += static_cast<char>(bits >> have & 0xff);
  }
  return bytes;
}

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return number;
}

}  // namespace

TEST_CASE("own prompts: the same text given twice is a repeat") {
  const auto source = make_request_source(own({"one", "two", "one"}));
  CHECK(source->request(0, 0).repeat == 0);
  CHECK(source->request(1, 0).repeat == 0);
  CHECK(source->request(2, 0).repeat == 1);
  CHECK(source->request(4, 0).repeat == 1);  // the second pass
}

TEST_CASE("own prompts: they are taken in turn, as they are") {
  const auto source = make_request_source(own({"one", "two"}));
  CHECK(source->request(0, 0).messages == std::vector<Message>{{"user", "one"}});
  CHECK(source->request(3, 0).messages == std::vector<Message>{{"user", "two"}});
  CHECK(source->request(3, 0).output_tokens == 64);
  CHECK(source->request(3, 0).input_tokens == 0);
  CHECK(source->size() == 2);
  CHECK(source->turns(0) == 1);
  CHECK(source->primers().empty());
}

TEST_CASE("own prompts: a conversation takes the next ones in order") {
  SourceInputs inputs = own({"a", "b", "c", "d"});
  inputs.prompts.turns = {.a = 2};
  const auto source = make_request_source(inputs);
  CHECK(source->request(0, 1).messages[0].content == "b");
  CHECK(source->request(1, 0).messages[0].content == "c");
  CHECK(source->request(1, 1).messages[0].content == "d");
  CHECK(source->size() == 2);
}

TEST_CASE("own prompts: they have no shared prefix to give") {
  SourceInputs inputs = own({"one"});
  inputs.prompts.shared_prefix_tokens = 100;
  CHECK_THROWS_WITH(make_request_source(inputs),
                    "--shared-prefix-tokens goes with synthetic prompts, not with prompts of one's own");
}

TEST_CASE("batches: a request holds the texts of as many requests, none of them twice") {
  SourceInputs inputs{.output_tokens = {.a = 64}, .nonce = "lamp river stone cloud"};
  inputs.input_tokens = {.a = 30};
  const auto single = make_request_source(inputs);
  inputs.prompts.batch = 3;
  const auto batched = make_request_source(inputs);
  const Request second = batched->request(1, 0);
  REQUIRE(second.messages.size() == 3);
  CHECK(second.messages[0] == single->request(3, 0).messages[0]);
  CHECK(second.messages[2] == single->request(5, 0).messages[0]);
  CHECK(second.input_tokens == 90);
}

TEST_CASE("batches: own prompts repeat, and a batch of turns is refused") {
  SourceInputs inputs = own({"a", "b", "c"});
  inputs.prompts.batch = 2;
  const auto source = make_request_source(inputs);
  CHECK(source->request(1, 0).messages[0].content == "c");
  CHECK(source->request(1, 0).messages[1].content == "a");
  inputs.prompts.turns = {.a = 2};
  CHECK_THROWS_WITH(make_request_source(inputs), "--batch-size goes with prompts of one turn");
}

TEST_CASE("images: each is a PNG of the asked size") {
  SourceInputs inputs = pictured(1);
  inputs.prompts.image_width = 640;
  inputs.prompts.image_height = 48;
  const std::string png = png_of(make_request_source(inputs)->request(0, 0).images.at(0));
  CHECK(png.substr(0, 8) == "\x89PNG\r\n\x1a\n");
  CHECK(png.substr(12, 4) == "IHDR");
  CHECK(number_at(png, 16) == 640);
  CHECK(number_at(png, 20) == 48);
  CHECK(png.substr(png.size() - 8, 4) == "IEND");
}

TEST_CASE("images: no two are alike, and the same request has the same ones") {
  const auto source = make_request_source(pictured(3));
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < 100; ++i) {
    for (const auto& image : source->request(i, 0).images) seen.insert(image);
  }
  CHECK(seen.size() == 300);
  CHECK(source->request(42, 0).images == make_request_source(pictured(3))->request(42, 0).images);
  SourceInputs other = pictured(3);
  other.nonce = "gold wind paper seven";
  CHECK(make_request_source(other)->request(0, 0).images != source->request(0, 0).images);
}

TEST_CASE("images: a large one is small as a file") {
  SourceInputs inputs = pictured(1);
  inputs.prompts.image_width = inputs.prompts.image_height = 2048;
  CHECK(make_request_source(inputs)->request(0, 0).images[0].size() < 20'000);
}

TEST_CASE("images: a size that no picture has is refused before the run") {
  SourceInputs inputs = pictured(1);
  inputs.prompts.image_height = 0;
  CHECK_THROWS_WITH(make_request_source(inputs), "--image-size: 64x0 is not from 1x1 to 8192x8192");
}

TEST_CASE("own prompts: one that was sent before counts as repeated, in this pass, an earlier one or point") {
  auto inputs = own({"one", "two", "three"});
  auto source = make_request_source(inputs);
  CHECK(source->same_at_every_point());
  CHECK(source->request(2, 0).repeat == 0);
  CHECK(source->request(3, 0).repeat == 1);
  CHECK(source->request(7, 0).repeat == 2);
  inputs.sent_before = 2;  // an earlier point sent "one" and "two"
  source = make_request_source(inputs);
  CHECK(source->request(1, 0).repeat == 1);
  CHECK(source->request(2, 0).repeat == 0);
}

TEST_CASE("synthetic: with a given nonce a later point sends the prompts of an earlier one again") {
  SourceInputs inputs{
      .input_tokens = {.a = 64}, .output_tokens = {.a = 64}, .nonce = "lamp river stone cloud"};
  inputs.sent_before = 5;
  CHECK(make_request_source(inputs)->request(0, 0).repeat == 0);  // each point has its own nonce
  inputs.prompts.nonce_given = true;
  CHECK(make_request_source(inputs)->request(4, 0).repeat == 1);
  CHECK(make_request_source(inputs)->request(5, 0).repeat == 0);
}
