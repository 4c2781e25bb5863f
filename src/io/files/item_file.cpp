#include "io/files/item_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "base/random.hpp"
#include "infermeter/base/errors.hpp"
#include "io/host/client_limit.hpp"
#include "io/host/descriptor.hpp"
#include "workload/data/item_cutter.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kItemChunk = 256 * 1024;  // and enough to detect the format

[[noreturn]] void fail(const std::string& path, std::string_view why) {
  throw EnvironmentError(fmt::format("cannot read {}: {}", path, why));
}

/// Reads `size` bytes, or fewer at the end of the file.
std::size_t read_at(const std::string& path, int descriptor, std::uint64_t offset, char* to,
                    std::size_t size) {
  std::size_t got = 0;
  while (got < size) {
    const ssize_t n = ::pread(descriptor, to + got, size - got, static_cast<off_t>(offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path, std::strerror(errno));
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  return got;
}

// Rejects pipes: a pipe would be at its end before the first request.
void require_regular(const std::string& path, const Descriptor& file) {
  if (!file.open()) throw UsageError(fmt::format("'{}' cannot be read: {}", path, error_words(errno)));
  struct stat facts{};
  if (::fstat(file.number(), &facts) != 0) fail(path, std::strerror(errno));
  if (!S_ISREG(facts.st_mode)) throw UsageError(fmt::format("'{}' is not a file", path));
}

/// Keeps the bytes from the beginning of an incomplete item; they move along the file.
class Window {
 public:
  Window(const std::string& path, int descriptor) : path_(path), descriptor_(descriptor) {}

  /// The next bytes; empty at the end of the file.
  std::string_view read_on(std::uint64_t needed_from) {
    const std::size_t passed = static_cast<std::size_t>(needed_from - start_);
    const std::size_t kept = size_ - passed;
    std::copy(bytes_.data() + passed, bytes_.data() + size_, bytes_.data());
    start_ = needed_from;
    // Doubled, so that one long item is not copied repeatedly.
    if (bytes_.size() < kept + kItemChunk) bytes_.resize(std::max(kept + kItemChunk, 2 * bytes_.size()));
    const std::size_t got = read_at(path_, descriptor_, start_ + kept, bytes_.data() + kept, kItemChunk);
    size_ = kept + got;
    return {bytes_.data() + kept, got};
  }
  std::string_view text(const ItemPlace& place) const {
    return {bytes_.data() + (place.offset - start_), place.length};
  }

 private:
  const std::string& path_;
  int descriptor_;
  std::vector<char> bytes_;
  std::size_t size_ = 0;
  std::uint64_t start_ = 0;
};

/// One pass over the file, which finds and checks each item.
class Survey {
 public:
  Survey(const std::string& path, DataFormat format, const Prompts& prompts)
      : path_(path),
        skip_(prompts.skip_bad_lines),
        cutter_(path, format),
        checker_(format, prompts.conversations()) {}

  void pass_over(int descriptor) {
    Window window(path_, descriptor);
    while (true) {
      const std::string_view bytes = window.read_on(cutter_.needed_from());
      std::vector<ItemPlace> found;
      if (bytes.empty()) {
        cutter_.finish(found);
      } else {
        cutter_.feed(bytes, found);
      }
      for (const ItemPlace& place : found) look_at(place, window.text(place));
      if (bytes.empty()) break;
    }
    places_.shrink_to_fit();
    stamps_.shrink_to_fit();
  }

  std::vector<ItemPlace> take_places() { return std::move(places_); }
  std::vector<nanoseconds> take_stamps() { return std::move(stamps_); }
  std::vector<std::uint32_t> take_same_before() { return std::move(same_before_); }
  std::uint64_t skipped() const { return skipped_; }
  const std::string& first_skipped() const { return first_skipped_; }

 private:
  void look_at(const ItemPlace& place, std::string_view text) {
    ++seen_;
    const bool alone = place.line != last_line_;
    last_line_ = place.line;
    const auto fault = checker_.fault(text);
    if (!fault) return keep(place, text);
    // An array is often one long line: then the line number says little.
    const std::string complaint = fmt::format("{}, line {}{}: {}", path_, place.line,
                                              alone ? "" : fmt::format(", item {}", seen_), *fault);
    if (!skip_) throw UsageError(complaint, "Mend it, or leave such lines out with --skip-bad-lines.");
    if (skipped_++ == 0) first_skipped_ = complaint;
  }

  void keep(const ItemPlace& place, std::string_view text) {
    const std::uint32_t before = seen_texts_[hash_bytes(text)]++;
    if (before > 0 && same_before_.empty()) same_before_.assign(places_.size(), 0);
    if (before > 0 || !same_before_.empty()) same_before_.push_back(before);
    const auto stamp = checker_.stamp();
    if (stamp && stamps_.empty()) stamps_.assign(places_.size(), ItemFile::kNoStamp);
    if (stamp || !stamps_.empty()) stamps_.push_back(stamp.value_or(ItemFile::kNoStamp));
    places_.push_back(place);
  }

  const std::string& path_;
  bool skip_;
  ItemCutter cutter_;
  ItemChecker checker_;
  std::vector<ItemPlace> places_;
  std::vector<nanoseconds> stamps_;                              // same length as places_, or empty
  std::vector<std::uint32_t> same_before_;                       // likewise
  std::unordered_map<std::uint64_t, std::uint32_t> seen_texts_;  // by hash: how often
  std::uint64_t seen_ = 0, last_line_ = 0, skipped_ = 0;
  std::string first_skipped_;
};

DataFormat format_of(const DataFile& named, int descriptor) {
  if (named.format) return *named.format;
  std::string head(kItemChunk, '\0');
  head.resize(read_at(named.path, descriptor, 0, head.data(), head.size()));
  return detect_format(named.path, head);
}

}  // namespace

ItemFile::ItemFile(std::string path, int descriptor, DataFormat format, std::vector<ItemPlace> places,
                   std::vector<nanoseconds> stamps, std::vector<std::uint32_t> same_before)
    : path_(std::move(path)),
      descriptor_(descriptor),
      format_(format),
      places_(std::move(places)),
      stamps_(std::move(stamps)),
      same_before_(std::move(same_before)) {}

ItemFile::~ItemFile() { ::close(descriptor_); }

std::string ItemFile::item(std::uint64_t index) const {
  const ItemPlace& place = places_.at(index);
  std::string text(place.length, '\0');
  if (read_at(path_, descriptor_, place.offset, text.data(), text.size()) < text.size())
    fail(path_, "it is shorter than it was");
  return text;
}

std::optional<nanoseconds> ItemFile::stamp(std::uint64_t index) const {
  if (stamps_.empty() || stamps_.at(index) == kNoStamp) return std::nullopt;
  return stamps_[index];
}

OpenedItems open_items(const Prompts& prompts) {
  const DataFile named = parse_data_file(prompts.file);
  Descriptor file(::open(named.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  require_regular(named.path, file);
  const DataFormat format = format_of(named, file.number());
  Survey survey(named.path, format, prompts);
  survey.pass_over(file.number());
  std::vector<ItemPlace> places = survey.take_places();
  if (places.empty()) {
    throw UsageError(
        fmt::format("{}: holds no {}", named.path, survey.skipped() > 0 ? "good item" : "prompt"),
        survey.first_skipped());
  }
  auto items = std::make_shared<ItemFile>(named.path, file.release(), format, std::move(places),
                                          survey.take_stamps(), survey.take_same_before());
  return {std::move(items), named.path, survey.skipped(), survey.first_skipped()};
}

}  // namespace infermeter
