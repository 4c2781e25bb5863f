#include "io/host/system_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace infermeter {

std::string system_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string system_line(const std::string& path) {
  std::string text = system_text(path);
  text.resize(std::min(text.find('\n'), text.size()));
  return text;
}

}  // namespace infermeter
