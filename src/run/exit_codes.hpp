// Several reasons to end with a code, one code to end with.
#pragma once

#include <initializer_list>

#include "infermeter/base/errors.hpp"

namespace infermeter {

/// The first of 2, 130, 3, 4, 1, 5, 0 that is among them (docs/exit-codes.md); 0 of none.
ExitCode joined(std::initializer_list<ExitCode> codes);

}  // namespace infermeter
