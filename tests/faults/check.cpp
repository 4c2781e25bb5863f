// faults check [TEXT…]: every row of rows.txt whose name holds one of the texts, against the built program;
// fails with the rows that end otherwise than the row says. faults serve PHASE FAULT ENDPOINT HTTP: the
// server of one row, until its input ends.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "integration/process.hpp"
#include "matrix_server.hpp"

namespace {

using namespace infermeter;
using namespace infermeter::faults;
using Problems = std::vector<std::string>;

// Most rows wait for a limit: more of them at a time than there are cores.
constexpr int kAtOnce = 6;
const std::string kKey = "sk-matrix-6f1e0c7ab2d94e53";
// Limits that an idle server keeps on a loaded machine, and three stalled requests reach together.
const std::string kCommon =
    "--model m --no-preflight --no-calibrate -n 3 -c 3 --warmup 0 --input-tokens 16 --output-tokens 4 "
    "--format json --quiet --out result --timeout-connect 2500ms --timeout-first-token 2500ms "
    "--timeout-gap 2500ms --timeout-idle 2500ms --timeout 6s --timeout-drain 7s";

std::vector<std::string> words_of(const Row& row, const std::string& url) {
  std::vector<std::string> words = split_words("run " + url + " " + kCommon);
  // libcurl before 7.88.2 never uses a connection of HTTP/2 without TLS twice.
  if (row.rule.http2()) words.insert(words.end(), {"--http2", "--fresh-connections"});
  words.insert(words.end(), row.arguments.begin(), row.arguments.end());
  return words;
}

struct Outcomes {
  std::map<std::string, int> classes, flags;
  bool trustworthy = true;
};

Outcomes outcomes_in(const nlohmann::json& result) {
  Outcomes found;
  const auto& point = result.at("points").at(0);
  for (const auto& outcome : point.at("outcomes"))
    found.classes[outcome.at("class")] += outcome.at("count").get<int>();
  for (const auto& [name, count] : point.at("flags").items()) found.flags[name] = count;
  found.trustworthy = point.at("validity").at("trustworthy");
  return found;
}

std::string shown(const std::map<std::string, int>& counts) {
  std::vector<std::string> all;
  for (const auto& [name, count] : counts) all.push_back(fmt::format("{}={}", name, count));
  return fmt::format("{}", fmt::join(all, " "));
}

// A class of the row may be several: truncated/protocol=3.
bool same_classes(const std::map<std::string, int>& found, const std::map<std::string, int>& expected) {
  std::map<std::string, int> left = expected;
  for (const auto& [name, count] : found) {
    const auto it = std::ranges::find_if(left, [&](const auto& one) {
      return ("/" + one.first + "/").find("/" + name + "/") != std::string::npos;
    });
    if (it == left.end()) return false;
    it->second -= count;
  }
  return std::ranges::all_of(left, [](const auto& one) { return one.second == 0; });
}

void check_outcomes(const Row& row, const Outcomes& found, Problems& problems) {
  if (!same_classes(found.classes, row.classes))
    problems.push_back(fmt::format("{} instead of {}", shown(found.classes), shown(row.classes)));
  const auto ok = row.classes.find("ok");
  for (const auto& flag : row.flags) {
    const auto it = found.flags.find(flag);
    if (it == found.flags.end() || ok == row.classes.end() || it->second != ok->second)
      problems.push_back(fmt::format("flag {} is not on every ok answer: {}", flag, shown(found.flags)));
  }
}

// Each request once, and as many as the result counts.
void check_records(const Row& row, const std::string& records, Problems& problems) {
  std::set<std::uint64_t> ids;
  std::map<std::string, int> classes;
  std::istringstream in(records);
  for (std::string line; std::getline(in, line);) {
    const auto record = nlohmann::json::parse(line);
    if (!ids.insert(record.at("id").get<std::uint64_t>()).second)
      problems.push_back("a request is in the records twice: " + line);
    if (record.at("phase") == "measured") ++classes[record.at("class")];
  }
  if (!same_classes(classes, row.classes)) problems.push_back("the records have " + shown(classes));
}

// A server's bytes are not the terminal's, and no key leaves.
void check_text(const std::string& where, const std::string& text, Problems& problems) {
  if (text.find(kKey) != std::string::npos) problems.push_back("the key is in " + where);
  const auto control = [](unsigned char c) { return (c < ' ' && c != '\n') || c == 0x7f; };
  if (std::ranges::any_of(text, control)) problems.push_back("a control character is in " + where);
}

bool as_expected(int code, const Row& row, const Outcomes& found) {
  // A busy machine may be too slow to believe the figures of a few requests.
  return code == row.exit_code || (row.exit_code == 0 && code == 4 && !found.trustworthy);
}

Problems check_end(const Row& row, const Finished& end, const std::string& folder) {
  Problems problems;
  Outcomes found;
  if (!end.out.empty()) {
    found = outcomes_in(nlohmann::json::parse(end.out));
    check_outcomes(row, found, problems);
    check_records(row, slurp(folder + "/result/requests.jsonl"), problems);
    check_text("result.json", slurp(folder + "/result/result.json"), problems);
  } else if (!row.classes.empty()) {
    problems.emplace_back("no result");
  } else if (end.err.find("infermeter: ") == std::string::npos) {
    problems.emplace_back("neither a result nor an error");
  }
  if (!as_expected(end.exit_code, row, found))
    problems.push_back(fmt::format("exit code {} instead of {}", end.exit_code, row.exit_code));
  check_text("stdout", end.out, problems);
  check_text("stderr", end.err, problems);
  check_text("the records", slurp(folder + "/result/requests.jsonl"), problems);
  return problems;
}

// Another build can be checked: INFERMETER_PROGRAM=PATH.
std::string program() {
  const char* other = std::getenv("INFERMETER_PROGRAM");
  return other == nullptr ? INFERMETER_BINARY : other;
}

Problems check(const Row& row, std::string& command, std::string& err) try {
  const MatrixServer server(row.rule);
  const auto words = words_of(row, server.url());
  command = fmt::format("infermeter {}", fmt::join(words, " "));
  Process process(words, {"OPENAI_API_KEY=" + kKey}, program());
  const auto begun = std::chrono::steady_clock::now();
  const Finished end = process.wait(row.bound);
  err = end.err;
  if (end.exit_code == 128 + SIGKILL && std::chrono::steady_clock::now() - begun >= row.bound)
    return {fmt::format("did not end within {} s", row.bound.count())};
  if (end.exit_code > 128) return {fmt::format("ended by signal {}", end.exit_code - 128)};
  Problems problems = check_end(row, end, process.folder());
  if (server.elsewhere() > 0) problems.emplace_back("another host was asked");
  return problems;
} catch (const std::exception& error) {
  return {error.what()};
}

struct Count {
  int failed = 0, known = 0;
};

// Says what the row did, if it was not what it should have been.
void conclude(const Row& row, const Problems& problems, const std::string& command, const std::string& err,
              Count& count) {
  if (!row.known.empty() && !problems.empty()) {
    ++count.known;
    fmt::print("known: {}: {} ({})\n", row.name, fmt::join(problems, "; "), row.known);
  } else if (!row.known.empty()) {
    ++count.failed;
    fmt::print("FAILED: {}: ends as it should: take \"{}\" out of its row\n", row.name, row.known);
  } else if (!problems.empty()) {
    ++count.failed;
    fmt::print("FAILED: {}\n  {}\n  {}\n  {}\n", row.name, fmt::join(problems, "\n  "), command, err);
  }
  std::cout.flush();
}

// A row that ends otherwise is checked again, alone: its limits are those of a machine that is not stalled.
Count check_all(const std::vector<Row>& rows) {
  Count count;
  std::vector<const Row*> again;
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kAtOnce; ++i) {
    threads.emplace_back([&] {
      for (std::size_t at = next++; at < rows.size(); at = next++) {
        std::string command, err;
        const Problems problems = check(rows[at], command, err);
        const std::lock_guard lock(mutex);
        if (problems.empty() || !rows[at].known.empty())
          conclude(rows[at], problems, command, err, count);
        else
          again.push_back(&rows[at]);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const Row* row : again) {
    std::string command, err;
    const Problems problems = check(*row, command, err);
    fmt::print("again: {}\n", row->name);
    conclude(*row, problems, command, err, count);
  }
  return count;
}

int check_rows(const std::vector<std::string>& texts) {
  std::vector<Row> rows = read_rows(INFERMETER_FAULT_ROWS);
  std::set<std::string> names;
  for (const auto& row : rows) {
    if (!names.insert(row.name).second) throw std::invalid_argument("two rows: " + row.name);
  }
  std::erase_if(rows, [&](const Row& row) {
    return !texts.empty() && std::ranges::none_of(texts, [&](const std::string& text) {
      return is_phase(text) ? row.rule.phase == text : row.name.find(text) != std::string::npos;
    });
  });
  const auto begun = std::chrono::steady_clock::now();
  const Count count = check_all(rows);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  fmt::print("faults: {} rows, {} failed, {} known, {:.1f} s\n", rows.size(), count.failed, count.known,
             took.count());
  return count.failed > 0 || rows.empty() ? 1 : 0;
}

int serve(const std::vector<std::string>& words) {
  const MatrixServer server(parse_rule(words.at(0), words.at(1), words.at(2), words.at(3)));
  fmt::print("{}\n", server.url());
  std::cout.flush();
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::string command = words.empty() ? "" : words[0];
  if (command == "check") return check_rows({words.begin() + 1, words.end()});
  if (command == "serve" && words.size() == 5) return serve({words.begin() + 1, words.end()});
  fmt::print(stderr, "faults check [PHASE|TEXT…] | faults serve PHASE FAULT ENDPOINT HTTP\n");
  return 2;
} catch (const std::exception& error) {
  fmt::print(stderr, "faults: {}\n", error.what());
  return 2;
}
