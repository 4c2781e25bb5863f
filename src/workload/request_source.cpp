#include "workload/request_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "base/random.hpp"
#include "infermeter/base/errors.hpp"
#include "workload/sources.hpp"

namespace infermeter {
namespace {

class OwnPrompts final : public DrawnSource {
 public:
  explicit OwnPrompts(SourceInputs given)
      : DrawnSource(std::move(given)),
        stride_(static_cast<std::uint64_t>(std::max(1.0, std::floor(inputs().prompts.turns.most())))) {
    std::unordered_map<std::string_view, std::uint32_t> seen;
    for (const auto& prompt : inputs().prompts.prompts) same_before_.push_back(seen[prompt]++);
  }

  Request request(std::uint64_t index, std::uint32_t turn) const override {
    const auto& prompts = inputs().prompts.prompts;
    const Place here = place(index);
    const Place own{here.number * stride_ + turn, here.repeat};
    Request request = message(prompts[own.number % prompts.size()], here, turn);
    request.repeat = sent_before(own, prompts.size(), stride_) + same_before_[own.number % prompts.size()];
    return request;
  }
  bool same_at_every_point() const override { return true; }
  std::uint64_t size() const override {
    return std::max<std::uint64_t>(1, inputs().prompts.prompts.size() / stride_);
  }

 private:
  std::uint64_t stride_;                    // prompts from one conversation to the next
  std::vector<std::uint32_t> same_before_;  // by prompt: how many before it have its text
};

// Requires that inputs.prompts.prompts is not empty. A conversation uses as many prompts, in order, as it has
// turns.
std::unique_ptr<RequestSource> make_own_prompts(SourceInputs inputs) {
  return std::make_unique<OwnPrompts>(std::move(inputs));
}

/// Another source's requests, each with images added. The images are generated for each request, because
/// those of a whole run would fill the memory.
class PicturedSource final : public RequestSource {
 public:
  PicturedSource(std::unique_ptr<RequestSource> words, const SourceInputs& inputs)
      : words_(std::move(words)), inputs_(inputs) {}

  Request request(std::uint64_t index, std::uint32_t turn) const override {
    const Prompts& prompts = inputs_.prompts;
    Request request = words_->request(index, turn);
    const std::uint64_t key = mix64(inputs_.seed ^ hash_bytes(inputs_.nonce)) ^
                              mix64(place_of(index, inputs_).number + mix64(turn));
    for (std::uint32_t k = 0; k < prompts.images; ++k)
      request.images.push_back(picture_url(prompts.image_width, prompts.image_height, mix64(key + k)));
    request.input_tokens = 0;  // only the server knows the tokens of an image
    return request;
  }
  std::uint32_t turns(std::uint64_t index) const override { return words_->turns(index); }
  nanoseconds think_time(std::uint64_t index, std::uint32_t turn) const override {
    return words_->think_time(index, turn);
  }
  std::vector<Request> primers() const override { return words_->primers(); }
  std::uint64_t size() const override { return words_->size(); }
  bool same_at_every_point() const override { return words_->same_at_every_point(); }

 private:
  std::unique_ptr<RequestSource> words_;
  SourceInputs inputs_;
};

/// Several requests of another source in one, each as a message.
class BatchedSource final : public RequestSource {
 public:
  BatchedSource(std::unique_ptr<RequestSource> texts, std::uint32_t batch)
      : texts_(std::move(texts)), batch_(batch) {}

  Request request(std::uint64_t index, std::uint32_t turn) const override {
    Request all = texts_->request(index * batch_, turn);
    for (std::uint32_t k = 1; k < batch_; ++k) {
      Request next = texts_->request(index * batch_ + k, turn);
      all.messages.insert(all.messages.end(), next.messages.begin(), next.messages.end());
      all.input_tokens += next.input_tokens;
    }
    return all;
  }
  std::uint32_t turns(std::uint64_t) const override { return 1; }
  nanoseconds think_time(std::uint64_t, std::uint32_t) const override { return {}; }
  std::vector<Request> primers() const override { return texts_->primers(); }
  std::uint64_t size() const override { return (texts_->size() + batch_ - 1) / batch_; }
  bool same_at_every_point() const override { return texts_->same_at_every_point(); }

 private:
  std::unique_ptr<RequestSource> texts_;
  std::uint32_t batch_;
};

void need_single_turns(const Prompts& prompts) {
  if (prompts.conversations()) throw UsageError("--batch-size goes with prompts of one turn");
}

void need_image_size(const Prompts& prompts) {
  constexpr std::uint32_t kMost = 8192;  // 64 megapixels: more than any encoder accepts
  const auto fits = [](std::uint32_t size) { return size >= 1 && size <= kMost; };
  if (fits(prompts.image_width) && fits(prompts.image_height)) return;
  throw UsageError(fmt::format("--image-size: {}x{} is not from 1x1 to {}x{}", prompts.image_width,
                               prompts.image_height, kMost, kMost));
}

void need_synthetic(const Prompts& prompts) {
  if (prompts.shared_prefix_tokens == 0) return;
  throw UsageError(fmt::format("--shared-prefix-tokens goes with synthetic prompts, not with {}",
                               prompts.file.empty() ? "prompts of one's own" : prompts.file));
}

std::unique_ptr<RequestSource> make_words(SourceInputs inputs) {
  const bool file = !inputs.prompts.file.empty();
  if (!file && inputs.prompts.prompts.empty()) return make_synthetic_source(std::move(inputs));
  need_synthetic(inputs.prompts);
  if (file) return make_file_source(std::move(inputs));
  return make_own_prompts(std::move(inputs));
}

}  // namespace

std::unique_ptr<RequestSource> make_request_source(SourceInputs inputs) {
  if (const std::uint32_t batch = inputs.prompts.batch; batch > 1) {
    need_single_turns(inputs.prompts);
    inputs.sent_before *= batch;
    return std::make_unique<BatchedSource>(make_words(std::move(inputs)), batch);
  }
  if (inputs.prompts.images == 0) return make_words(std::move(inputs));
  need_image_size(inputs.prompts);
  auto words = make_words(inputs);
  return std::make_unique<PicturedSource>(std::move(words), inputs);
}

std::string probe_prompt(const std::string& nonce) {
  std::string text = "Answer with one word, please.";
  if (!nonce.empty()) text += ' ' + nonce;
  return text;
}

}  // namespace infermeter
