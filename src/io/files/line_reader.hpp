// A file read line by line through one buffer, for files of any size. Private to src/io; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace infermeter {

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

}  // namespace infermeter
