#include "report/formats/requests_csv.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "report/text/csv_text.hpp"
#include "report/words/load_words.hpp"

namespace infermeter {
namespace {

struct RequestContext {
  const RunResult& run;
  const RequestRecord& record;
  const LoadPoint& load;
  const RequestFigure& figure;
};

struct RequestField {
  std::string name;
  std::function<std::string(const RequestContext&)> value;
};

template <typename Value>
RequestField request_field(std::string name, Value value) {
  return {std::move(name),
          [value = std::move(value)](const RequestContext& c) { return csv_text(value(c)); }};
}

template <typename T>
RequestField member(std::string name, T RequestRecord::* of) {
  return request_field(std::move(name), [of](const RequestContext& c) { return c.record.*of; });
}

/// Where 0 means that there is none.
RequestField unless_zero(std::string name, std::uint32_t RequestRecord::* of) {
  return request_field(std::move(name), [of](const RequestContext& c) {
    return c.record.*of == 0 ? std::nullopt : std::optional<std::uint32_t>(c.record.*of);
  });
}

std::string class_name(const RequestContext& c) {
  const auto index = c.record.traffic_class;
  return index < c.load.classes.size() ? c.load.classes[index].name : std::string();
}

std::optional<std::uint32_t> turn_of(const RequestContext& c) {
  return c.record.conversation ? std::optional<std::uint32_t>(c.record.turn + 1) : std::nullopt;
}

std::vector<RequestField> key_fields() {
  using C = const RequestContext&;
  using R = RequestRecord;
  return {
      member("id", &R::id),
      member("point", &R::point),
      request_field("target", [](C c) { return target_name(c.run, c.record.target); }),
      request_field("concurrency",
                    [](C c) { return c.load.open_loop ? std::nullopt : std::optional(c.load.concurrency); }),
      request_field("rate", [](C c) { return c.load.open_loop ? std::optional(c.load.rate) : std::nullopt; }),
      request_field("run", [](C c) { return c.load.run; }),
      request_field("phase", [](C c) { return std::string(name(c.record.phase)); }),
      request_field("class", [](C c) { return std::string(name(c.record.outcome)); }),
      request_field("status",
                    [](C c) { return c.record.status == 0 ? std::nullopt : std::optional(c.record.status); }),
      request_field("traffic_class", class_name),
      member("conversation", &R::conversation),
      request_field("turn", turn_of),
      unless_zero("prefix_group", &R::prefix_group),
      member("repeat", &R::repeat),
      member("replica", &R::replica),
      member("label", &R::label),
      member("tries", &R::tries),
      member("worker", &R::worker)};
}

std::vector<RequestField> instant_fields() {
  using R = RequestRecord;
  return {member("intended_us", &R::intended_us),
          member("started_us", &R::started_us),
          member("dns_us", &R::dns_us),
          member("connected_us", &R::connected_us),
          member("tls_us", &R::tls_us),
          member("sent_us", &R::sent_us),
          member("uploaded_us", &R::uploaded_us),
          member("headers_us", &R::headers_us),
          member("first_byte_us", &R::first_byte_us),
          member("first_event_us", &R::first_event_us),
          member("first_token_us", &R::first_token_us),
          member("first_output_us", &R::first_output_us),
          member("last_token_us", &R::last_token_us),
          member("end_us", &R::end_us)};
}

std::vector<RequestField> figure_fields() {
  std::vector<RequestField> fields;
  for (const char* metric : {"client_queue", "ttfb", "ttft", "ttft_response", "ttfo", "tpot", "e2e",
                             "e2e_response", "tail", "max_gap"})
    fields.push_back(request_field(std::string(metric) + "_ms",
                                   [metric](const RequestContext& c) { return c.figure(metric, c.record); }));
  fields.push_back(request_field("tps", [](const RequestContext& c) { return c.figure("tps", c.record); }));
  return fields;
}

std::vector<RequestField> request_count_fields() {
  using C = const RequestContext&;
  using R = RequestRecord;
  return {unless_zero("asked_input_tokens", &R::asked_input_tokens),
          unless_zero("asked_output_tokens", &R::asked_output_tokens),
          member("prompt_tokens", &R::prompt_tokens),
          member("cached_tokens", &R::cached_tokens),
          member("output_tokens", &R::output_tokens),
          member("reasoning_tokens", &R::reasoning_tokens),
          request_field("token_source", [](C c) { return std::string(name(c.record.token_source)); }),
          member("output_chars", &R::output_chars),
          member("events", &R::events),
          member("packed", &R::packed),
          member("late", &R::late),
          member("lag_max_us", &R::lag_max_us),
          member("turn_max_us", &R::turn_max_us),
          member("bytes", &R::bytes),
          member("finish_reason", &R::finish_reason),
          member("cost", &R::cost),
          member("error", &R::error),
          member("server_request_id", &R::server_request_id)};
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

std::string requests_to_csv(const RunResult& result, std::span<const RequestRecord> records,
                            const RequestFigure& figure) {
  const std::vector<RequestField> fields = all_request_fields();
  std::string out;
  for (const auto& entry : fields) out += (&entry == &fields.front() ? "" : ",") + entry.name;
  out += '\n';
  for (const auto* record : in_order(records)) {
    const RequestContext context{result, *record, point_load(result, *record), figure};
    for (const auto& entry : fields) out += (&entry == &fields.front() ? "" : ",") + entry.value(context);
    out += '\n';
  }
  return out;
}

}  // namespace infermeter
