#include <fmt/format.h>

#include "infermeter/base/units.hpp"
#include "outcome_words.hpp"
#include "summary_lines.hpp"

namespace infermeter {
namespace {

void add(std::string& note, const std::string& words) { note += (note.empty() ? "" : ", ") + words; }

}  // namespace

bool was_measured(const PointResult& point) { return point.requests + point.warmup_requests > 0; }

Span point_note(const PointResult& point) {
  if (!was_measured(point)) return {"not measured", Style::dim};
  std::string note;
  if (!point.validity.trustworthy) add(note, "not to be trusted");
  if (point.validity.partial) add(note, "partial");
  for (const auto& entry : point.outcomes) {
    if (is_failure(entry.outcome))
      add(note, fmt::format("{} {}", format_count(entry.count), words_for(entry.outcome, entry.status)));
  }
  return {note, note.empty() ? Style::plain : Style::bad};
}

}  // namespace infermeter
