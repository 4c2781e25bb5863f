// What a command has left in its folder.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catch.hpp"
#include "io/files/records_file.hpp"
#include "process.hpp"

namespace infermeter {

inline nlohmann::json json_file(const std::string& path) { return nlohmann::json::parse(slurp(path)); }
inline nlohmann::json result_in(const std::string& folder) { return json_file(folder + "/result.json"); }
inline nlohmann::json first_point_in(const std::string& folder) { return result_in(folder)["points"][0]; }
inline std::vector<RequestRecord> records_in(const std::string& folder) {
  return read_records(folder + "/requests.jsonl");
}

inline std::ptrdiff_t count_lines(const std::string& path) { return std::ranges::count(slurp(path), '\n'); }

/// The exit code of a run that would end with `code` on an idle machine: 4 if the result itself says that
/// this machine read too late.
inline int code_if_trusted(const nlohmann::json& result, int code) {
  const bool trusted = std::ranges::all_of(result["points"], [](const auto& point) {
    return point["validity"]["trustworthy"].template get<bool>();
  });
  return trusted ? code : 4;
}

/// Whether a run measured, trusted or not: 4 says that this machine was too busy.
inline bool measured(const Finished& run) {
  UNSCOPED_INFO(run.err);
  return run.exit_code == 0 || run.exit_code == 4;
}

}  // namespace infermeter
