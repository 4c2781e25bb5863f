#include "run_files.hpp"

#include <simdjson.h>

#include <stdexcept>

namespace infermeter::bench {
namespace {

using simdjson::dom::element;

template <typename Use>
void for_each_line(const std::string& path, Use use) {
  simdjson::dom::parser parser;
  simdjson::padded_string text;
  if (simdjson::padded_string::load(path).get(text) != simdjson::SUCCESS) {
    throw std::runtime_error("cannot read " + path);
  }
  simdjson::dom::document_stream lines;
  // The batch must hold the longest line: a request of 100,000 events.
  if (parser.parse_many(text, 4'000'000).get(lines) != simdjson::SUCCESS) {
    throw std::runtime_error("not JSON: " + path);
  }
  for (auto line : lines) use(line.value());
}

element read_object(simdjson::dom::parser& parser, const std::string& path) {
  element object;
  if (parser.load(path).get(object) != simdjson::SUCCESS) throw std::runtime_error("cannot read " + path);
  return object;
}

std::int64_t whole(const element& object, const char* key) {
  std::int64_t value = 0;
  return object[key].get(value) == simdjson::SUCCESS ? value : 0;
}

std::vector<std::int64_t> all_of(const element& object, const char* key) {
  std::vector<std::int64_t> out;
  const simdjson::dom::array values = object[key].get_array();
  for (const auto value : values) out.push_back(value.get_int64().value());
  return out;
}

ClientRecord read_record(const element& line, const std::string& run_id) {
  ClientRecord record;
  record.id = run_id + "-" + std::to_string(whole(line, "id"));
  record.sent_us = whole(line, "sent_us");
  record.events = static_cast<std::uint64_t>(whole(line, "events"));
  record.packed = static_cast<std::uint64_t>(whole(line, "packed"));
  record.late = static_cast<std::uint64_t>(whole(line, "late"));
  record.ok = line["class"].get_string().value() == "ok";
  std::int64_t arrival = whole(line, "first_token_us");
  if (record.events > 0) record.arrivals_us.push_back(arrival);
  simdjson::dom::array gaps;
  if (line["gaps_us"].get(gaps) != simdjson::SUCCESS) return record;
  for (const auto gap : gaps) record.arrivals_us.push_back(arrival += gap.get_int64().value());
  return record;
}

}  // namespace

std::unordered_map<std::string, ServerTruth> read_truth(const std::string& path) {
  std::unordered_map<std::string, ServerTruth> truths;
  for_each_line(path, [&](const element& line) {
    ServerTruth truth;
    truth.arrived_ns = whole(line, "arrived_ns");
    truth.closing_ns = whole(line, "closing_ns");
    truth.closed_ns = whole(line, "closed_ns");
    truth.sent_ns = all_of(line, "sent_ns");
    truth.written_ns = all_of(line, "written_ns");
    truths.insert_or_assign(std::string(line["id"].get_string().value()), std::move(truth));
  });
  return truths;
}

ClientRun read_run(const std::string& directory) {
  simdjson::dom::parser parser;
  const element run = read_object(parser, directory + "/result.json")["run"].value();
  const std::string id{run["id"].get_string().value()};
  ClientRun out;
  out.origin_ns = run["start_monotonic_ns"].get_int64().value();
  for_each_line(directory + "/requests.jsonl",
                [&](const element& line) { out.records.push_back(read_record(line, id)); });
  return out;
}

LaunchStats read_stats(const std::string& path) {
  simdjson::dom::parser parser;
  const element stats = read_object(parser, path);
  return {whole(stats, "start_ns"), stats["cpu_s"].get_double().value(),
          static_cast<double>(whole(stats, "peak_rss_kb"))};
}

}  // namespace infermeter::bench
