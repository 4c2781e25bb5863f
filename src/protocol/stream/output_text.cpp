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
  if (saved.spans.empty() || opening(saved.spans.back().kind) != opening(piece.kind))
    saved.spans.push_back({saved.text.size(), saved.text.size(), piece.kind});
  saved.kind = piece.kind;
  const auto text = piece.text.substr(0, kMostTextBytes - saved_bytes_);
  saved.text += text;
  saved.spans.back().to += text.size();
  saved_bytes_ += text.size();
}

std::string OutputText::text(const Secrets& secrets) const {
  std::string out;
  for (std::size_t choice = 0; choice < saved_.size(); ++choice) {
    if (saved_.size() > 1) out += fmt::format("{}[choice {}]\n", choice == 0 ? "" : "\n", choice);
    const Saved& saved = saved_[choice];
    std::string_view text = saved.text;
    std::string whole;
    if (choice == 0 && cumulative() && saved_bytes_ < kMostTextBytes) {  // others have no visible text then
      whole += text.substr(0, text.size() - all_bytes_);
      text.remove_prefix(text.size() - last_bytes_);
    }
    whole += text;
    whole += closing(saved.kind);
    const std::string by_kind = secrets.empty() ? "" : masked_by_kind(saved, secrets);
    out += by_kind.empty() ? secrets.mask(std::move(whole)) : by_kind;
  }
  return out;
}

/// Empty where no kind was interrupted, or none holds a secret.
std::string OutputText::masked_by_kind(const Saved& saved, const Secrets& secrets) {
  constexpr std::array<TokenKind, 3> kKinds{TokenKind::reasoning, TokenKind::content, TokenKind::tool_call};
  if (saved.spans.size() < 2) return {};
  std::string out;
  bool found = false;
  for (const TokenKind kind : kKinds) {
    std::string joined;
    for (const auto& span : saved.spans) {
      if (opening(span.kind) == opening(kind)) joined += saved.text.substr(span.from, span.to - span.from);
    }
    const std::string shown = secrets.mask(joined);
    found = found || shown != joined;
    if (!shown.empty()) out.append(opening(kind)).append(shown).append(closing(kind));
  }
  return found ? out : std::string();
}

}  // namespace infermeter
