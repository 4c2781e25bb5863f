#include "workload/synthetic/text.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/random.hpp"

namespace infermeter {
namespace {

constexpr std::string_view kText =
    "about above action add after again age agree air allow along also always among and animal appear "
    "apple area around art artist ask author away back bad bag ball band bank base before begin bell "
    "below bird block blue board boat body book both box bread break bridge bright bring brown build "
    "busy but button buy call car card carry case cat catch cause center chair change check child "
    "choice choose city class clean clear clock close cloud coat coin cold color come cook cool corner "
    "cost count course court cover create cross cup dance dark data day deep dog door double down draw "
    "dream dress drive driver drop dry during each ear early east easy eat edge effect eight empty end "
    "energy engine enter even event every except exit expect eye face fact factor fall family far farm "
    "fast father feel few field figure film find finger fire first fish five fix flat floor flower fly "
    "follow foot for forest form four frame free fresh friend from front fruit full future game gate "
    "get give glass goal gold good grass gray great green grey ground group grow guard guest hair half "
    "hand happy hard hat have head health hear heart heat heavy help her here high hill him his hold "
    "home hope horse host hot hotel hour house how ice idea image inside into iron issue its job join "
    "judge jump just keep key kind know lake lamp land large last late law lead leader leaf learn "
    "leave length let letter level life lift light like line list listen little live lock long look "
    "lot love low make many map mark market matter meet member metal might mind minute model moment "
    "money month moon more most mother mouth move movie much music name nation nature near neck need "
    "never new news next night nine north note now off offer often oil old once one only onto open "
    "order other our out over own page paint paper park part party pass past path pay pen phone piece "
    "pipe place plan plane plant plate play point power press pull push quick quiet rain raise range "
    "rate reach read ready red rest rich ride right ring risk river road rock role roof room round "
    "rule run safe salt same save say sea see sell send sense serve set seven shape share sharp she "
    "ship shop short show side sign since sing sit site six size sky sleep slow small snow soft some "
    "song soon sound south space speed sport stage stand star start state stay step still stone stop "
    "store storm story study style such sun sweet table take talk tax team tell ten term test than "
    "that their them then there these they thin thing think this those three throw time today tool top "
    "touch trade train tree try turn two type under until upon use very visit voice wait walk wall "
    "want warm watch water way week well west what wheel when where which while who why wide win wind "
    "wire with wood word work world write yard year you young your";

constexpr std::array<std::string_view, kWordCount> split_words(std::string_view text) {
  std::array<std::string_view, kWordCount> words;
  for (auto& word : words) {
    const std::size_t end = text.find(' ');
    word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return words;
}
static_assert(!split_words(kText).back().empty());
static_assert(split_words(kText).back().find(' ') == std::string_view::npos);

constexpr std::uint32_t kTaskWords = 8;  // its seven words and the full stop
constexpr std::uint32_t kSentenceWords = 12;
constexpr std::uint32_t kFirstSentenceBegun = 7;  // it contains the nonce and the index
constexpr unsigned kIndexBits = 27;
constexpr unsigned kNonceBits = 24;  // 1,000 runs before this one: 6 chances in 100,000 to meet one of them
constexpr std::size_t kFewestWords = 8;
constexpr std::size_t kEnoughDigits = 16;

bool usable(const Calibration& calibration) {
  if (calibration.source.empty() || calibration.word_tokens.size() != kWordCount) return false;
  const auto known = kWordCount - static_cast<std::size_t>(std::ranges::count(calibration.word_tokens, 0));
  return known >= kFewestWords;
}

void append_word(std::string& text, std::string_view next) {
  if (!text.empty()) text += ' ';
  text += next;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const auto end = text.find(' ');
    if (end != 0) words.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return words;
}

std::size_t place_of(std::string_view word) {
  return static_cast<std::size_t>(std::ranges::find(kWords, word) - kWords.begin());
}

}  // namespace

constinit const std::array<std::string_view, kWordCount> kWords = split_words(kText);

std::string make_nonce(std::uint64_t entropy) {
  constexpr std::uint32_t kNonceWords = 4;
  std::string nonce;
  for (std::uint32_t i = 0; i < kNonceWords; ++i) {
    if (i > 0) nonce += ' ';
    nonce += kWords[mix64(entropy + i) >> 32 & (kWordCount - 1)];
  }
  return nonce;
}

SyntheticText::SyntheticText(std::shared_ptr<const Calibration> calibration, std::uint64_t seed)
    : calibration_(calibration && usable(*calibration) ? std::move(calibration) : nullptr), seed_(seed) {
  for (std::uint16_t word = 0; word < kWordCount; ++word) {
    const std::uint32_t tokens = cost(word);
    if (tokens == 0) continue;
    known_.push_back(word);
    if (by_tokens_.size() <= tokens) by_tokens_.resize(tokens + 1);
    by_tokens_[tokens].push_back(word);
  }
  // Cheap digits keep the opening short; a few dozen cheap digits are better than many expensive ones.
  digits_ = by_tokens_[1];
  if (digits_.size() < kEnoughDigits) {
    digits_ = known_;
    std::ranges::sort(digits_, {}, [this](std::uint16_t word) { return std::pair(cost(word), word); });
  }
  digit_bits_ = static_cast<unsigned>(std::bit_width(digits_.size())) - 1;
}

std::uint32_t SyntheticText::cost(std::size_t word) const {
  return calibration_ ? calibration_->word_tokens[word] : 1;
}

void SyntheticText::add(std::size_t word, CountedText& to) const {
  append_word(to.text, kWords[word]);
  to.tokens += cost(word);
}

// Most significant digit first.
void SyntheticText::spell(std::uint64_t number, unsigned bits, CountedText& to) const {
  const std::uint64_t mask = (std::uint64_t{1} << digit_bits_) - 1;
  for (unsigned digit = (bits + digit_bits_ - 1) / digit_bits_; digit-- > 0;)
    add(digits_[(number >> (digit_bits_ * digit)) & mask], to);
}

void SyntheticText::append_nonce(const std::string& nonce, CountedText& to) const {
  const auto words = split(nonce);
  if (!calibration_) {
    for (const auto word : words) append_word(to.text, word);
    to.tokens += static_cast<std::uint32_t>(words.size());
    return;
  }
  const auto known = [this](std::string_view word) {
    const std::size_t place = place_of(word);
    return place < kWordCount && cost(place) > 0;
  };
  if (!std::ranges::all_of(words, known)) return spell(hash_bytes(nonce), kNonceBits, to);
  for (const auto word : words) add(place_of(word), to);
}

// An odd factor permutes the residues, and the golden ratio spreads neighbours over the high digits (Knuth
// 6.4).
void SyntheticText::append_index(std::uint64_t index, CountedText& to) const {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;  // 2^64 / φ
  const unsigned bits = (kIndexBits + digit_bits_ - 1) / digit_bits_ * digit_bits_;
  const std::uint64_t factor = (kGolden >> (64 - bits)) | 1;
  spell((index * factor) ^ mix64(seed_), kIndexBits, to);
}

void SyntheticText::append_sentences(std::uint32_t tokens, std::uint64_t stream, CountedText& to) const {
  Random random(seed_, stream);
  std::uint32_t in_sentence = kFirstSentenceBegun;
  for (; to.tokens < tokens; ++to.tokens) {
    if (in_sentence == kSentenceWords || (to.tokens + 1 == tokens && in_sentence > 0)) {
      to.text += '.';
      in_sentence = 0;
      continue;
    }
    append_word(to.text, kWords[random.next() >> (64 - kWordBits)]);
    ++in_sentence;
  }
}

// No full stops: in some tokenizers a word with a full stop does not have the sum of their tokens.
void SyntheticText::append_words(std::uint32_t tokens, std::uint64_t stream, CountedText& to) const {
  constexpr std::size_t kLetters = 6;  // and a space
  if (tokens > to.tokens) to.text.reserve(to.text.size() + (tokens - to.tokens) * kLetters + kTask.size());
  if (!calibration_) return append_sentences(tokens, stream, to);
  Random random(seed_, stream);
  const auto dearest = static_cast<std::uint32_t>(by_tokens_.size()) - 1;
  while (to.tokens + dearest <= tokens) add(known_[random.below(known_.size())], to);
  for (std::uint32_t size = dearest; size > 0;) {
    const auto& words = by_tokens_[size];
    if (words.empty() || to.tokens + size > tokens) {
      --size;
    } else {
      add(words[random.below(words.size())], to);
    }
  }
}

std::uint32_t SyntheticText::task_tokens() const {
  return calibration_ ? calibration_->task_tokens : kTaskWords;
}

void SyntheticText::append_task(CountedText& to) const {
  to.text += kTask;
  to.tokens += task_tokens();
}

std::uint32_t SyntheticText::text_tokens(std::uint32_t tokens) const {
  if (!calibration_) return tokens;
  return part_tokens(tokens - std::min(tokens, calibration_->overhead_tokens));
}

std::uint32_t SyntheticText::part_tokens(std::uint32_t tokens) const {
  if (!calibration_) return tokens;
  return static_cast<std::uint32_t>(std::llround(tokens / calibration_->stretch));
}

std::uint32_t SyntheticText::prompt_tokens(std::uint32_t tokens) const {
  if (!calibration_) return tokens;
  return calibration_->overhead_tokens +
         static_cast<std::uint32_t>(std::llround(tokens * calibration_->stretch));
}

}  // namespace infermeter
