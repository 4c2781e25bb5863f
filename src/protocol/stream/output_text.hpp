// The received text, as far as a benchmark needs it: the number of visible characters, whether an end-of-turn
// marker was left at its end, and with --save-text all of it. One per response.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/secrets/secrets.hpp"
#include "protocol/stream/chunk.hpp"

namespace infermeter {

class OutputText {
 public:
  explicit OutputText(bool save) : save_(save) {}

  void add(const ChunkText& piece);
  std::uint64_t visible_chars() const { return cumulative() ? last_chars_ : visible_chars_; }
  /// The visible text of some choice ends with <|im_end|>, </s> or a similar marker.
  bool ends_with_marker() const;
  /// Reasoning between <think> and </think>, tool calls between <tool_call> and </tool_call>; several choices
  /// one after the other, each under "[choice n]". Empty unless saved. Masked, also what one kind says in
  /// pieces between those of another: such a choice's kinds come one after the other.
  std::string text(const Secrets& secrets) const;

 private:
  // Text of one kind, between our own marks.
  struct SavedSpan {
    std::size_t from = 0, to = 0;
    TokenKind kind = TokenKind::content;
  };
  // The end of a choice's visible text. The longest marker has 27 bytes; white space may follow it.
  struct Tail {
    std::array<char, 40> bytes{};
    std::uint8_t size = 0;
    void append(std::string_view text);
    std::string_view view() const { return {bytes.data(), size}; }
  };
  struct Saved {
    std::string text;
    TokenKind kind = TokenKind::content;
    std::vector<SavedSpan> spans;
  };
  static std::string masked_by_kind(const Saved& saved, const Secrets& secrets);
  void save(const ChunkText& piece);
  void compare(std::string_view text, bool plain, std::uint32_t chars);
  bool cumulative() const { return maybe_cumulative_ && grown_ >= 2; }

  bool save_;
  std::uint64_t visible_chars_ = 0;
  // Some servers send all text so far in each event: then the last piece is the text.
  bool maybe_cumulative_ = true;
  std::uint32_t grown_ = 0;  // pieces that began with the piece before them
  std::uint32_t last_chars_ = 0, last_bytes_ = 0, all_bytes_ = 0;  // of the last piece, of all pieces
  std::vector<Tail> tails_;                                        // by choice
  std::vector<Saved> saved_;                                       // by choice
  std::size_t saved_bytes_ = 0;                                    // of all choices, kMostTextBytes at most
};

}  // namespace infermeter
