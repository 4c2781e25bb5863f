// The lines between the metrics and the verdict: rates, requests, tokens, and what a run may have besides.
// Private to src/report.
#pragma once

#include "report/text/page.hpp"

namespace infermeter {

void print_rates(const PointResult& point, Page& page);
/// Counts by class, an example of each failure and what to do about it, finish reasons, marks of answers.
void print_requests(const PointResult& point, Page& page);
/// The ways not to end ok, an example of each and what to do about it.
void print_ends(const std::vector<OutcomeCount>& outcomes, Page& page);
/// Where token counts come from, how many an answer had, reading comfort.
void print_tokens(const PointResult& point, Page& page);
/// How many requests met their SLOs; nothing without any.
void print_slo(const PointResult& point, Page& page);
/// What else there is: the server's cache, cost, rate limits, retries.
void print_facts(const PointResult& point, Page& page);
/// What other tools call these figures.
void print_names(const PointResult& point, Page& page);
/// With `wide` prefix groups too, every turn, and every metric of each class.
void print_slices(const PointResult& point, bool wide, Page& page);
/// The server's own times beside ours of the same name.
void print_server_times(const PointResult& point, Page& page);

/// False for a load point that the run did not come to.
bool was_measured(const PointResult& point);
/// What a row of one point must not be read without: how many failed and how, whether it can be trusted.
Span point_note(const PointResult& point);

}  // namespace infermeter
