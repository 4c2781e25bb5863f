#include "infermeter/model/threshold.hpp"

namespace infermeter {

bool is_upper(Comparison comparison) {
  return comparison == Comparison::below || comparison == Comparison::at_most;
}

bool holds(double value, Comparison comparison, double limit) {
  switch (comparison) {
    case Comparison::below:
      return value < limit;
    case Comparison::at_most:
      return value <= limit;
    case Comparison::above:
      return value > limit;
    case Comparison::at_least:
      return value >= limit;
  }
  return false;
}

}  // namespace infermeter
