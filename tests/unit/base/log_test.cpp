#include "base/log/log.hpp"

#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "infermeter/base/errors.hpp"
#include "temporary_file.hpp"

using namespace infermeter;

namespace {

std::string struck_out(std::string text) {
  const std::string secret = "sk-12345678";
  for (std::size_t at; (at = text.find(secret)) != std::string::npos;)
    text.replace(at, secret.size(), "****");
  return text;
}

/// "20:58:18.265 text" → "text".
std::string without_time(const std::string& line) {
  REQUIRE(line.size() > 13);
  CHECK(line.find_first_not_of("0123456789:.") == 12);
  return line.substr(13);
}

LogOptions shown_in(std::vector<std::string>& lines, LogLevel level) {
  return {.terminal = level,
          .show = [&lines](const std::string& line) { lines.push_back(without_time(line)); },
          .file = {},
          .mask = struck_out,
          .mask_front = [](std::string_view bytes,
                           std::size_t limit) { return struck_out(std::string(bytes)).substr(0, limit); }};
}

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("log: -v shows what is of its level, -vv all, and a file takes all") {
  std::vector<std::string> lines;
  const test::TemporaryFile file("");
  LogOptions options = shown_in(lines, LogLevel::info);
  options.file = file.path();
  {
    Log log(options);
    CHECK(log.takes(LogLevel::debug));
    log.put({.level = LogLevel::debug, .text = "a detail"});
    log.put({.text = "a retry"});
  }
  CHECK(lines == std::vector<std::string>{"a retry"});
  const std::string content = content_of(file.path());
  CHECK(content.find(" D a detail\n") != std::string::npos);
  CHECK(content.find(" I a retry\n") != std::string::npos);
  CHECK_FALSE(Log(shown_in(lines, LogLevel::info)).takes(LogLevel::debug));
  CHECK_FALSE(logs(nullptr));
}

TEST_CASE("log: secrets are struck out of text, head and body before the body is cut at a kilobyte") {
  std::vector<std::string> lines;
  Log log(shown_in(lines, LogLevel::info));
  log.put({.text = "sk-12345678 refused",
           .head = "401; x-key: sk-12345678",
           .body = std::string(kLoggedBytes - 4, 'x') + "sk-12345678 and more"});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0] ==
        "**** refused | head: 401; x-key: **** | body: " + std::string(kLoggedBytes - 4, 'x') + "****");
}

TEST_CASE("log: an answer's line breaks and escapes make no lines of their own") {
  std::vector<std::string> lines;
  Log log(shown_in(lines, LogLevel::info));
  log.put({.text = "failed", .head = {}, .body = "one\ntwo\x1b[31m\x1ethree"});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find('\n') == std::string::npos);
  CHECK(lines[0].find('\x1b') == std::string::npos);
  CHECK(lines[0].find("three") != std::string::npos);
}

TEST_CASE("log: in a handover another thread writes, and all of it is written at its end") {
  std::vector<std::string> lines;
  std::vector<std::thread::id> writers;
  LogOptions options = shown_in(lines, LogLevel::info);
  options.show = [&](const std::string& line) {
    lines.push_back(line);
    writers.push_back(std::this_thread::get_id());
  };
  Log log(options);
  log.put({.text = "before"});
  {
    const Log::Handover handover(&log);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 250; ++i) log.put({.text = "event"});
      });
    for (auto& thread : threads) thread.join();
  }
  log.put({.text = "after"});
  REQUIRE(lines.size() == 1002);
  CHECK(writers.front() == std::this_thread::get_id());
  CHECK(writers[1] != std::this_thread::get_id());
  CHECK(writers.back() == std::this_thread::get_id());
}

TEST_CASE("log: a writer that is too slow loses the oldest lines and delays nobody") {
  std::mutex held;
  std::vector<std::string> lines;
  LogOptions options = shown_in(lines, LogLevel::info);
  options.show = [&](const std::string& line) {
    const std::lock_guard lock(held);
    lines.push_back(line);
  };
  Log log(options);
  {
    held.lock();
    const Log::Handover handover(&log);
    for (int i = 0; i < 20'000; ++i) log.put({.text = "event"});
    held.unlock();
  }
  CHECK(lines.size() < 20'000);
  CHECK(lines.back().find(" lines of the log were lost") != std::string::npos);
}

TEST_CASE("log: a file that cannot be written is named before anything is measured") {
  CHECK_THROWS_AS(Log({.terminal = {}, .show = {}, .file = "/proc/nowhere/log"}), EnvironmentError);
}
