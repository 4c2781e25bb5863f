#include "run/exit_codes.hpp"

#include <algorithm>
#include <array>

namespace infermeter {

ExitCode joined(std::initializer_list<ExitCode> codes) {
  constexpr std::array kFirstToLast{ExitCode::usage,         ExitCode::interrupted, ExitCode::environment,
                                    ExitCode::untrustworthy, ExitCode::gate_failed, ExitCode::inconclusive};
  for (const auto code : kFirstToLast) {
    if (std::ranges::find(codes, code) != codes.end()) return code;
  }
  return ExitCode::ok;
}

}  // namespace infermeter
