#include "sim/api/tokenizer.hpp"

#include "catch.hpp"

using namespace infermeter::sim;

namespace {
// The first bytes of a PNG of 512 × 300 pixels.
constexpr std::string_view kPng = "iVBORw0KGgoAAAANSUhEUgAAAgAAAAEsCAIAAAA=";
}  // namespace

TEST_CASE("image tokens: a token for each begun tile of 28 pixels a side") {
  const auto tokens = image_tokens_of_url("data:image/png;base64," + std::string(kPng));
  REQUIRE(tokens.has_value());
  CHECK(tokens->size() == 19 * 11);
  CHECK(image_tokens_of_base64(kPng) == tokens);
}

TEST_CASE("image tokens: sizes are read from PNG, GIF and JPEG") {
  const auto gif = image_size(std::string_view("GIF89a\x20\x03\x10\x00", 10));
  REQUIRE(gif.has_value());
  CHECK(gif->width == 800);
  CHECK(gif->height == 16);
  const auto jpeg = image_size(
      std::string_view("\xFF\xD8\xFF\xE0\x00\x04\x00\x00\xFF\xC0\x00\x11\x08\x00\x40\x00\x80\x03", 18));
  REQUIRE(jpeg.has_value());
  CHECK(jpeg->width == 128);
  CHECK(jpeg->height == 64);
}

TEST_CASE("image tokens: what is cut off or no image at all has no size") {
  CHECK_FALSE(image_size("").has_value());
  CHECK_FALSE(image_size("\xFF\xD8\xFF").has_value());
  CHECK_FALSE(image_size(from_base64(kPng).substr(0, 20)).has_value());
  CHECK_FALSE(image_tokens_of_url("data:nothing").has_value());
  CHECK_FALSE(image_tokens_of_base64("aGVsbG8=").has_value());
}

TEST_CASE("image tokens: a URL that is not fetched counts as 512 x 512 pixels") {
  CHECK(image_tokens_of_url("https://example.com/a.png")->size() == 19 * 19);
}
