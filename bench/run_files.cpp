#include "run_files.hpp"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "infermeter/model/record.hpp"

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

/// The number of a key, if the line has it.
std::optional<std::int64_t> counted(const element& line, const char* key) {
  std::int64_t value = 0;
  if (line[key].get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::string word(const element& line, const char* key) { return std::string(line[key].get_string().value()); }

/// A block of glibc's heap: eight bytes more, in steps of 16 bytes.
std::size_t block(std::size_t bytes) { return std::max<std::size_t>(32, (bytes + 8 + 15) / 16 * 16); }

/// A string's, which holds up to 15 bytes itself.
std::size_t text_block(std::size_t bytes) { return bytes < 16 ? 0 : block(bytes + 1); }

/// glibc's heap takes 3 % more than such blocks: rests of 16 bytes that stay with a block, and holes between
/// them (malloc_stats after 60,000 records: 1,759 bytes in use and 31 free for each, 1,731 by this count).
constexpr double kHeap = 1.03;

/// The record in its deque and its blocks on the heap: the gaps have room for all tokens asked for.
std::size_t memory_of(const element& line, const ClientRecord& record) {
  std::size_t bytes = block(sizeof(RequestRecord)) + sizeof(void*);
  if (record.events > 0) {
    bytes +=
        block(4 * static_cast<std::size_t>(std::max<std::int64_t>(whole(line, "asked_output_tokens"), 1)));
  }
  for (const char* key : {"usage", "server"}) {
    element object;
    if (line[key].get(object) == simdjson::SUCCESS) bytes += text_block(simdjson::minify(object).size());
  }
  for (const char* key : {"error", "server_model", "server_request_id", "finish_reason"}) {
    std::string_view text;
    if (line[key].get(text) == simdjson::SUCCESS) bytes += text_block(text.size());
  }
  simdjson::dom::array early;
  if (line["early_us"].get(early) == simdjson::SUCCESS && early.size() > 0) {
    bytes += block(8 * std::bit_ceil(early.size()));
  }
  return static_cast<std::size_t>(kHeap * static_cast<double>(bytes));
}

void read_counts(const element& line, ClientRecord& record) {
  for (const char* key : {"intended_us", "started_us", "sent_us", "headers_us", "last_token_us", "end_us"}) {
    record.last_us = std::max(record.last_us, whole(line, key));
  }
  record.number = whole(line, "id");
  record.point = whole(line, "point");
  record.target = whole(line, "target");
  record.sent = counted(line, "sent_us").has_value();
  record.outcome = word(line, "class");
  if (word(line, "token_source") != "usage") return;
  record.prompt_tokens = counted(line, "prompt_tokens");
  record.output_tokens = counted(line, "output_tokens");
  record.cached_tokens = counted(line, "cached_tokens");
}

ServedRequest read_served_line(const element& line) {
  ServedRequest served{.id = word(line, "id"), .end = word(line, "end")};
  for (const auto fault : line["faults"].get_array()) served.faults.emplace_back(fault.get_string().value());
  served.stream = line["stream"].get_bool().value();
  served.arrived_ns = whole(line, "arrived_ns");
  served.ended_ns = whole(line, "ended_ns");
  served.prompt_tokens = whole(line, "prompt_tokens");
  served.output_tokens = whole(line, "output_tokens");
  served.cached_tokens = whole(line, "cached_tokens");
  for (const char event : word(line, "events")) served.events += event == 't' || event == 'g' ? 1 : 0;
  return served;
}

ClientRecord read_record(const element& line, const std::string& run_id) {
  ClientRecord record;
  record.id = run_id + "-" + std::to_string(whole(line, "id"));
  record.sent_us = whole(line, "sent_us");
  record.events = static_cast<std::uint64_t>(whole(line, "events"));
  record.packed = static_cast<std::uint64_t>(whole(line, "packed"));
  record.late = static_cast<std::uint64_t>(whole(line, "late"));
  read_counts(line, record);
  record.ok = record.outcome == "ok";
  record.memory = memory_of(line, record);
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
    truth.held = whole(line, "held");
    truth.lost = whole(line, "lost");
    truth.sent_ns = all_of(line, "sent_ns");
    truth.written_ns = all_of(line, "written_ns");
    truths.insert_or_assign(std::string(line["id"].get_string().value()), std::move(truth));
  });
  return truths;
}

std::vector<ServedRequest> read_served(const std::string& path) {
  std::vector<ServedRequest> all;
  for_each_line(path, [&](const element& line) { all.push_back(read_served_line(line)); });
  return all;
}

ClientRun read_run(const std::string& directory) {
  simdjson::dom::parser parser;
  const element run = read_object(parser, directory + "/result.json")["run"].value();
  const std::string id{run["id"].get_string().value()};
  ClientRun out{.id = id};
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
