// What the matrix server does wrong: a fault, where in the answer, of which endpoint, over which HTTP
// version. One row of rows.txt is such a rule and what infermeter has to make of it. Plain values; any
// thread.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace infermeter::faults {

struct Rule {
  std::string phase;            // where: connect, tls, before-headers … in-trailer, or answer for all of it
  std::string fault;            // what: reset, stall, status …
  std::vector<std::string> of;  // the fault's own words: status:429:html has 429 and html
  std::string which;  // of the POST requests: empty all, "2" the second, "2+" from it on, "reused" those
                      // on a kept connection; "models": GET /v1/models instead
  std::string endpoint;
  std::string http;  // 1.1, 2, or -: no HTTP is spoken

  bool http2() const { return http == "2"; }
  /// The fault's own word at this place, or nothing.
  std::string word(std::size_t at) const { return at < of.size() ? of[at] : std::string(); }
};

bool is_phase(const std::string& text);

/// `phase`, `fault[:word…][@which]`, endpoint, http; throws std::invalid_argument at an unknown phase or
/// endpoint.
Rule parse_rule(const std::string& phase, const std::string& fault, const std::string& endpoint,
                const std::string& http);

struct Row {
  Rule rule;
  std::string name;                    // the first four columns and the arguments
  std::vector<std::string> arguments;  // of infermeter run, behind the common ones
  std::map<std::string, int> classes;  // empty: the run ends before it measures
  std::vector<std::string> flags;      // that every ok answer has
  int exit_code = 0;
  std::chrono::seconds bound{0};
  std::string known;  // why infermeter differs today; empty: it does not
};

/// The words between blanks, without those that are only a dash.
std::vector<std::string> split_words(const std::string& text);

/// Throws std::invalid_argument with the number of the line.
std::vector<Row> read_rows(const std::string& path);

}  // namespace infermeter::faults
