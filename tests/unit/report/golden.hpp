// Compares rendered text with a file of tests/data/golden; INFERMETER_UPDATE_GOLDEN=1 rewrites the file,
// after a change of format has been reviewed.
#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace infermeter {

inline std::string golden(const std::string& name, const std::string& rendered) {
  const std::string path = std::string(INFERMETER_TEST_DATA) + "/golden/" + name;
  if (std::getenv("INFERMETER_UPDATE_GOLDEN")) std::ofstream(path, std::ios::binary) << rendered;
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace infermeter
