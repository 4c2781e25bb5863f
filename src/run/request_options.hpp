// The options that make a class's requests other ones, for results to be told apart by. Private to src/run;
// pure.
#pragma once

#include "infermeter/model/plan.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// In the order of the help, those that are not the default, with a value for people: lengths as given, of
/// long texts only the size. What Workload and LoadPoint hold by themselves is not among them. Of several
/// targets the first one's.
decltype(Workload::options) request_options(const Plan& plan, const TrafficClass& traffic);

}  // namespace infermeter
