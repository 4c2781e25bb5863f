#include "io/files/records_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "io/files/write_errors.hpp"
#include "model/record_keys.hpp"

namespace infermeter {
namespace {

// Everything is appended to the caller's buffer, which keeps its size from record to record: no allocation in
// steady state, and one pass over each byte.

template <std::integral T>
void append_number(std::string& out, T value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

void append_key(std::string& out, std::string_view key) {
  out += out.back() == '{' ? "\"" : ",\"";
  out += key;
  out += "\":";
}

template <std::integral T>
void append(std::string& out, std::string_view key, T value) {
  append_key(out, key);
  append_number(out, value);
}

template <std::integral T>
void append(std::string& out, std::string_view key, const std::optional<T>& value) {
  if (value) append(out, key, *value);
}

// The shortest digits that read back as the same number; JSON has no infinity.
void append(std::string& out, std::string_view key, const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return;
  append_key(out, key);
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, *value).ptr);
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  append_json_escaped(out, text);
  out += '"';
}

void append(std::string& out, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  append_key(out, key);
  append_quoted(out, text);
}

// Control characters in JSON text occur only between tokens: a space is equivalent and keeps it on one line.
void append_raw_json(std::string& out, std::string_view key, std::string_view json) {
  if (json.empty()) return;
  append_key(out, key);
  const std::size_t begin = out.size();
  append_shown_json(out, json);
  std::replace_if(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), is_control, ' ');
}

template <typename T>
void append(std::string& out, std::string_view key, const std::vector<T>& values) {
  if (values.empty()) return;
  append_key(out, key);
  out += '[';
  for (const T value : values) {
    append_number(out, value);
    out += ',';
  }
  out.back() = ']';
}

void append(std::string& out, std::string_view key, const Flags& flags) {
  if (flags.empty()) return;
  append_key(out, key);
  out += '[';
  for (std::uint32_t bit = 1; bit != 0; bit <<= 1) {
    const auto flag = static_cast<Flag>(bit);
    if (!flags.has(flag)) continue;
    append_quoted(out, name(flag));
    out += ',';
  }
  out.back() = ']';
}

// Most of the 96 buckets are empty: pairs of [bucket, count].
void append(std::string& out, std::string_view key, const LagHistogram& lags) {
  if (lags.total() == 0) return;
  append_key(out, key);
  out += '[';
  for (std::size_t bucket = 0; bucket < LagHistogram::kBuckets; ++bucket) {
    if (lags.counts()[bucket] == 0) continue;
    out += '[';
    append_number(out, bucket);
    out += ',';
    append_number(out, lags.counts()[bucket]);
    out += "],";
  }
  out.back() = ']';
}

// Written if empty too: then every arrival is exact.
void append(std::string& out, std::string_view key, const std::optional<std::vector<EarlyArrival>>& early) {
  if (!early) return;
  append_key(out, key);
  out += '[';
  for (const auto& [event, by_us] : *early) {
    out += '[';
    append_number(out, event);
    out += ',';
    append_number(out, by_us);
    out += "],";
  }
  if (early->empty()) out += ' ';
  out.back() = ']';
}

void append(std::string& out, std::string_view key, const HeaderValues& headers) {
  if (headers.empty()) return;
  append_key(out, key);
  out += '{';
  for (const auto& [header, value] : headers) {
    append_quoted(out, header);
    out += ':';
    append_quoted(out, value);
    out += ',';
  }
  out.back() = '}';
}

template <Named E>
void append(std::string& out, std::string_view key, E value) {
  append(out, key, name(value));
}

template <std::size_t I>
void append_member(const RequestRecord& record, std::string& out) {
  constexpr const auto& key = std::get<I>(kRecordKeys);
  const auto& value = value_of(record, key);
  if constexpr (key.rule == KeyRule::json) {
    append_raw_json(out, key.key, value);
    return;
  } else if constexpr (key.rule == KeyRule::unless_none || key.rule == KeyRule::unless_zero) {
    if (value == 0) return;
  } else if constexpr (key.rule == KeyRule::unless_one) {
    if (value == 1) return;
  } else if constexpr (key.rule == KeyRule::if_read) {
    if (record.reads == 0) return;
  }
  if constexpr (key.rule != KeyRule::json) append(out, key.key, value);
}

template <std::size_t... I>
void append_members(const RequestRecord& record, std::string& out, std::index_sequence<I...>) {
  (append_member<I>(record, out), ...);
}

// Opened for reading too, because take_back reads the end. If that is not allowed (a pipe, a device), opened
// for writing only.
int open_for_appending(const std::string& path) {
  constexpr int kCreate = O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC;
  const int fd = ::open(path.c_str(), O_RDWR | kCreate, 0644);
  return fd >= 0 || errno != EACCES ? fd : ::open(path.c_str(), O_WRONLY | kCreate, 0644);
}

}  // namespace

void append_record_json(const RequestRecord& record, std::string& out) {
  out += '{';
  append_members(record, out, std::make_index_sequence<std::tuple_size_v<decltype(kRecordKeys)>>());
  out += '}';
}

RecordsFile::RecordsFile(const std::string& path, const std::vector<RequestRecord>& first, Secrets secrets)
    : secrets_(std::move(secrets)) {
  const std::string place = first.empty() ? path : path + ".new";
  fd_ = open_for_appending(place);
  if (fd_ < 0) refuse_file("write", path, errno);
  for (const auto& record : first) append(record);
  int error = first_error();
  if (error == 0 && !first.empty() && ::rename(place.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return;
  ::close(fd_);
  if (!first.empty()) ::unlink(place.c_str());
  refuse_file("write", path, error);
}

RecordsFile::~RecordsFile() { ::close(fd_); }

void RecordsFile::append(const RequestRecord& record) {
  thread_local std::string line;
  line.clear();
  append_record_json(record, line);
  line += '\n';
  if (!secrets_.empty()) line = secrets_.mask_written(std::move(line));
  const int error = write_line(line);
  if (error == 0) return;
  failed_.fetch_add(1, std::memory_order_relaxed);
  int none = 0;
  error_.compare_exchange_strong(none, error, std::memory_order_relaxed);
}

int RecordsFile::write_line(const std::string& line) const {
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t n = ::write(fd_, line.data() + written, line.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int error = n < 0 ? errno : EIO;
      take_back(line.data(), written);
      return error;
    }
    written += static_cast<std::size_t>(n);
  }
  return 0;
}

// A full disk accepts the first bytes of a record and rejects the rest. If they stayed, they would corrupt
// the next record's line once there is space again. They are removed only while nothing follows them: other
// threads append too, although on a full disk they fail as well.
void RecordsFile::take_back(const char* fragment, std::size_t size) const {
  struct stat facts{};
  if (size == 0 || ::fstat(fd_, &facts) != 0 || facts.st_size < static_cast<off_t>(size)) return;
  const off_t start = facts.st_size - static_cast<off_t>(size);
  std::string tail(size, '\0');
  const ssize_t n = ::pread(fd_, tail.data(), size, start);
  if (n == static_cast<ssize_t>(size) && std::memcmp(tail.data(), fragment, size) == 0)
    static_cast<void>(::ftruncate(fd_, start) == 0);
}

}  // namespace infermeter
