// The values that must not come out: keys, passwords, header values. Compiled once into a matcher that finds
// each of them in every spelling; text that a server or a command wrote passes through it where it becomes a
// value, before any cut, and once more where files and the terminal are written.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace infermeter {

struct Secret {
  std::string value;
  bool credential = true;  // false: the value of a header with an ordinary name, which may be any word
};

/// A value that is cheap to copy; any thread. A secret of 8 bytes or more is found in any case, one of 6 or 7
/// as it is; a shorter one would be found in any text, and is not looked for. It is found as it is, with any
/// of its characters as an escape of URLs, JSON or HTML, in base64 at any place, and in hexadecimal, also as
/// "73:6b" and "0x73, 0x6b".
class Secrets {
 public:
  /// None: every text stays as it is.
  Secrets() = default;
  explicit Secrets(const std::vector<Secret>& all);
  /// These and `more`, which only one request has.
  Secrets with(const std::vector<Secret>& more) const;
  bool empty() const { return matcher_ == nullptr; }

  /// `text` with each of them replaced by "****"; where its end `was_cut`, also what is left there of one.
  std::string mask(std::string text, bool was_cut = false) const;
  /// The first `limit` bytes of a longer text, or of one that was cut before, after masking.
  std::string mask_front(std::string_view text, std::size_t limit) const;
  /// JSON text: strings only, never numbers; keys only by secrets that cannot be a word of a format.
  std::string mask_json(std::string text) const;
  /// A name that a server chose, or text that we wrote: only by secrets that cannot be a word of a format; as
  /// a value in a URL's query by every one.
  std::string mask_written(std::string text) const;
  /// Bytes of the longest spelling: so many behind a cut are needed to see a secret that it divides.
  std::size_t reach() const;

 private:
  struct Matcher;
  explicit Secrets(std::shared_ptr<const Matcher> matcher) : matcher_(std::move(matcher)) {}

  std::shared_ptr<const Matcher> matcher_;
};

}  // namespace infermeter
