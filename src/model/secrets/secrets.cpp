#include "model/secrets/secrets.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cctype>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "model/secrets/spellings.hpp"

namespace infermeter {
namespace {

constexpr std::string_view kMasked = "****";
constexpr std::size_t kShortest = 6;
constexpr std::size_t kAnyCase = 8;
constexpr std::size_t kShortestRest = 4;  // of a secret that a cut divided
constexpr std::string_view kEscapes = "%\\&";
constexpr std::string_view kOtherwise = "%\\&+";  // may stand for another byte

constexpr char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
/// White space and other control characters, which stand between the characters of a text.
constexpr bool is_gap(char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; }

/// Whether it may be a word, name or number of a format: "choices", "12345678", "ttft_p99_ms",
/// "text/event-stream". Keys mix letters and digits, or small letters and capitals, or are long.
bool may_be_word(std::string_view text) {
  constexpr std::size_t kLongWord = 20;
  const auto any = [text](int (*kind)(int)) {
    return std::ranges::any_of(text, [kind](unsigned char c) { return c < 0x80 && kind(c) != 0; });
  };
  const bool small_letters = any(std::islower), capitals = any(std::isupper), digits = any(std::isdigit);
  if (text.size() < kAnyCase || (!small_letters && !capitals)) return true;
  const bool identifier =
      !capitals && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == std::string_view::npos;
  if (text.size() >= kLongWord && text.find_first_of(" /") == std::string_view::npos) return false;
  return identifier ? !digits || text.find_first_of("_.") != std::string_view::npos
                    : small_letters + capitals + digits < 2;
}

/// What a text is. A secret that may be a word of a format is masked in values only, and one that may be the
/// user's own word (a header's value) not in what we write.
enum class MaskedText : std::uint8_t { value, name, written };

/// One text to look for.
struct SoughtText {
  std::string bytes;
  bool any_case = false;
  MaskedText most = MaskedText::value;  // the most delicate text in which it is masked
  bool in_queries = false;              // masked as a value in a URL's query, whatever the text
};

struct FoundSecret {
  std::size_t begin = std::string_view::npos, end = 0;
};

/// How far a sought text goes on from the front of a text.
struct ComparedFront {
  std::size_t length = 0;   // of the whole sought text as it is spelt; 0: it is not there
  std::size_t matched = 0;  // bytes that agree where the text ended early
};

bool same(const SoughtText& sought, char a, char b) {
  return sought.any_case ? small(a) == small(b) : a == b;
}

/// Bytes of the white space at the front, escaped or not: base64 is wrapped after 64 or 76 characters, a log
/// is indented, and a dump in hexadecimal has a space behind each byte.
std::size_t gap_at(std::string_view text, MaskedText text_is) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    const char c = rest.size() > 1 && rest.front() == '\\' ? rest[1] : '\0';
    if (rest.front() == '\n' || rest.front() == '\r' ||
        (text_is != MaskedText::written && is_gap(rest.front()))) {
      ++at;
    } else if (c == 'n' || c == 'r' || c == 't') {
      at += 2;
    } else if (const EscapedCharacter escape = escape_at(rest); escape.size == 1 && is_gap(escape.bytes[0])) {
      at += escape.length;
    } else {
      break;
    }
  }
  return at;
}

/// How the front of `text` spells that of `bytes`: its length in the text, and how many bytes it means.
EscapedCharacter spelt_at(const SoughtText& sought, std::string_view bytes, std::string_view text,
                          bool escapes) {
  if (escapes) {
    const EscapedCharacter escape = escape_at(text);
    const auto alike = [&](char a, char b) { return same(sought, a, b); };
    if (escape.length > 0 && std::ranges::equal(escape.meaning(), bytes.substr(0, escape.size), alike))
      return escape;
    // In forms a plus sign stands for a space; some servers turn every one into a space.
    if ((bytes[0] == ' ' && text[0] == '+') || (bytes[0] == '+' && text[0] == ' ')) return {1, {}, 1};
  }
  return same(sought, text[0], bytes[0]) ? EscapedCharacter{1, {}, 1} : EscapedCharacter{};
}

ComparedFront compare_front(const SoughtText& sought, std::string_view text, MaskedText text_is,
                            bool escapes) {
  const std::string_view bytes = sought.bytes;
  if (kOtherwise.find(text[0]) == std::string_view::npos && !same(sought, text[0], bytes[0])) return {};
  std::size_t at = 0, i = 0;
  while (i < bytes.size()) {
    if (at >= text.size()) return {0, i};
    const EscapedCharacter next = spelt_at(sought, bytes.substr(i), text.substr(at), escapes);
    const std::size_t gap = next.length > 0 || i == 0 ? 0 : gap_at(text.substr(at), text_is);
    if (next.length + gap == 0) return {};
    at += next.length + gap;
    i += gap > 0 && bytes[i] == ' ' ? 1 : next.size;
  }
  return {at, i};
}

ComparedFront compared(const SoughtText& sought, std::string_view text, MaskedText text_is) {
  const ComparedFront spelt = compare_front(sought, text, text_is, true);
  if (spelt.length > 0 || sought.bytes.find_first_of(kEscapes) == std::string::npos) return spelt;
  const ComparedFront plain = compare_front(sought, text, text_is, false);
  return plain.length > 0 || plain.matched > spelt.matched ? plain : spelt;
}

/// Whether a value of a URL's query begins at `at`: "?name=", "&name=".
bool begins_query_value(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongestName = 64;
  if (at == 0 || text[at - 1] != '=') return false;
  const std::size_t from = at - 1 - std::min(at - 1, kLongestName + 1);
  const std::string_view before = text.substr(from, at - 1 - from);
  const std::size_t mark = before.find_last_of("?&; \t\n\r\"'");
  return mark != std::string_view::npos &&
         std::string_view("?&;").find(before[mark]) != std::string_view::npos;
}

/// The begin of the escape into which `at` points: half an escape must not be left behind.
std::size_t before_escape(std::string_view text, std::size_t from, std::size_t at) {
  constexpr std::size_t kUnicode = 6;  // "\u006b"
  for (std::size_t back = 1; back < kUnicode && back <= at - from; ++back) {
    const std::size_t slash = at - back;
    if (text[slash] != '\\') continue;
    std::size_t run = 0;
    while (run <= slash - from && text[slash - run] == '\\') ++run;
    const bool begins = run % 2 == 1;
    const bool inside = back == 1 || text[slash + 1] == 'u';
    return begins && inside ? slash : at;
  }
  return at;
}

std::size_t end_of_string(std::string_view json, std::size_t from) {
  while (from < json.size() && json[from] != '"') from += json[from] == '\\' ? 2 : 1;
  return std::min(from, json.size());
}

bool is_key(std::string_view json, std::size_t behind) {
  const std::size_t next = json.find_first_not_of(" \t\r\n", behind);
  return next != std::string_view::npos && json[next] == ':';
}

/// The last four bytes of a text, without their case and without gaps.
class FourBytes {
 public:
  void add(char c, std::size_t at) {
    if (is_gap(c)) return;
    at_[count_++ % 4] = at;
    const unsigned read = kRead[static_cast<unsigned char>(c)];
    bytes_ = (bytes_ << 8) | (read & 255U);
    otherwise_ = (otherwise_ << 1) | (read >> 8);
  }
  /// One of them may stand for another byte.
  bool otherwise() const { return (otherwise_ & 15U) != 0; }
  bool full() const { return count_ >= 4; }
  /// Where the first of them is.
  std::size_t begin() const { return at_[count_ % 4]; }
  std::size_t hash() const { return (bytes_ * 2654435761U) >> 16; }

 private:
  /// Of each byte: without its case, and from bit 8 on whether it may stand for another.
  static constexpr std::array<std::uint16_t, 256> kRead = [] {
    std::array<std::uint16_t, 256> all{};
    for (std::size_t c = 0; c < all.size(); ++c)
      all[c] = static_cast<unsigned char>(small(static_cast<char>(c)));
    for (const char c : kOtherwise) all[static_cast<unsigned char>(c)] |= 256;
    return all;
  }();

  std::uint32_t bytes_ = 0, otherwise_ = 0;
  std::array<std::size_t, 4> at_{};
  std::size_t count_ = 0;
};

}  // namespace

struct Secrets::Matcher {
  explicit Matcher(std::vector<Secret> all);

  FoundSecret find(std::string_view text, std::size_t from, MaskedText text_is) const;
  std::optional<std::string> masked(std::string_view text, MaskedText text_is) const;
  /// Where the rest of a secret begins that the end of the text divided.
  std::size_t divided(std::string_view text) const;

  std::vector<Secret> secrets;
  std::vector<SoughtText> sought;
  std::size_t longest = 0;

 private:
  void add(SoughtText one);
  std::size_t longest_at(std::string_view text, std::size_t at, MaskedText text_is) const;

  std::bitset<65536> begins_;  // by the hash of the first four bytes of a sought text, in small letters
};

Secrets::Matcher::Matcher(std::vector<Secret> all) : secrets(std::move(all)) {
  constexpr std::size_t kLongestEscape = 12;  // "\\\\u006b" and more
  constexpr std::size_t kOfEncoded = 3;       // an encoded text may be escaped only in part, as "%2B"
  for (const auto& secret : secrets) {
    if (secret.value.size() < kShortest) continue;
    longest = std::max(longest, kLongestEscape * secret.value.size());
    const bool any_case = secret.value.size() >= kAnyCase;
    const MaskedText written = secret.credential ? MaskedText::written : MaskedText::name;
    const bool word = may_be_word(secret.value);
    add({secret.value, any_case, word ? MaskedText::value : written, secret.credential});
    for (const auto& text : encodings(secret.value, any_case)) {
      longest = std::max(longest, kOfEncoded * text.size());
      add({text, any_case, may_be_word(text) ? MaskedText::value : MaskedText::written});
    }
  }
  // The longest first: a whole value, before the key in it.
  std::ranges::stable_sort(sought, std::ranges::greater{},
                           [](const auto& text) { return text.bytes.size(); });
}

void Secrets::Matcher::add(SoughtText one) {
  const auto known = std::ranges::find(sought, one.bytes, &SoughtText::bytes);
  if (known != sought.end()) {
    known->most = std::max(known->most, one.most);
    known->in_queries = known->in_queries || one.in_queries;
    return;
  }
  FourBytes four;
  for (std::size_t i = 0; i < one.bytes.size() && !four.full(); ++i) four.add(one.bytes[i], i);
  begins_.set(four.hash());
  sought.push_back(std::move(one));
}

std::size_t Secrets::Matcher::longest_at(std::string_view text, std::size_t at, MaskedText text_is) const {
  std::size_t length = 0;
  for (const auto& one : sought) {
    if (one.most >= text_is || (one.in_queries && begins_query_value(text, at)))
      length = std::max(length, compared(one, text.substr(at), text_is).length);
  }
  return length;
}

// Nearly every position is passed by one look at a bit.
FoundSecret Secrets::Matcher::find(std::string_view text, std::size_t from, MaskedText text_is) const {
  FourBytes four;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (is_gap(text[i])) continue;
    four.add(text[i], i);
    if (!four.full() || !(four.otherwise() || begins_[four.hash()])) continue;
    const std::size_t at = four.begin();
    const std::size_t length = longest_at(text, at, text_is);
    if (length > 0) return {before_escape(text, from, at), at + length};
  }
  return {};
}

std::optional<std::string> Secrets::Matcher::masked(std::string_view text, MaskedText text_is) const {
  FoundSecret found = find(text, 0, text_is);
  if (found.begin == std::string_view::npos) return std::nullopt;
  std::string out;
  std::size_t from = 0;
  while (found.begin != std::string_view::npos) {
    out += text.substr(from, found.begin - from);
    out += kMasked;
    from = found.end;
    found = find(text, from, text_is);
  }
  out += text.substr(from);
  return out;
}

std::size_t Secrets::Matcher::divided(std::string_view text) const {
  for (std::size_t at = text.size() - std::min(text.size(), longest); at + kShortestRest <= text.size();
       ++at) {
    const auto rest = [&](const SoughtText& one) {
      return compared(one, text.substr(at), MaskedText::value).matched >= kShortestRest;
    };
    if (std::ranges::any_of(sought, rest)) return at;
  }
  return std::string_view::npos;
}

Secrets::Secrets(const std::vector<Secret>& all) {
  const auto long_enough = [](const Secret& secret) { return secret.value.size() >= kShortest; };
  if (std::ranges::any_of(all, long_enough)) matcher_ = std::make_shared<const Matcher>(all);
}

Secrets Secrets::with(const std::vector<Secret>& more) const {
  if (more.empty()) return *this;
  std::vector<Secret> all = matcher_ ? matcher_->secrets : std::vector<Secret>{};
  all.insert(all.end(), more.begin(), more.end());
  return Secrets(all);
}

std::string Secrets::mask(std::string text, bool was_cut) const {
  if (!matcher_) return text;
  if (auto masked = matcher_->masked(text, MaskedText::value)) text = std::move(*masked);
  if (!was_cut) return text;
  if (const std::size_t at = matcher_->divided(text); at != std::string::npos)
    text.replace(at, std::string::npos, kMasked);
  return text;
}

std::string Secrets::mask_written(std::string text) const {
  if (!matcher_) return text;
  auto masked = matcher_->masked(text, MaskedText::written);
  return masked ? std::move(*masked) : std::move(text);
}

std::string Secrets::mask_front(std::string_view text, std::size_t limit) const {
  return mask(std::string(text.substr(0, limit + reach())), true).substr(0, limit);
}

std::string Secrets::mask_json(std::string text) const {
  if (!matcher_ || matcher_->find(text, 0, MaskedText::value).begin == std::string_view::npos) return text;
  std::string out;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t open = std::min(text.find('"', from), text.size() - 1) + 1;
    out.append(text, from, open - from);
    const std::size_t close = end_of_string(text, open);
    const std::string inside = text.substr(open, close - open);
    out += matcher_->masked(inside, is_key(text, close + 1) ? MaskedText::name : MaskedText::value)
               .value_or(inside);
    if (close < text.size()) out += text[close];
    from = std::min(close + 1, text.size());
  }
  return out;
}

std::size_t Secrets::reach() const { return matcher_ ? matcher_->longest : 0; }

}  // namespace infermeter
