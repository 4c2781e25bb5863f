#include "infermeter/model/side_by_side.hpp"

namespace infermeter {

std::string_view name(ChangeWord word) {
  switch (word) {
    case ChangeWord::better:
      return "better";
    case ChangeWord::worse:
      return "worse";
    case ChangeWord::same:
      return "same";
    case ChangeWord::unknown:
      break;
  }
  return "unknown";
}

}  // namespace infermeter
