#include "workload/data/file_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "infermeter/base/errors.hpp"
#include "workload/data/data_item.hpp"
#include "workload/data/trace_text.hpp"
#include "workload/synthetic/drawn_source.hpp"
#include "workload/synthetic/text.hpp"

namespace infermeter {
namespace {

class FileSource : public DrawnSource {
 public:
  explicit FileSource(SourceInputs given) : DrawnSource(std::move(given)) {}

  Request request(std::uint64_t index, std::uint32_t turn) const override {
    const Place here = place(index);
    DataItem item = read(here.number);
    Request request = std::move(item.turns.at(turn));
    // A body of one's own says itself how long the answer may be.
    if (request.output_tokens == 0 && request.whole_body.empty())
      request.output_tokens = message({}, here, turn).output_tokens;
    request.repeat = sent_before(here);
    return request;
  }
  std::uint32_t turns(std::uint64_t index) const override {
    if (!inputs().prompts.conversations()) return 1;
    return std::min(DrawnSource::turns(index),
                    static_cast<std::uint32_t>(read(place(index).number).turns.size()));
  }
  std::uint64_t size() const override { return inputs().items->size(); }

 protected:
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
  /// In this round of the file and in those before.
  std::uint32_t sent_before(const Place& here) const {
    const std::uint64_t rounds = here.number / inputs().items->size();
    return here.repeat + static_cast<std::uint32_t>(rounds) * std::max(inputs().prompts.prompt_reuse, 1u);
  }
};

/// Lines of plain text: a turn each.
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
    request.repeat = sent_before(line);
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
    // In a further round of the file only the blocks are what they were.
    request.repeat = item.blocks.empty() ? here.repeat : sent_before(here);
    return request;
  }

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
