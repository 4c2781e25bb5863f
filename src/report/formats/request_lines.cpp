
#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <vector>

#include "infermeter/model/figures.hpp"
#include "model/load.hpp"
#include "model/record_keys.hpp"
#include "report/formats/lines.hpp"

namespace infermeter {
namespace {

struct RequestLine {
  const RunResult& run;
  const RequestRecord& record;
  const LoadPoint& load;
};

using RequestField = Field<RequestLine>;

template <typename Value>
RequestField request_field(std::string name, Value value) {
  return field_of<RequestLine>(std::move(name), std::move(value));
}

template <typename Owner, typename T>
LineCell cell_of(const RequestRecord& record, const RecordKey<Owner, T>& key) {
  const auto& value = value_of(record, key);
  using Type = std::remove_cvref_t<decltype(value)>;
  if constexpr (Named<Type>) {
    return line_cell(name(value));
  } else if constexpr (std::integral<Type>) {
    return value == 0 && key.rule == KeyRule::unless_none ? LineCell{} : line_cell(value);
  } else if constexpr (requires { line_cell(value); }) {
    return line_cell(value);
  } else {
    throw std::logic_error(fmt::format("{} is no cell", key.key));
  }
}

/// The value under that key in requests.jsonl.
RequestField member(std::string_view wanted) {
  RequestField field{std::string(wanted), {}};
  const auto take = [&](const auto& key) {
    if (key.key == wanted) field.value = [key](const RequestLine& c) { return cell_of(c.record, key); };
  };
  std::apply([&](const auto&... key) { (take(key), ...); }, kRecordKeys);
  if (!field.value) throw std::logic_error(fmt::format("requests.jsonl has no {}", wanted));
  return field;
}

std::vector<RequestField> members(std::initializer_list<std::string_view> keys) {
  std::vector<RequestField> fields;
  for (const auto key : keys) fields.push_back(member(key));
  return fields;
}

std::string class_name(const RequestLine& c) {
  const auto index = c.record.traffic_class;
  return index < c.load.classes.size() ? c.load.classes[index].name : std::string();
}

std::optional<std::uint32_t> turn_of(const RequestLine& c) {
  return c.record.conversation ? std::optional<std::uint32_t>(c.record.turn + 1) : std::nullopt;
}

std::vector<RequestField> key_fields() {
  using C = const RequestLine&;
  return {
      member("id"),
      member("point"),
      request_field("target", [](C c) { return target_name(c.run, c.record.target); }),
      request_field("concurrency",
                    [](C c) { return c.load.open_loop ? std::nullopt : std::optional(c.load.concurrency); }),
      request_field("rate", [](C c) { return c.load.open_loop ? std::optional(c.load.rate) : std::nullopt; }),
      request_field("run", [](C c) { return c.load.run; }),
      member("phase"),
      member("class"),
      member("status"),
      request_field("traffic_class", class_name),
      member("conversation"),
      request_field("turn", turn_of),
      member("prefix_group"),
      member("repeat"),
      member("replica"),
      member("label"),
      member("tries"),
      member("worker")};
}

std::vector<RequestField> instant_fields() {
  return members({"intended_us", "started_us", "dns_us", "connected_us", "tls_us", "sent_us", "uploaded_us",
                  "headers_us", "first_byte_us", "first_event_us", "first_token_us", "first_output_us",
                  "last_token_us", "end_us"});
}

std::vector<RequestField> figure_fields() {
  std::vector<RequestField> fields;
  for (const auto& shown : shown_figures(FigureOutput::requests_csv)) {
    const Figure& figure = *shown.figure;
    const char* unit = figure.unit == FigureUnit::milliseconds ? "_ms" : "";
    fields.push_back(request_field(std::string(figure.name) + unit,
                                   [&figure](const RequestLine& c) { return figure_of(figure, c.record); }));
  }
  return fields;
}

std::vector<RequestField> request_count_fields() {
  return members({"asked_input_tokens", "asked_output_tokens", "prompt_tokens", "cached_tokens",
                  "cache_write_tokens", "output_tokens", "reasoning_tokens", "token_source", "output_chars",
                  "events", "packed", "late", "lag_max_us", "turn_max_us", "bytes", "finish_reason", "cost",
                  "error", "server_request_id"});
}

std::vector<RequestField> all_request_fields() {
  std::vector<RequestField> fields;
  for (auto* part : {key_fields, instant_fields, figure_fields, request_count_fields}) {
    for (auto& more : part()) fields.push_back(std::move(more));
  }
  return fields;
}

std::vector<const RequestRecord*> in_order(std::span<const RequestRecord> records) {
  std::vector<const RequestRecord*> all;
  all.reserve(records.size());
  for (const auto& record : records) all.push_back(&record);
  const auto key = [](const RequestRecord* r) {
    return std::tuple(r->point, r->target, r->intended_us, r->id);
  };
  std::ranges::stable_sort(all, {}, key);
  return all;
}

const LoadPoint& point_load(const RunResult& result, const RequestRecord& record) {
  static const LoadPoint unknown;
  const auto it = std::ranges::find_if(result.points, [&](const PointResult& p) {
    return p.point == record.point && p.target == record.target;
  });
  return it == result.points.end() ? unknown : it->load;
}

}  // namespace

std::string request_lines(const RunResult& result, std::span<const RequestRecord> records,
                          const LineForm& form) {
  const std::vector<RequestField> fields = all_request_fields();
  std::string out = head_line(fields, form);
  for (const auto* record : in_order(records))
    add_line(fields, {result, *record, point_load(result, *record)}, form, out);
  return out;
}

}  // namespace infermeter
