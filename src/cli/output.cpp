#include "cli/output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

#include "analysis/charts/charts.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/report/formats.hpp"
#include "io/files/result_folder.hpp"
#include "io/host/client_limit.hpp"
#include "model/secrets/pieces.hpp"
#include "report/media/media.hpp"

namespace infermeter {
namespace {

constexpr unsigned kDefaultWidth = 80;
constexpr unsigned kLeastWidth = 40;
constexpr unsigned kMostWidth = 1000;

bool set(const std::optional<std::string>& value) { return value && !value->empty(); }

unsigned width_from(unsigned columns, const VariableLookup& variables) {
  if (columns == 0) {
    const std::string text = variables("COLUMNS").value_or("");
    std::from_chars(text.data(), text.data() + text.size(), columns);
  }
  return columns == 0 ? kDefaultWidth : std::clamp(columns, kLeastWidth, kMostWidth);
}

// POSIX: an empty variable counts as unset, and none at all means the "C" locale.
bool shows_utf8(const VariableLookup& variables) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto value = variables(name);
    if (!set(value)) continue;
    std::string charset;
    for (const char c : *value) {
      if (c != '-') charset += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return charset.find("utf8") != std::string::npos;
  }
  return false;
}

std::optional<std::string> environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

// The last net of a process, for what an earlier one missed.
Secrets& kept_secrets() {
  static Secrets secrets;
  return secrets;
}

}  // namespace

Terminal describe_terminal(bool is_terminal, unsigned columns, const VariableLookup& variables) {
  Terminal terminal;
  terminal.width = width_from(columns, variables);
  terminal.color = is_terminal && !set(variables("NO_COLOR")) && variables("TERM") != "dumb";
  terminal.ascii = !shows_utf8(variables);
  return terminal;
}

Terminal terminal_of(int fd) {
  winsize size{};
  const bool known = ::ioctl(fd, TIOCGWINSZ, &size) == 0;
  return describe_terminal(::isatty(fd) == 1, known ? size.ws_col : 0, environment_variable);
}

TableOptions table_options(const Terminal& terminal, bool wide, std::string directory) {
  return {terminal.width, terminal.color, terminal.ascii, wide, std::move(directory)};
}

void write_error_output(std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void warn_of_unfinished(const std::string& folder) {
  const auto holder = folder_holder(folder);
  if (!holder) return;
  const std::string warning =
      fmt::format("{} is still being written ({}): this is what it has so far", folder, *holder);
  print_warnings(std::vector{warning});
}

void keep_from_output(Secrets secrets) { kept_secrets() = std::move(secrets); }

void print_line(std::string_view line) noexcept {
  try {
    write_error_output(terminal_text(kept_secrets().mask_written(std::string(line)), false) + "\n");
  } catch (const std::exception&) {
    write_error_output("a line could not be shown\n");
  }
}

void print_warnings(std::span<const std::string> warnings) {
  for (const auto& warning : warnings) print_line(fmt::format("warning: {}", warning));
}

std::string show_run(const RunResult& run, std::span<const RequestRecord> records, const Format& format,
                     const TableOptions& options) {
  const FormatSpec& spec = format_named(format.name);
  const RunReport report{run, records, options, [&] { return make_charts(run, records); }};
  return format.per_request ? spec.requests(report) : spec.run(report);
}

std::unique_ptr<Log> make_log(unsigned verbosity, const std::string& file, const std::string& command_line) {
  if (verbosity == 0 && file.empty()) return nullptr;
  LogOptions options{
      .terminal = std::nullopt,
      .show = [](const std::string& line) { print_line(line); },
      .file = file,
      .mask = [](std::string text) { return kept_secrets().mask_written(std::move(text)); },
      .mask_front = [](std::string_view bytes,
                       std::size_t limit) { return masked_stream(kept_secrets(), bytes, limit); }};
  if (verbosity > 0) options.terminal = verbosity == 1 ? LogLevel::info : LogLevel::debug;
  auto log = std::make_unique<Log>(std::move(options));
  log->put({.text = fmt::format("infermeter {}: {}", INFERMETER_VERSION, command_line)});
  return log;
}

namespace {

void write_page(const std::string& directory, const std::function<std::string(const TableOptions&)>& page) {
  try {
    const std::string html = page(table_options(Terminal{}, false, directory));
    write_file_atomically(fmt::format("{}/{}", directory, kPageName), kept_secrets().mask_written(html));
  } catch (const std::exception& error) {
    print_warnings(std::vector{fmt::format("no page: {}", failure_words(error))});
  }
}

}  // namespace

void write_page(const RunResult& run, std::span<const RequestRecord> records, const std::string& directory) {
  write_page(directory,
             [&](const auto& options) { return show_run(run, records, {.name = "html"}, options); });
}

void write_page(const Verdict& verdict, const std::string& directory) {
  write_page(directory,
             [&](const auto& options) { return show_verdict(verdict, {.name = "html"}, options); });
}

std::string show_verdict(const Verdict& verdict, const Format& format, const TableOptions& options) {
  const FormatSpec& spec = format_named(format.name);
  if (spec.verdict) return spec.verdict(verdict, options);
  throw EnvironmentError(fmt::format("a verdict alone has no {}: that is made of a run's records", spec.name),
                         "Render the folders that the gate compared.");
}

void put_out(const std::string& given, const std::string& file) {
  const std::string text = kept_secrets().mask_written(given);
  if (!file.empty()) return write_file_in_folder(file, text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw EnvironmentError(fmt::format("cannot write to stdout: {}", error_words(errno)));
}

}  // namespace infermeter
