#include "analysis/figures/arrival_bounds.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "model/request_view.hpp"

namespace infermeter {
namespace {

std::int64_t early_of(const RequestRecord& record, std::size_t event) {
  const auto& early = *record.early_us;
  const auto it = std::ranges::lower_bound(early, event, {}, &EarlyArrival::event);
  return it != early.end() && it->event == event ? it->by_us : 0;
}

struct Event {
  std::int64_t latest = 0, earliest = 0;
  std::uint8_t choice = 0;
  std::uint32_t tokens = 1;
  std::int64_t moved = 0;
};

std::vector<Event> events_of(const RequestRecord& record) {
  std::vector<Event> events(record.events);
  std::int64_t at = *record.first_token_us;
  auto early = record.early_us->begin();
  for (std::size_t j = 0; j < events.size(); ++j) {
    if (j > 0) at += record.gaps_us[j - 1];
    const bool uncertain = early != record.early_us->end() && early->event == j;
    events[j].latest = events[j].moved = at;
    events[j].earliest = uncertain ? at - early++->by_us : at;
    if (record.event_choice.size() == events.size()) events[j].choice = record.event_choice[j];
    if (record.gap_tokens.size() == events.size()) events[j].tokens = record.gap_tokens[j];
  }
  return events;
}

bool is_exact(const Event& event) { return event.earliest == event.latest; }

std::int64_t between(const Event& earlier, const Event& later, ArrivalSide side) {
  if (side == ArrivalSide::low) return std::max<std::int64_t>(0, later.earliest - earlier.latest);
  return later.latest - earlier.earliest;
}

/// Events of a stream that are known to share their instant.
struct Together {
  std::span<Event* const> events;
  double tokens = 0;
  const Event& any() const { return *events.front(); }
};

std::vector<Together> instants_of(const std::vector<Event*>& stream) {
  const auto one_instant = [](const Event* a, const Event* b) {
    return is_exact(*a) && is_exact(*b) && a->latest == b->latest;
  };
  std::vector<Together> out;
  for (std::size_t from = 0; from < stream.size();) {
    std::size_t to = from + 1;
    while (to < stream.size() && one_instant(stream[from], stream[to])) ++to;
    auto& one = out.emplace_back(Together{std::span(stream).subspan(from, to - from)});
    for (const auto* event : one.events) one.tokens += event->tokens;
    from = to;
  }
  return out;
}

/// What came at one instant shares the time before it: the tokens of `i` have at least their share among all
/// that may have come with them.
double least_gap(const std::vector<Together>& all, std::size_t i) {
  double tokens = all[i].tokens;
  for (std::size_t k = i + 1; k < all.size() && all[k].any().earliest < all[i].any().latest; ++k)
    tokens += all[k].tokens;
  const auto gap = static_cast<double>(between(all[i - 1].any(), all[i].any(), ArrivalSide::low));
  // 1 µs keeps what need not share an instant apart.
  return std::max(1.0, tokens > 0 ? gap * all[i].tokens / tokens : gap);
}

/// Their own gap at most, or their share of one that ends with what may have come with them.
double greatest_gap(const std::vector<Together>& all, std::size_t i) {
  const auto gap = [&](std::size_t p) {
    return static_cast<double>(between(all[p - 1].any(), all[p].any(), ArrivalSide::high));
  };
  double greatest = gap(i), tokens = all[i].tokens;
  for (std::size_t p = i; --p > 0 && all[i].any().earliest < all[p].any().latest;) {
    tokens += all[p].tokens;
    greatest = std::max(greatest, gap(p) * all[i].tokens / std::max(1.0, tokens));
  }
  return greatest;
}

/// Each gap to its bound per token, whichever events share an instant.
void move_tokens(const std::vector<Event*>& stream, ArrivalSide side) {
  const auto all = instants_of(stream);
  auto at = static_cast<double>(all.front().any().latest);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) at += side == ArrivalSide::low ? least_gap(all, i) : greatest_gap(all, i);
    for (auto* event : all[i].events) event->moved = static_cast<std::int64_t>(at);
  }
}

/// Moves the events of one choice: each gap to its bound, or the whole from the first to the last.
void move_choice(std::vector<Event*>& stream, const Figure& figure, ArrivalSide side) {
  Event& first = *stream.front();
  if (figure.level == FigureLevel::token) return move_tokens(stream, side);
  if (figure.span == FigureSpan::gaps) {
    for (std::size_t j = 1; j < stream.size(); ++j)
      stream[j]->moved = stream[j - 1]->moved + between(*stream[j - 1], *stream[j], side);
    return;
  }
  first.moved = side == ArrivalSide::low ? first.latest : first.earliest;
  // An answer that may have come at one instant still has a speed, the greatest.
  const std::int64_t least = stream.back()->latest > first.latest ? 1 : 0;
  const std::int64_t last = first.moved + std::max(least, between(first, *stream.back(), side));
  for (std::size_t j = 1; j + 1 < stream.size(); ++j) {
    // What only seems to share the first instant need not belong to the first tokens.
    const bool apart = least > 0 && !(is_exact(first) && is_exact(*stream[j]));
    stream[j]->moved = std::clamp(stream[j]->latest, first.moved + (apart ? 1 : 0), last);
  }
  if (stream.size() > 1) stream.back()->moved = last;
}

void move_choices(std::vector<Event>& events, const Figure& figure, ArrivalSide side) {
  std::vector<std::vector<Event*>> streams;
  for (auto& event : events) {
    if (event.choice >= streams.size()) streams.resize(std::size_t{event.choice} + 1);
    streams[event.choice].push_back(&event);
  }
  for (auto& stream : streams) {
    if (!stream.empty()) move_choice(stream, figure, side);
  }
  if (streams.size() > 1) std::ranges::stable_sort(events, {}, &Event::moved);
}

void keep(const std::vector<Event>& events, RequestRecord& record) {
  record.first_token_us = events.front().moved;
  record.last_token_us = events.back().moved;
  for (std::size_t j = 0; j < events.size(); ++j) {
    if (j > 0) record.gaps_us[j - 1] = static_cast<std::uint32_t>(events[j].moved - events[j - 1].moved);
    if (!record.event_choice.empty()) record.event_choice[j] = events[j].choice;
    if (!record.gap_tokens.empty()) record.gap_tokens[j] = events[j].tokens;
  }
}

/// Without kept gaps.
void move_ends(const RequestRecord& record, ArrivalSide side, RequestRecord& out) {
  if (record.events < 2 || !record.last_token_us) return;
  const Event first{.latest = *record.first_token_us,
                    .earliest = *record.first_token_us - early_of(record, 0)};
  const Event last{.latest = *record.last_token_us,
                   .earliest = *record.last_token_us - early_of(record, record.events - 1)};
  const auto from = side == ArrivalSide::low ? first.latest : first.earliest;
  out.first_token_us = from;
  out.last_token_us =
      from + std::max<std::int64_t>(last.latest > first.latest ? 1 : 0, between(first, last, side));
}

/// The first event at which visible text came; the last one where that is not known.
std::size_t first_output(const RequestRecord& record) {
  std::int64_t at = *record.first_token_us;
  std::size_t j = 0;
  for (; at < *record.first_output_us && j < record.gaps_us.size(); ++j) at += record.gaps_us[j];
  return j;
}

/// The recorded instants are the latest. Of a tail, the last token is its earlier end.
void move_instants(const RequestRecord& record, ArrivalSide side, RequestRecord& out) {
  const bool low = side == ArrivalSide::low;
  // An answer does not come before its request was sent.
  const auto earlier = [&](Micros& instant, std::int64_t by) {
    *instant = std::max(*instant - by, std::min(*instant, record.sent_us.value_or(*instant - by)));
  };
  if (low && record.first_token_us) earlier(out.first_token_us, early_of(record, 0));
  if (low && record.first_output_us && record.first_token_us)
    earlier(out.first_output_us, early_of(record, first_output(record)));
  if (low && record.end_us) earlier(out.end_us, record.end_early_us);
  if (!low && record.last_token_us && record.events > 0)
    *out.last_token_us -= early_of(record, record.events - 1);
}

}  // namespace

const RequestRecord& seen_from(const RequestRecord& record, const Figure& figure, ArrivalSide side,
                               RequestRecord& scratch) {
  const bool uncertain = record.early_us && (!record.early_us->empty() || record.end_early_us > 0);
  if (!uncertain || side == ArrivalSide::recorded) return record;
  scratch = record;
  if (figure.span == FigureSpan::to_event) {
    move_instants(record, side, scratch);
  } else if (has_arrivals(record)) {
    auto events = events_of(record);
    move_choices(events, figure, side);
    keep(events, scratch);
  } else if (record.first_token_us) {
    move_ends(record, side, scratch);
  }
  return scratch;
}

}  // namespace infermeter
