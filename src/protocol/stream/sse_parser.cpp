#include "protocol/stream/sse_parser.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "protocol/stream/answer_bounds.hpp"

namespace infermeter {
namespace {

// A buffer that one large event enlarged is freed, so that 1,000 idle streams do not keep 1,000 of them.
constexpr std::size_t kKeepBytes = 16384;

constexpr std::size_t kIgnoredBytes = 4096;  // more than is quoted: secrets are masked in it before

void release_if_large(std::string& buffer) {
  if (buffer.capacity() > kKeepBytes) std::string().swap(buffer);
}

}  // namespace

std::size_t json_length(std::string_view text) {
  JsonEnd end;
  return end.reached(text) ? end.length() : 0;
}

bool JsonEnd::reached(std::string_view text) {
  for (; read_ < text.size() && !ended_; ++read_) {
    const char c = text[read_];
    if (std::exchange(escaped_, false)) continue;
    if (c == '"') quoted_ = !quoted_;
    escaped_ = quoted_ && c == '\\';
    if (quoted_) continue;
    if (c == '{' || c == '[') ++depth_;
    if (c == '}' || c == ']') ended_ = --depth_ == 0;
  }
  return ended_;
}

void SseParser::feed(std::string_view bytes) {
  input_ = bytes;
  position_ = 0;
  earlier_ = data_seen_;
  next_lf_ = std::min(bytes.find('\n'), bytes.size());
  next_cr_ = std::min(bytes.find('\r'), bytes.size());
}

bool SseParser::next(SseEvent& event) {
  forget_dispatched();
  std::string_view line;
  while (next_line(line)) {
    if (framing_ == Framing::lines) {
      add_data(line);
      if (dispatch(event)) return true;
    } else if (!line.empty()) {
      if (data_seen_ && begins_event(line)) return dispatch_before(line, event);
      take_field(line);
      if (by_line_ && dispatch_line(event)) return true;
    } else if (dispatch(event)) {
      return true;
    }
  }
  keep_for_next_feed();
  return false;
}

// The waiting event ended with its line; this line is kept for the next call.
bool SseParser::dispatch_before(std::string_view line, SseEvent& event) {
  const bool earlier = earlier_;
  by_line_ = true;
  next_line_ = line;
  dispatch(event);
  event.earlier = earlier;
  return true;
}

bool SseParser::dispatch_line(SseEvent& event) {
  return data_seen_ && is_whole() && end_.reached(data_) && dispatch(event);
}

bool SseParser::finish(SseEvent& event) {
  if (overflow_) return false;
  forget_dispatched();
  if (line_consumed_) line_.clear();
  line_consumed_ = true;
  const auto line = without_bom(line_);
  if (!line.empty() && framing_ == Framing::lines) add_data(line);
  if (!line.empty() && framing_ == Framing::sse) {
    if (data_seen_ && begins_event(line)) {  // two events are left: this line is the next call's
      line_consumed_ = false;
      return dispatch(event);
    }
    take_field(line);
  }
  line_.clear();
  return dispatch(event);
}

inline bool SseParser::next_line(std::string_view& line) {
  if (overflow_) return false;
  if (!next_line_.empty()) {
    line = std::exchange(next_line_, {});
    return true;
  }
  if (line_consumed_) {
    line_.clear();
    release_if_large(line_);
    line_consumed_ = false;
  }
  if (skip_lf_ && position_ < input_.size()) {
    if (input_[position_] == '\n') ++position_;
    skip_lf_ = false;
  }
  const std::size_t end = line_end();
  line = input_.substr(position_, end - position_);
  if (end == input_.size()) return false;
  position_ = end + 1;
  skip_lf_ = input_[end] == '\r';
  if (!line_.empty()) {
    line_.append(line);
    line = line_;
    line_consumed_ = true;
  }
  line = without_bom(line);
  return true;
}

std::string_view SseParser::without_bom(std::string_view line) {
  const bool first = std::exchange(first_line_, false);
  return first && line.substr(0, 3) == "\xEF\xBB\xBF" ? line.substr(3) : line;
}

inline std::size_t SseParser::line_end() {
  if (next_lf_ < position_) next_lf_ = std::min(input_.find('\n', position_), input_.size());
  if (next_cr_ < position_) next_cr_ = std::min(input_.find('\r', position_), input_.size());
  return std::min(next_lf_, next_cr_);
}

void SseParser::take_field(std::string_view line) {
  if (line.front() == ':') {
    ++comments_;
    recognized_ = true;
    return;
  }
  const std::size_t colon = std::min(line.find(':'), line.size());
  const auto field = line.substr(0, colon);
  auto value = line.substr(std::min(colon + 1, line.size()));
  if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  if (field == "data") {
    add_data(value);
  } else if (field == "event") {
    name_.assign(value);
  } else if (field != "id" && field != "retry") {
    return take_stray(line);
  }
  recognized_ = true;
}

// JSON that may be complete, or [DONE].
bool SseParser::is_whole() const {
  if (text_begin_ == text_end_) return false;
  const char first = data_[text_begin_], last = data_[text_end_ - 1];
  return (first == '{' && last == '}') || (first == '[' && last == ']');
}

// No JSON has "}" and "{" on neighbouring lines, so the object before this line was an event of its own.
bool SseParser::begins_event(std::string_view line) const {
  line = trim(line);
  const bool named = line.starts_with("event:");
  if (line.starts_with("data:")) line = trim(line.substr(5));
  const bool begins = named ? !name_.empty() : line.starts_with('{') || line.starts_with("[DONE]");
  return begins && is_whole();
}

void SseParser::take_stray(std::string_view line) {
  const auto text = trim(line);
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto field = trim(text.substr(0, colon));
  const auto value = trim(text.substr(std::min(colon + 1, text.size())));
  const bool json_begun = data_seen_ && (data_.starts_with('{') || data_.starts_with('['));
  const bool more = json_begun && !end_.reached(data_);
  if (equals_ignoring_case(field, "data")) {
    add_data(value);
  } else if (equals_ignoring_case(field, "event")) {
    name_.assign(value);
  } else if (text.empty() || text.front() == ':') {
    return;
  } else if (!more && equals_ignoring_case(field, "error") &&
             !value.empty()) {  // llama.cpp until 2025: a field of its own
    name_ = "error";
    add_data(value);
  } else if (more || text.front() == '{' || text.front() == '[') {
    add_data(text);
  } else {
    if (ignored_->size() < kIgnoredBytes) ignored_.write().append(text.substr(0, kIgnoredBytes)).append(" ");
    return;
  }
  recognized_ = true;
}

void SseParser::add_data(std::string_view value) {
  recognized_ = true;
  if (!data_seen_) end_ = {};
  if (!data_seen_ && !line_consumed_) {
    data_ = value;  // the usual case: one line, whole in this read, not copied
  } else {
    if (!data_seen_) {
      data_copy_.assign(value);
    } else {
      if (data_.data() != data_copy_.data()) data_copy_.assign(data_);
      data_copy_ += '\n';
      data_copy_.append(value);
    }
    data_ = data_copy_;
  }
  if (!data_seen_) text_begin_ = text_end_ = 0;
  if (const auto text = trim(value); !text.empty()) {
    const std::size_t begin =
        data_.size() - value.size() + static_cast<std::size_t>(text.data() - value.data());
    if (text_begin_ == text_end_) text_begin_ = begin;
    text_end_ = begin + text.size();
  }
  data_seen_ = true;
  overflow_ = data_.size() > kMostEventBytes;
}

inline bool SseParser::dispatch(SseEvent& event) {
  const bool seen = std::exchange(data_seen_, false);
  event.data = seen ? trim(data_) : std::string_view();
  event.name = name_;
  event.earlier = earlier_ = false;
  dispatched_ = true;
  if (!event.data.empty() && event.data.front() != ':') return true;
  // Some servers put a blank line between the name of an error and its data.
  dispatched_ = seen || name_ != "error";
  forget_dispatched();
  return false;
}

void SseParser::forget_dispatched() {
  if (std::exchange(dispatched_, false)) name_.clear();
}

void SseParser::keep_for_next_feed() {
  if (overflow_) return;
  line_.append(input_.substr(position_));
  if (data_seen_ && data_.data() != data_copy_.data()) {
    data_copy_.assign(data_);
    data_ = data_copy_;
  } else if (!data_seen_) {
    release_if_large(data_copy_);
  }
  overflow_ = line_.size() > kMostEventBytes;
  input_ = {};
  position_ = next_lf_ = next_cr_ = 0;
}

}  // namespace infermeter
