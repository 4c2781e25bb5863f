#include <fmt/format.h>

#include "infermeter/base/units.hpp"
#include "report/tables/summary_lines.hpp"
#include "report/words/outcome_words.hpp"

namespace infermeter {
namespace {

void add_words(std::string& note, const std::string& words) { note += (note.empty() ? "" : ", ") + words; }

}  // namespace

bool was_measured(const PointResult& point) { return point.requests + point.warmup_requests > 0; }

Span point_note(const PointResult& point) {
  if (!was_measured(point)) return {"not measured", Style::dim};
  std::string note;
  if (!point.validity.trustworthy) add_words(note, "not to be trusted");
  if (point.validity.partial) add_words(note, "partial");
  for (const auto& entry : point.outcomes) {
    if (is_failure(entry.outcome))
      add_words(note,
                fmt::format("{} {}", format_count(entry.count), words_for(entry.outcome, entry.status)));
  }
  return {note, note.empty() ? Style::plain : Style::bad};
}

}  // namespace infermeter
