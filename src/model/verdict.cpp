#include "infermeter/model/verdict.hpp"

namespace infermeter {

std::string_view name(Decision decision) {
  switch (decision) {
    case Decision::pass:
      return "pass";
    case Decision::fail:
      return "fail";
    case Decision::undecided:
      break;
  }
  return "undecided";
}

std::string_view name(JudgementKind kind) {
  switch (kind) {
    case JudgementKind::assertion:
      return "assert";
    case JudgementKind::change:
      return "change";
    case JudgementKind::guard:
      break;
  }
  return "guard";
}

}  // namespace infermeter
