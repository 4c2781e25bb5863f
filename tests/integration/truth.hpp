// A run's records compared with the truth of the simulator, chunk by chunk.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "catch.hpp"
#include "run_folder.hpp"

namespace infermeter {

/// One request as the simulator answered it. Instants: CLOCK_MONOTONIC, ns.
struct ServedRequest {
  std::string end;  // "done", "aborted", …
  std::int64_t arrived = 0;
  std::vector<std::int64_t> sent;  // just before each token-bearing chunk was written
};

/// By request id.
inline std::map<std::string, ServedRequest> served_requests(const std::string& truth_file) {
  std::map<std::string, ServedRequest> by_id;
  std::ifstream in(truth_file);
  for (std::string line; std::getline(in, line);) {
    const auto truth = nlohmann::json::parse(line);
    ServedRequest& served = by_id[truth["id"]];
    served.end = truth["end"];
    served.arrived = truth["arrived_ns"];
    for (std::size_t i = 0; i < truth["sent_ns"].size(); ++i) {
      if (truth["tokens"][i] > 0) served.sent.push_back(truth["sent_ns"][i]);
    }
  }
  return by_id;
}

struct JoinedRequest {
  RequestRecord record;
  ServedRequest served;
};

/// Every record of the run; fails if the simulator did not see one of them.
inline std::vector<JoinedRequest> join_truth(const std::string& folder, const std::string& truth_file) {
  const std::string run = result_in(folder)["run"]["id"];
  const auto served = served_requests(truth_file);
  std::vector<JoinedRequest> joined;
  for (auto& record : records_in(folder)) {
    const auto it = served.find(run + "-" + std::to_string(record.id));
    REQUIRE(it != served.end());
    joined.push_back({std::move(record), it->second});
  }
  return joined;
}

// Rounding to µs and the real-time offset. The events of a shared read have the stamp of its first bytes
// unless the client was a millisecond late before or after that stamp was taken (io/http/connections.cpp):
// later bytes of the read then appear to precede their sending by up to two milliseconds.
inline std::int64_t slack_ns(const RequestRecord& record) {
  return record.packed + record.late > 0 ? 2'100'000 : 6'000;
}

/// Arrival − sending in ns of every token-bearing chunk of the run; checks that each chunk is there and none
/// precedes its sending.
inline std::vector<std::int64_t> arrival_errors(const std::string& folder, const std::string& truth_file) {
  const std::int64_t origin = result_in(folder)["run"]["start_monotonic_ns"];
  std::vector<std::int64_t> errors;
  for (const auto& [record, served] : join_truth(folder, truth_file)) {
    REQUIRE(record.events == served.sent.size());
    std::int64_t at_us = *record.first_token_us;
    for (std::size_t i = 0; i < served.sent.size(); ++i) {
      if (i > 0) at_us += record.gaps_us[i - 1];
      errors.push_back(origin + 1000 * at_us - served.sent[i]);
      CHECK(errors.back() >= -slack_ns(record));
    }
  }
  return errors;
}

}  // namespace infermeter
