#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "base/random.hpp"
#include "infermeter/base/errors.hpp"
#include "workload/data/data_item.hpp"
#include "workload/sources.hpp"
#include "workload/synthetic/text.hpp"

namespace infermeter {
namespace {

// Streams of words that differ from those of all prompts, which are mix64 of a small number.
constexpr std::uint64_t kBlockStream = 0xb10c'0000'0000'0000ULL;
constexpr std::uint64_t kTailStream = 0x7a11'0000'0000'0000ULL;

/// The template's tokens count as part of the first block, as they did where the trace was recorded.
void append_blocks(const SyntheticText& text, const DataItem& item, CountedText& to) {
  const std::uint32_t length = item.turns.front().input_tokens;
  std::uint64_t end = 0;
  for (const std::uint64_t block : item.blocks) {
    end = std::min<std::uint64_t>(end + kTraceBlock, length);
    text.append_words(text.text_tokens(static_cast<std::uint32_t>(end)), mix64(block ^ kBlockStream), to);
  }
}

/// Words that no other request shares, and a request for a long answer if there is room for both.
void append_tail(const SyntheticText& text, std::uint64_t number, std::uint32_t tokens, CountedText& to) {
  CountedText index;
  text.append_index(number, index);
  // Without room for the index no cache can distinguish such prompts either: it stores whole blocks of
  // tokens.
  if (to.tokens + index.tokens <= tokens) text.append_index(number, to);
  const std::uint32_t task = text.task_tokens();
  const bool with_task = task > 0 && to.tokens + 2 * task <= tokens;
  text.append_words(with_task ? tokens - task : tokens, mix64(number ^ kTailStream), to);
  if (with_task) text.append_task(to);
}

// The nonce, then the item's blocks, each of its own words and as long as its position in the prompt
// requires, then words that only request `number` has. With a calibration the server's count is the item's
// length, but never below the tokens of nonce and template.
CountedText trace_text(const SyntheticText& text, const std::string& nonce, const DataItem& item,
                       std::uint64_t number) {
  const std::uint32_t length = item.turns.front().input_tokens;
  CountedText made;
  text.append_nonce(nonce, made);
  append_blocks(text, item, made);
  if (std::uint64_t{item.blocks.size()} * kTraceBlock < length)
    append_tail(text, number, text.text_tokens(length), made);
  return made;
}

class FileSource : public DrawnSource {
 public:
  explicit FileSource(SourceInputs given) : DrawnSource(std::move(given)) {}

  Request request(std::uint64_t index, std::uint32_t turn) const override {
    const Place here = place(index);
    DataItem item = read(here.number);
    Request request = std::move(item.turns.at(turn));
    // A body from the file sets the answer's length itself.
    if (request.output_tokens == 0 && request.whole_body.empty())
      request.output_tokens = message({}, here, turn).output_tokens;
    request.repeat = sent_before(here, 1);
    return request;
  }
  bool same_at_every_point() const override { return true; }
  std::uint32_t turns(std::uint64_t index) const override {
    if (!inputs().prompts.conversations()) return 1;
    return std::min(DrawnSource::turns(index),
                    static_cast<std::uint32_t>(read(place(index).number).turns.size()));
  }
  std::uint64_t size() const override { return inputs().items->size(); }

 protected:
  /// An item with the text of an earlier one was sent with it.
  std::uint32_t sent_before(const Place& place, std::uint64_t stride) const {
    const auto& items = *inputs().items;
    return DrawnSource::sent_before(place, items.size(), stride) +
           items.same_before(place.number % items.size());
  }
  DataItem read(std::uint64_t number) const {
    const ItemSource& items = *inputs().items;
    const std::uint64_t i = number % items.size();
    try {
      return read_item(items.format(), items.item(i), inputs().prompts.conversations());
    } catch (const BadItem& bad) {
      throw EnvironmentError(fmt::format("{}, line {}, has changed since it was looked at: {}",
                                         inputs().prompts.file, items.line(i), bad.what()));
    }
  }
};

/// Lines of plain text: one turn each.
class LineSource final : public FileSource {
 public:
  explicit LineSource(SourceInputs given)
      : FileSource(std::move(given)),
        stride_(static_cast<std::uint64_t>(std::max(1.0, std::floor(inputs().prompts.turns.most())))) {}

  Request request(std::uint64_t index, std::uint32_t turn) const override {
    const Place here = place(index);
    const Place line{here.number * stride_ + turn, here.repeat};
    Request request = message({}, here, turn);
    request.messages = std::move(read(line.number).turns.front().messages);
    request.repeat = sent_before(line, stride_);
    return request;
  }
  std::uint32_t turns(std::uint64_t index) const override { return DrawnSource::turns(index); }
  std::uint64_t size() const override { return std::max<std::uint64_t>(1, FileSource::size() / stride_); }

 private:
  std::uint64_t stride_;  // lines from one conversation to the next
};

class TraceSource final : public FileSource {
 public:
  explicit TraceSource(SourceInputs given)
      : FileSource(std::move(given)), text_(inputs().calibration, inputs().seed) {}

  Request request(std::uint64_t index, std::uint32_t) const override {
    const Place here = place(index);
    const DataItem item = read(here.number);
    CountedText text = trace_text(text_, inputs().nonce, item, here.number);
    Request request = item.turns.front();
    request.messages.push_back({"user", std::move(text.text)});
    request.input_tokens = text_.prompt_tokens(text.tokens);
    // In a further pass over the file only the blocks are the same as before.
    request.repeat =
        item.blocks.empty() ? here.repeat : DrawnSource::sent_before(here, inputs().items->size(), 1);
    return request;
  }
  bool same_at_every_point() const override { return inputs().prompts.nonce_given; }

 private:
  SyntheticText text_;
};

}  // namespace

std::unique_ptr<RequestSource> make_file_source(SourceInputs inputs) {
  const DataFormat format = inputs.items->format();
  if (format == DataFormat::text) return std::make_unique<LineSource>(std::move(inputs));
  if (is_trace(format)) return std::make_unique<TraceSource>(std::move(inputs));
  return std::make_unique<FileSource>(std::move(inputs));
}

}  // namespace infermeter
