#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "infermeter/base/errors.hpp"
#include "workload/sources.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kColours = 2;  // one bit per pixel
using Palette = std::array<png_byte, kColours * 3>;
using Bytes = std::vector<png_byte>;

// A square is slightly larger than a vision encoder's patch; a large image has larger squares, so that its
// file stays small.
std::uint32_t square_of(std::uint32_t width, std::uint32_t height) {
  constexpr std::uint32_t kSmallest = 16, kAcross = 64;
  return std::max(kSmallest, std::max(width, height) / kAcross);
}

Palette palette_of(Random& random) {
  Palette palette;
  for (auto& channel : palette) channel = static_cast<png_byte>(random.below(256));
  return palette;
}

Bytes squares(std::uint32_t width, std::uint32_t height, Random& random) {
  const std::uint32_t square = square_of(width, height);
  Bytes pixels(std::size_t{width} * height);
  for (std::uint32_t y = 0; y < height; ++y) {
    const auto row = pixels.begin() + static_cast<std::ptrdiff_t>(std::size_t{y} * width);
    if (y % square != 0) {
      std::copy(row - width, row, row);
      continue;
    }
    for (std::uint32_t x = 0; x < width; x += square)
      std::fill_n(row + x, std::min(square, width - x), static_cast<png_byte>(random.below(kColours)));
  }
  return pixels;
}

// The simplified interface: libpng's other one reports errors by longjmp.
Bytes encode(std::uint32_t width, std::uint32_t height, const Bytes& pixels, const Palette& palette) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = kColours;
  image.flags = PNG_IMAGE_FLAG_FAST;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  const auto png = std::make_unique_for_overwrite<png_byte[]>(size);
  const int written =
      png_image_write_to_memory(&image, png.get(), &size, 0, pixels.data(), 0, palette.data());
  if (written == 0)
    throw EnvironmentError(fmt::format("cannot make an image of {}x{}: {}", width, height, image.message));
  return {png.get(), png.get() + size};
}

// RFC 4648, section 4.
void append_base64(std::string& out, const Bytes& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t there = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) group = group << 8 | (j < there ? bytes[i + j] : 0u);
    for (std::size_t digit = 0; digit < 4; ++digit)
      out += digit <= there ? kDigits[group >> (18 - 6 * digit) & 63] : '=';
  }
}

}  // namespace

std::string picture_url(std::uint32_t width, std::uint32_t height, std::uint64_t key) {
  Random random(key);
  const Palette palette = palette_of(random);
  std::string url = "data:image/png;base64,";
  append_base64(url, encode(width, height, squares(width, height, random), palette));
  return url;
}

}  // namespace infermeter
