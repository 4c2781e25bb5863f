// Times that servers measure themselves (STREAMING.md, section 2), collected as JSON text for the record: raw
// names, raw values, no unit changed. One per response.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "infermeter/model/record.hpp"
#include "model/secrets/secrets.hpp"

namespace infermeter {

class ServerTiming {
 public:
  /// A field of the body; `json` is its JSON text. The last value of a name is kept.
  void add_field(std::string_view name, std::string_view json);
  /// A response header, if it is one that carries timing; `name` in lower case. Secrets are masked.
  void add_header(std::string_view name, std::string_view value, const Secrets& secrets = {});
  /// {"timings":{…},"headers":{"openai-processing-ms":"12"}}, on one line; empty if there is nothing.
  std::string json() const;

 private:
  std::vector<std::pair<std::string, std::string>> fields_, headers_;
};

/// `json` on one line if it is valid JSON, else nothing: a record's line must stay valid.
std::string compact_json(std::string_view json);

/// The members of both objects, where `over`'s win; either may be empty or invalid.
std::string overlaid_json(std::string_view object, std::string_view over);

/// A day: no time of a request is longer.
inline constexpr double kMostServerMs = 86'400'000;

/// `server_json` as in RequestRecord::server; empty or unknown text gives none. Nothing where one of the
/// times cannot be true: it is negative, no number, or longer than `most_ms`.
std::optional<ServerTimes> server_times(std::string_view server_json, double most_ms = kMostServerMs);

}  // namespace infermeter
