// How the tests' tables are rendered.
#pragma once

#include "infermeter/report/table.hpp"

namespace infermeter::test {

inline TableOptions at(unsigned width) {
  TableOptions options;
  options.width = width;
  options.directory = "results/20261129-121501-llama-3.1-8b";
  return options;
}
inline TableOptions colored(unsigned width) {
  TableOptions options = at(width);
  options.color = true;
  return options;
}
inline TableOptions ascii(unsigned width) {
  TableOptions options = at(width);
  options.ascii = true;
  return options;
}
inline TableOptions wide(unsigned width) {
  TableOptions options = at(width);
  options.wide = true;
  return options;
}

}  // namespace infermeter::test
