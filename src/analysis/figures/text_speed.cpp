#include "analysis/figures/text_speed.hpp"

#include "analysis/figures/token_counts.hpp"

namespace infermeter {

namespace {

/// The share of the visible tokens that came after the first visible instant; nothing where it cannot be
/// told.
std::optional<double> later_share(const RequestRecord& record) {
  if (!has_arrivals(record)) {
    if (record.first_output_us != record.first_token_us || record.events < 2) return std::nullopt;
    return 1 - 1.0 / record.events;
  }
  const auto counts = count_tokens(record);
  double all = 0, later = 0;
  std::int64_t at = *record.first_token_us;
  for (std::size_t j = 0; j < record.events; ++j) {
    if (j > 0) at += record.gaps_us[j - 1];
    if (at < *record.first_output_us) continue;
    const double tokens = event_tokens(record, counts, j);
    all += tokens;
    if (at > *record.first_output_us) later += tokens;
  }
  return all > 0 ? std::optional(later / all) : std::nullopt;
}

}  // namespace

std::optional<TextSpeed> text_speed(const RequestRecord& record) {
  if (record.output_chars == 0 || !record.first_output_us || !record.last_token_us) return std::nullopt;
  const auto span_us = *record.last_token_us - *record.first_output_us;
  if (span_us <= 0) return std::nullopt;
  const auto later = later_share(record);
  if (!later || *later <= 0) return std::nullopt;
  const double chars = static_cast<double>(record.output_chars) / static_cast<double>(choice_count(record));
  return TextSpeed{chars * *later, static_cast<double>(span_us) / 1e6};
}

}  // namespace infermeter
