// Small pictures for requests with images. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace infermeter {

/// A PNG of coloured squares as a data URL ("data:image/png;base64,…"), the same for the same key and another
/// for any other, so that no encoder cache knows it. Some kilobytes at most for each megapixel. Throws
/// EnvironmentError where libpng cannot make it.
std::string picture_url(std::uint32_t width, std::uint32_t height, std::uint64_t key);

}  // namespace infermeter
