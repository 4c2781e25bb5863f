#include "protocol/stream/output_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "protocol/stream/answer_bounds.hpp"

namespace infermeter {
namespace {

// End-of-turn tokens of chat templates, which should not appear in the text.
constexpr std::array<std::string_view, 13> kEndMarkers{"<|im_end|>",
                                                       "<|eot_id|>",
                                                       "<|eom_id|>",
                                                       "<|eot|>",
                                                       "<|endoftext|>",
                                                       "<|end_of_text|>",
                                                       "<|end|>",
                                                       "</s>",
                                                       "<|return|>",
                                                       "<end_of_turn>",
                                                       "<|endofturn|>",
                                                       "<|END_OF_TURN_TOKEN|>",
                                                       "<\xEF\xBD\x9C"
                                                       "end\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>"};

std::string_view opening(TokenKind kind) {
  if (kind == TokenKind::reasoning) return "<think>";
  return kind == TokenKind::tool_call ? "<tool_call>" : "";
}

std::string_view closing(TokenKind kind) {
  if (kind == TokenKind::reasoning) return "</think>";
  return kind == TokenKind::tool_call ? "</tool_call>" : "";
}

template <typename T>
T& at_choice(std::vector<T>& all, std::uint32_t choice) {
  if (all.size() <= choice) all.resize(choice + 1);
  return all[choice];
}

}  // namespace

void OutputText::add(const ChunkText& piece) {
  if (save_) save(piece);
  if (piece.kind == TokenKind::reasoning || piece.kind == TokenKind::audio) return;
  const std::uint64_t chars = count_code_points(piece.text);
  visible_chars_ += chars;
  const bool plain = piece.choice == 0 && piece.kind == TokenKind::content;
  if (maybe_cumulative_) compare(piece.text, plain, static_cast<std::uint32_t>(chars));
  if (piece.kind != TokenKind::tool_call) at_choice(tails_, piece.choice).append(piece.text);
}

// The second piece of nearly every stream ends this: it does not begin with the first.
void OutputText::compare(std::string_view text, bool plain, std::uint32_t chars) {
  maybe_cumulative_ = plain && text.size() >= last_bytes_;
  if (maybe_cumulative_ && last_bytes_ > 0) {
    auto end = tails_.front().view();
    end.remove_prefix(end.size() - std::min<std::size_t>(last_bytes_, end.size()));
    maybe_cumulative_ = text.substr(0, last_bytes_).ends_with(end);
    if (text.size() > last_bytes_) ++grown_;
  }
  last_chars_ = chars;
  last_bytes_ = static_cast<std::uint32_t>(text.size());
  all_bytes_ += last_bytes_;
}

void OutputText::Tail::append(std::string_view text) {
  if (text.size() >= bytes.size()) {
    const auto last = text.substr(text.size() - bytes.size());
    std::copy(last.begin(), last.end(), bytes.begin());
    size = static_cast<std::uint8_t>(bytes.size());
    return;
  }
  const std::size_t kept = std::min<std::size_t>(size, bytes.size() - text.size());
  std::copy(bytes.begin() + (size - kept), bytes.begin() + size, bytes.begin());
  std::copy(text.begin(), text.end(), bytes.begin() + kept);
  size = static_cast<std::uint8_t>(kept + text.size());
}

bool OutputText::ends_with_marker() const {
  return std::any_of(tails_.begin(), tails_.end(), [](const Tail& tail) {
    const auto end = trim(tail.view());
    return std::any_of(kEndMarkers.begin(), kEndMarkers.end(),
                       [end](std::string_view marker) { return end.ends_with(marker); });
  });
}

void OutputText::save(const ChunkText& piece) {
  if (piece.kind == TokenKind::audio) return;
  Saved& saved = at_choice(saved_, piece.choice);
  if (opening(saved.kind) != opening(piece.kind)) {
    saved.text += closing(saved.kind);
    saved.text += opening(piece.kind);
  }
  saved.kind = piece.kind;
  const auto text = piece.text.substr(0, kMostTextBytes - saved_bytes_);
  saved.text += text;
  saved_bytes_ += text.size();
}

std::string OutputText::text() const {
  std::string out;
  for (std::size_t choice = 0; choice < saved_.size(); ++choice) {
    if (saved_.size() > 1) out += fmt::format("{}[choice {}]\n", choice == 0 ? "" : "\n", choice);
    std::string_view text = saved_[choice].text;
    if (cumulative() && saved_bytes_ < kMostTextBytes) {
      out += text.substr(0, text.size() - all_bytes_);
      text.remove_prefix(text.size() - last_bytes_);
    }
    out += text;
    out += closing(saved_[choice].kind);
  }
  return out;
}

}  // namespace infermeter
