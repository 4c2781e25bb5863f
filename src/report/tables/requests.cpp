#include <fmt/format.h>

#include <algorithm>

#include "infermeter/base/units.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/summary_lines.hpp"
#include "report/text/text.hpp"
#include "report/words/outcome_words.hpp"

namespace infermeter {
namespace {

std::string listed(const std::vector<std::pair<std::string, std::uint64_t>>& counts) {
  std::string out;
  for (const auto& [what, count] : counts) {
    if (!out.empty()) out += ", ";
    out += fmt::format("{} {}", format_count(count), what);
  }
  return out;
}

std::uint64_t failures(const PointResult& point) {
  std::uint64_t sum = 0;
  for (const auto& entry : point.outcomes) sum += is_failure(entry.outcome) ? entry.count : 0;
  return sum;
}

std::vector<Span> count_items(const PointResult& point) {
  const std::uint64_t failed = failures(point);
  std::vector<Span> items{{format_count(point.ok) + " ok", Style::bold},
                          {format_count(failed) + " failed", failed > 0 ? Style::bad : Style::plain}};
  for (const auto& entry : point.outcomes) {
    if (entry.outcome == Outcome::ok || is_failure(entry.outcome)) continue;
    items.push_back(
        {fmt::format("{} {}", format_count(entry.count), words_for(entry.outcome, 0)), Style::warn});
  }
  if (point.conversations > 0)
    items.push_back({"in " + counted(point.conversations, "conversation", "conversations")});
  if (point.warmup_requests > 0)
    items.push_back({format_count(point.warmup_requests) + " warm-up"});
  else if (point.ok > 0 && point.ramp_requests == 0)
    items.push_back({"no warm-up: the first requests are among these", Style::dim});
  if (point.ramp_requests > 0)
    items.push_back({format_count(point.ramp_requests) + " while the load changed, kept apart"});
  if (!point.finish_reasons.empty()) items.push_back({"finish: " + listed(point.finish_reasons)});
  return items;
}

// A server's error text may be a page of HTML; one line of it is enough as an example.
void print_ending(const OutcomeCount& entry, Page& page) {
  const std::string head =
      fmt::format("   {} × {}", format_count(entry.count), words_for(entry.outcome, entry.status));
  std::vector<Span> spans{{head, is_failure(entry.outcome) ? Style::bad : Style::warn}};
  if (!entry.example.empty()) {
    const std::size_t used = columns(page.fit(head)) + 3;
    const std::size_t room = std::max<std::size_t>(24, page.width() - std::min(page.width(), used));
    spans.push_back({"   " + shorten(page.fit(entry.example), room, page.fit("…")), Style::dim});
  }
  page.line(spans);
}

void print_marks(const PointResult& point, Page& page) {
  std::vector<Span> marks;
  for (const auto& [flag, count] : point.flags) {
    const auto known = flag_from_name(flag);
    const std::string_view words = known ? words_for(*known) : std::string_view(flag);
    if (!words.empty()) marks.push_back({fmt::format("{} {}", format_count(count), words)});
  }
  if (!marks.empty()) page.items(" Answers", marks);
}

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

void print_ends(const std::vector<OutcomeCount>& outcomes, Page& page) {
  for (const auto& entry : outcomes) {
    const std::string_view advice = advice_for(entry.outcome, entry.status);
    if (is_failure(entry.outcome) || !advice.empty()) print_ending(entry, page);
    page.prose({"     "}, advice);
  }
}

void print_requests(const PointResult& point, Page& page) {
  page.items(" Requests", count_items(point));
  print_ends(point.outcomes, page);
  print_marks(point, page);
}

}  // namespace infermeter
