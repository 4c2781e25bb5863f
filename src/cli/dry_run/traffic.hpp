// The part of a dry run that tells what is sent: prompts, answers and classes.
#pragma once

#include <string>

#include "infermeter/model/plan.hpp"

namespace infermeter {

std::string traffic_lines(const Plan& plan);

}  // namespace infermeter
