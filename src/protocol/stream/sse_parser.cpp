#include "protocol/stream/sse_parser.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace infermeter {
namespace {

// A buffer that one large event enlarged is freed, so that 1,000 idle streams do not keep 1,000 of them.
constexpr std::size_t kKeepBytes = 16384;

void release_if_large(std::string& buffer) {
  if (buffer.capacity() > kKeepBytes) std::string().swap(buffer);
}

}  // namespace

void SseParser::feed(std::string_view bytes) {
  input_ = bytes;
  position_ = 0;
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
      take_field(line);
    } else if (dispatch(event)) {
      return true;
    }
  }
  keep_for_next_feed();
  return false;
}

bool SseParser::finish(SseEvent& event) {
  if (overflow_) return false;
  forget_dispatched();
  if (line_consumed_) line_.clear();
  line_consumed_ = true;
  const auto line = without_bom(line_);
  if (!line.empty() && framing_ == Framing::lines) add_data(line);
  if (!line.empty() && framing_ == Framing::sse) take_field(line);
  line_.clear();
  return dispatch(event);
}

bool SseParser::next_line(std::string_view& line) {
  if (overflow_) return false;
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

std::size_t SseParser::line_end() {
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
    return;
  }
  recognized_ = true;
}

void SseParser::add_data(std::string_view value) {
  recognized_ = true;
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
  data_seen_ = true;
  overflow_ = data_.size() > kMaxEventBytes;
}

bool SseParser::dispatch(SseEvent& event) {
  event.data = std::exchange(data_seen_, false) ? trim(data_) : std::string_view();
  event.name = name_;
  dispatched_ = true;
  const bool heartbeat = event.data.empty() || event.data.front() == ':';
  if (heartbeat) forget_dispatched();
  return !heartbeat;
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
  overflow_ = line_.size() > kMaxEventBytes;
  input_ = {};
  position_ = next_lf_ = next_cr_ = 0;
}

}  // namespace infermeter
