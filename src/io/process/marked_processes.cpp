#include "io/process/marked_processes.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

namespace infermeter {
namespace {

namespace fs = std::filesystem;

std::optional<pid_t> process_of(const std::string& name) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  const bool number = error == std::errc() && end == name.data() + name.size();
  return number ? std::optional(pid) : std::nullopt;
}

/// A process that has ended and waits to be asked for has no environment any more.
bool holds(const fs::path& process, std::string_view mark) {
  std::ifstream in(process / "environ", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto entry = std::string(mark) + '\0';
  return all.starts_with(entry) || all.find('\0' + entry) != std::string::npos;
}

}  // namespace

std::vector<pid_t> marked_processes(std::string_view mark) {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const auto pid = process_of(entry.path().filename().string());
    if (pid && holds(entry.path(), mark)) found.push_back(*pid);
  }
  return found;
}

}  // namespace infermeter
