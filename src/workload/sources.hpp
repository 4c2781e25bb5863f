// The parts of make_request_source: requests of synthetic text and of data files, images, and what these have
// in common: the numbers drawn for each request, and how often it is sent. Private to this floor; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "workload/request_source.hpp"

namespace infermeter {

/// A prompt begins with the shared prefix of its group, or with the nonce if nothing is shared; then come
/// words that only this prompt has, words up to its length and, from 24 tokens on, a sentence that asks for a
/// long answer. With a calibration the server's count is the drawn length, but never below the tokens of the
/// fixed parts. The first turn's length is that of the whole prompt, a later turn's that of its new words.
/// Throws UsageError if the shared prefix leaves no room.
std::unique_ptr<RequestSource> make_synthetic_source(SourceInputs inputs);

/// A data file's items in their order, repeated after the last. inputs.items holds the items of
/// inputs.prompts.file, valid for prompts.conversations() (io's open_items). The user's own text is sent
/// unchanged, without a nonce; the answer's length is the item's own, else drawn. A conversation has the
/// turns of its item (for plain text, the next lines), but no more than are drawn. A trace's prompts are
/// synthetic text of its lengths after the nonce: equal blocks are equal text, so that shared prefixes are
/// shared again. A request throws EnvironmentError if the file has changed.
std::unique_ptr<RequestSource> make_file_source(SourceInputs inputs);

/// A PNG of coloured squares as a data URL ("data:image/png;base64,…"): equal keys give equal images and
/// different keys different ones, so that no encoder cache holds it. At most some kilobytes per megapixel.
/// Throws EnvironmentError if libpng cannot create it.
std::string picture_url(std::uint32_t width, std::uint32_t height, std::uint64_t key);

/// The prompt that a request sends, and how often it was sent before.
struct Place {
  std::uint64_t number = 0;
  std::uint32_t repeat = 0;
};

/// --prompt-reuse: prompts are sent in blocks, each block `reuse` times before the next one. A block is twice
/// the number in flight, so that the first answer to a prompt has ended, and its cache entry exists, before
/// the second request.
Place place_of(std::uint64_t index, const SourceInputs& inputs);

class DrawnSource : public RequestSource {
 public:
  explicit DrawnSource(SourceInputs inputs) : inputs_(std::move(inputs)) {}
  std::uint32_t turns(std::uint64_t index) const override;
  nanoseconds think_time(std::uint64_t index, std::uint32_t turn) const override;
  std::vector<Request> primers() const override { return {}; }
  std::uint64_t size() const override { return 0; }
  /// Synthetic text begins with the nonce.
  bool same_at_every_point() const override { return inputs_.prompts.nonce_given; }

 protected:
  Place place(std::uint64_t index) const { return place_of(index, inputs_); }
  std::uint32_t input_tokens(const Place& place, std::uint32_t turn) const;
  /// A user message with the drawn length of its answer.
  Request message(std::string text, const Place& place, std::uint32_t turn) const;
  const SourceInputs& inputs() const { return inputs_; }
  /// How often the prompt at this place of `size` prompts was sent before: in this pass over them, in earlier
  /// ones, and at an earlier load point, where each of its requests took `stride` of them.
  std::uint32_t sent_before(const Place& place, std::uint64_t size, std::uint64_t stride) const;

 private:
  SourceInputs inputs_;
};

}  // namespace infermeter
