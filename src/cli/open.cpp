#include "cli/open.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "cli/output.hpp"
#include "cli/saved.hpp"
#include "io/files/result_folder.hpp"

namespace infermeter {
namespace {

namespace fs = std::filesystem;
using Written = std::optional<fs::file_time_type>;

Written written_at(const fs::path& path) {
  std::error_code error;
  const auto at = fs::last_write_time(path, error);
  return error ? std::nullopt : Written(at);
}

/// When the result in this folder was last written; a killed run may have only records.
Written result_written_at(const fs::path& folder) {
  Written last;
  for (const auto* name : {"result.json", "requests.jsonl", "verdict.json"}) {
    if (const auto at = written_at(folder / name)) last = std::max(last, at);
  }
  return last;
}

/// A page that somebody keeps elsewhere is not touched: this one lies beside the result.
std::string page_of(const std::string& folder) {
  const std::string path = (fs::path(folder) / kPageName).string();
  const auto page = written_at(path);
  if (page && page >= result_written_at(folder)) return path;
  warn_of_unfinished(folder);
  put_out(render_report({.directory = folder, .format = {.name = "html"}}, Terminal{}), path);
  return path;
}

bool has_display() {
  for (const auto* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return true;
  }
  return false;
}

/// Its output would stand among the user's next commands.
void start_opener(std::string path) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  std::string program = "xdg-open";
  std::array<char*, 3> words{program.data(), path.data(), nullptr};
  pid_t pid = 0;
  posix_spawnp(&pid, program.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
}

}  // namespace

OpenRequest open_request(const Invocation& invocation) { return {invocation.values().text("directory")}; }

std::string newest_result(const std::string& directory) {
  if (result_written_at(directory)) return directory;
  std::string newest;
  Written last;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const auto at = result_written_at(entry.path());
    if (!at || at <= last) continue;
    last = at;
    newest = entry.path().string();
  }
  if (!newest.empty()) return newest;
  throw EnvironmentError(fmt::format("no result in {}", directory),
                         "`infermeter run` writes each one into a folder of `results`; `infermeter open DIR` "
                         "takes another.");
}

ExitCode open_command(const OpenRequest& request) {
  const std::string path = page_of(newest_result(request.directory));
  put_out(path + "\n");
  if (has_display()) start_opener(path);
  return ExitCode::ok;
}

}  // namespace infermeter
