// A run's records compared with the truth of the simulator, chunk by chunk.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catch.hpp"
#include "io/files/records_file.hpp"
#include "process.hpp"

namespace infermeter {

/// CLOCK_MONOTONIC ns just before each token-bearing chunk was written, by request id.
inline std::map<std::string, std::vector<std::int64_t>> sent_instants(const std::string& truth_file) {
  std::map<std::string, std::vector<std::int64_t>> by_id;
  std::ifstream in(truth_file);
  for (std::string line; std::getline(in, line);) {
    const auto truth = nlohmann::json::parse(line);
    auto& sent = by_id[truth["id"]];
    for (std::size_t i = 0; i < truth["sent_ns"].size(); ++i) {
      if (truth["tokens"][i] > 0) sent.push_back(truth["sent_ns"][i]);
    }
  }
  return by_id;
}

// Rounding to µs and the real-time offset. Events that shared a read have one stamp: bytes that arrive
// between peek and read, a millisecond at most, then appear to precede their sending by that much.
inline std::int64_t slack_ns(const RequestRecord& record) {
  return record.packed + record.late > 0 ? 1'100'000 : 6'000;
}

/// Arrival − sending in ns of every token-bearing chunk of the run; checks that each chunk is there and none
/// precedes its sending.
inline std::vector<std::int64_t> arrival_errors(const std::string& folder, const std::string& truth_file) {
  const auto run = nlohmann::json::parse(slurp(folder + "/result.json"))["run"];
  const std::int64_t origin = run["start_monotonic_ns"];
  const auto sent = sent_instants(truth_file);
  std::vector<std::int64_t> errors;
  for (const auto& record : read_records(folder + "/requests.jsonl")) {
    const auto& instants = sent.at(run["id"].get<std::string>() + "-" + std::to_string(record.id));
    REQUIRE(record.events == instants.size());
    std::int64_t at_us = *record.first_token_us;
    for (std::size_t i = 0; i < instants.size(); ++i) {
      if (i > 0) at_us += record.gaps_us[i - 1];
      errors.push_back(origin + 1000 * at_us - instants[i]);
      CHECK(errors.back() >= -slack_ns(record));
    }
  }
  return errors;
}

}  // namespace infermeter
