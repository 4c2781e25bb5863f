// Reads requests.jsonl back, line by line through one buffer.
#include <fcntl.h>
#include <fmt/format.h>
#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "base/json_scan.hpp"
#include "infermeter/base/errors.hpp"
#include "io/files/records_file.hpp"
#include "io/host/client_limit.hpp"
#include "model/record_keys.hpp"

namespace infermeter {
namespace {

// A file read line by line through one buffer, for files of any size.
class LineReader {
 public:
  struct Line {
    std::string_view text;  // without the newline; valid until the next call
    std::uint64_t number;   // from 1
    bool terminated;        // false: the file ends without a newline after it
  };

  /// `padding` readable bytes follow each line, for parsers that read ahead. Throws EnvironmentError naming
  /// the file if it cannot be opened; next() throws the same if reading fails.
  LineReader(const std::string& path, std::size_t padding);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  std::optional<Line> next();

 private:
  bool fill();

  std::string path_;
  int fd_;
  std::size_t padding_;
  std::string buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the bytes of buffer_ that were read but not returned yet
  std::uint64_t line_ = 0;
};

constexpr std::size_t kChunk = 256 * 1024;

[[noreturn]] void refuse_lines(const std::string& path) {
  throw EnvironmentError(fmt::format("cannot read {}: {}", path, error_words(errno)));
}

LineReader::LineReader(const std::string& path, std::size_t padding)
    : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), padding_(padding) {
  if (fd_ < 0) refuse_lines(path_);
}

LineReader::~LineReader() { ::close(fd_); }

std::optional<LineReader::Line> LineReader::next() {
  std::size_t searched = 0;
  while (true) {
    const char* from = buffer_.data() + begin_;
    const void* found = std::memchr(from + searched, '\n', end_ - begin_ - searched);
    if (found) {
      const auto size = static_cast<std::size_t>(static_cast<const char*>(found) - from);
      begin_ += size + 1;
      return Line{{from, size}, ++line_, true};
    }
    searched = end_ - begin_;
    if (fill()) continue;
    if (begin_ == end_) return std::nullopt;
    const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
    begin_ = end_;
    return Line{rest, ++line_, false};
  }
}

// Moves the unread bytes to the front and reads behind them; the buffer grows to the longest line.
bool LineReader::fill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (buffer_.size() < end_ + kChunk + padding_) buffer_.resize(std::max(end_ + kChunk + padding_, 2 * end_));
  ssize_t n = -1;
  do {
    n = ::read(fd_, buffer_.data() + end_, kChunk);
  } while (n < 0 && errno == EINTR);
  if (n < 0) refuse_lines(path_);
  end_ += static_cast<std::size_t>(n);
  return n > 0;
}

using Value = simdjson::ondemand::value;

/// Why a line is not a record.
struct BadLine {
  std::string reason;
};

// 31 years of microseconds. Sums and differences of such numbers do not overflow, nor do they as nanoseconds.
constexpr std::int64_t kMostWhole = 1'000'000'000'000'000;

template <typename T>
T whole_number(Value& value) {
  if constexpr (std::is_signed_v<T>) {
    const std::int64_t number = value.get_int64();
    if (std::in_range<T>(number) && number >= -kMostWhole && number <= kMostWhole)
      return static_cast<T>(number);
  } else {
    const std::uint64_t number = value.get_uint64();
    if (std::in_range<T>(number)) return static_cast<T>(number);
  }
  throw BadLine{"a number is out of range"};
}

template <std::integral T>
void read(Value& value, T& member) {
  member = whole_number<T>(value);
}
template <std::integral T>
void read(Value& value, std::optional<T>& member) {
  member = whole_number<T>(value);
}
template <std::integral T>
void read(Value& value, std::vector<T>& member) {
  for (Value element : value.get_array()) member.push_back(whole_number<T>(element));
}
void read(Value& value, std::optional<double>& member) {
  const double number = value.get_double();
  if (!(std::abs(number) <= static_cast<double>(kMostWhole))) throw BadLine{"a number is out of range"};
  member = number;
}
void read(Value& value, std::string& member) { member = std::string_view(value.get_string()); }

template <Named E>
void read_name(Value& value, std::string_view key, E& member) {
  const std::string_view text = value.get_string();
  const auto found = from_name<E>(text);
  if (!found) throw BadLine{fmt::format("unknown {} '{}'", key, text)};
  member = *found;
}

// A flag of a later version is ignored.
void read(Value& value, Flags& member) {
  for (Value element : value.get_array()) {
    if (const auto flag = flag_from_name(element.get_string())) member.set(*flag);
  }
}

void read(Value& value, LagHistogram& member) {
  for (Value pair : value.get_array()) {
    std::vector<std::uint32_t> numbers;
    read(pair, numbers);
    if (numbers.size() != 2) throw BadLine{"lags are not pairs"};
    member.add_bucket(numbers[0], numbers[1]);
  }
}

void read(Value& value, std::optional<std::vector<EarlyArrival>>& member) {
  member.emplace();
  for (Value pair : value.get_array()) {
    std::vector<std::uint32_t> numbers;
    read(pair, numbers);
    if (numbers.size() != 2) throw BadLine{"early_us are not pairs"};
    member->push_back({numbers[0], numbers[1]});
  }
}

void read_raw(Value& value, std::string& member) {
  simdjson::ondemand::object object = value.get_object();
  std::string_view text = object.raw_json();
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  member = text;
}

void read(Value& value, HeaderValues& member) {
  for (auto field : value.get_object()) {
    const std::string_view name = field.unescaped_key();
    member.emplace_back(name, std::string_view(field.value().get_string()));
  }
}

using Setter = void (*)(Value&, RequestRecord&);

template <std::size_t I>
void set(Value& value, RequestRecord& record) {
  constexpr const auto& key = std::get<I>(kRecordKeys);
  auto& member = value_in(record, key);
  if constexpr (key.rule == KeyRule::json) {
    read_raw(value, member);
  } else if constexpr (Named<std::remove_reference_t<decltype(member)>>) {
    read_name(value, key.key, member);
  } else {
    read(value, member);
  }
}

template <std::size_t... I>
std::unordered_map<std::string_view, Setter> make_setters(std::index_sequence<I...>) {
  return {{std::get<I>(kRecordKeys).key, set<I>}...};
}

const std::unordered_map<std::string_view, Setter>& setters() {
  static const auto table =
      make_setters(std::make_index_sequence<std::tuple_size_v<decltype(kRecordKeys)>>());
  return table;
}

RequestRecord read_record(simdjson::ondemand::parser& parser, std::string_view line) {
  RequestRecord record;
  bool has_id = false, has_class = false;
  simdjson::ondemand::document document;
  const auto error = json_scan(parser, line, line.size() + simdjson::SIMDJSON_PADDING, document);
  if (error == simdjson::DEPTH_ERROR) throw BadLine{too_deep_words(json_levels(line))};
  if (error != simdjson::SUCCESS) throw simdjson::simdjson_error(error);
  for (auto field : document.get_object()) {
    const std::string_view key = field.unescaped_key();
    Value value = field.value();
    has_id = has_id || key == "id";
    has_class = has_class || key == "class";
    const auto it = setters().find(key);
    if (it != setters().end() && !value.is_null()) it->second(value, record);
  }
  // Debian 12's simdjson has no at_end(); current_location() fails past the end.
  if (document.current_location().error() == simdjson::SUCCESS) throw BadLine{"something follows the record"};
  if (!has_id || !has_class) throw BadLine{"no id or no class"};
  return record;
}

/// Returns nothing and appends the record if the line is one; else the error.
std::optional<std::string> append_record(simdjson::ondemand::parser& parser, std::string_view line,
                                         std::vector<RequestRecord>& records) {
  try {
    records.push_back(read_record(parser, line));
    return std::nullopt;
  } catch (const BadLine& bad) {
    return bad.reason;
  } catch (const simdjson::simdjson_error& error) {
    return error.what();
  }
}

}  // namespace

std::vector<RequestRecord> read_records(const std::string& path) {
  LineReader reader(path, simdjson::SIMDJSON_PADDING);
  simdjson::ondemand::parser parser;
  std::vector<RequestRecord> records;
  while (const auto line = reader.next()) {
    const auto wrong = append_record(parser, line->text, records);
    if (!wrong) continue;
    // The newline is written with its record: a last line without one was cut off by a kill.
    if (!line->terminated) break;
    throw EnvironmentError(fmt::format("{}:{}: not a record: {}", path, line->number, *wrong));
  }
  return records;
}

}  // namespace infermeter
