// What the log says of the requests of a run: values, which the log's thread writes.
#pragma once

#include <string_view>

#include "base/log/log.hpp"
#include "engine/load/answer_copy.hpp"
#include "infermeter/base/clock.hpp"
#include "infermeter/model/record.hpp"

namespace infermeter {

/// How it ended: a failure or an odd event with the answer itself (-v), a good answer in one line (-vv).
/// `name`: its X-Request-Id.
void log_end(Log& log, std::string_view name, const RequestRecord& record, AnswerCopy& answer);
/// That it is tried again.
void log_retry(Log& log, std::string_view name, const RequestRecord& record, std::uint32_t tries,
               nanoseconds delay);

}  // namespace infermeter
