#include "rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "infermeter/model/endpoint.hpp"

namespace infermeter::faults {
namespace {

constexpr auto kPhases = std::to_array<std::string_view>(
    {"connect", "tls", "http2", "answer", "before-headers", "in-headers", "after-headers", "before-event",
     "between-events", "in-usage", "before-done", "in-trailer"});

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) {
    const auto from = part.find_first_not_of(' ');
    if (from == std::string::npos)
      parts.emplace_back();
    else
      parts.push_back(part.substr(from, part.find_last_not_of(' ') - from + 1));
  }
  return parts;
}

// truncated=3 +no_done
void read_expected(const std::string& text, Row& row) {
  for (const auto& word : split_words(text)) {
    const auto equals = word.find('=');
    if (word[0] == '+')
      row.flags.push_back(word.substr(1));
    else if (equals != std::string::npos)
      row.classes[word.substr(0, equals)] = std::stoi(word.substr(equals + 1));
    else
      throw std::invalid_argument("neither class=count nor +flag: " + word);
  }
}

Row parse_row(const std::string& line) {
  const auto cells = split(line, '|');
  if (cells.size() != 8 && cells.size() != 9) throw std::invalid_argument("eight cells, and perhaps a ninth");
  Row row;
  row.rule = parse_rule(cells[0], cells[1], cells[2], cells[3]);
  row.arguments = split_words(cells[4]);
  row.name = fmt::format("{} {} {} {}", cells[0], cells[1], cells[2], cells[3]);
  if (!row.arguments.empty()) row.name += " " + cells[4];
  read_expected(cells[5], row);
  row.exit_code = std::stoi(cells[6]);
  row.bound = std::chrono::seconds(std::stoi(cells[7]));
  if (cells.size() == 9) row.known = cells[8];
  return row;
}

}  // namespace

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string word; in >> word;)
    if (word != "-") all.push_back(word);
  return all;
}

bool is_phase(const std::string& text) { return std::ranges::find(kPhases, text) != kPhases.end(); }

Rule parse_rule(const std::string& phase, const std::string& fault, const std::string& endpoint,
                const std::string& http) {
  if (!is_phase(phase)) throw std::invalid_argument("no phase: " + phase);
  if (std::ranges::find(kEndpoints, endpoint, &EndpointRow::name) == kEndpoints.end())
    throw std::invalid_argument("no endpoint: " + endpoint);
  if (http != "1.1" && http != "2" && http != "-") throw std::invalid_argument("no HTTP version: " + http);
  Rule rule{.phase = phase, .fault = {}, .of = {}, .which = {}, .endpoint = endpoint, .http = http};
  const auto at = fault.find('@');
  if (at != std::string::npos) rule.which = fault.substr(at + 1);
  rule.of = split(fault.substr(0, at), ':');
  rule.fault = rule.of.at(0);
  rule.of.erase(rule.of.begin());
  return rule;
}

std::vector<Row> read_rows(const std::string& path) {
  std::ifstream in(path);
  std::vector<Row> rows;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    try {
      rows.push_back(parse_row(line));
    } catch (const std::exception& error) {
      throw std::invalid_argument(fmt::format("{}:{}: {}", path, number, error.what()));
    }
  }
  if (rows.empty()) throw std::invalid_argument(path + ": no row");
  return rows;
}

}  // namespace infermeter::faults
