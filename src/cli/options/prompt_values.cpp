#include "cli/options/prompt_values.hpp"

#include <fmt/format.h>

#include <fstream>

#include "cli/options/header_values.hpp"
#include "cli/options/length_values.hpp"
#include "cli/options/text_file.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "workload/data/data_formats.hpp"
#include "workload/prompts.hpp"
#include "workload/synthetic/lengths.hpp"

namespace infermeter {
namespace {

constexpr std::uint64_t kMaxPrefixTokens = 10'000'000;
constexpr std::uint64_t kMaxGroups = 1'000'000;
constexpr std::uint64_t kMaxReuse = 1'000'000;
constexpr std::uint64_t kMaxBatch = 2048;
constexpr std::uint64_t kMaxImages = 100;
constexpr std::uint64_t kMaxPixels = 8192;
constexpr std::string_view kSyntheticText = "synthetic";

std::uint32_t count32(const Values& values, std::string_view name, std::uint64_t least, std::uint64_t most) {
  return static_cast<std::uint32_t>(values.count(name, least, most));
}

void read_data_file(const Values& values, Prompts& prompts) {
  prompts.file = values.text("workload");
  prompts.source = parse_data_file(prompts.file).path;
  prompts.skip_bad_lines = values.flag("skip-bad-lines");
  std::ifstream file(prompts.source);
  file.peek();  // a folder opens well and fails here
  if (!file.is_open() || file.bad())
    throw UsageError(fmt::format("{}: '{}' cannot be read", values.origin("workload"), prompts.source),
                     "A workload is `synthetic`, a file, or FORMAT:FILE.");
}

void read_source(const Values& values, std::uint64_t entropy, Prompts& prompts) {
  prompts.input_tokens = lengths_of(values, "input-tokens");
  if (values.given("prompt")) {
    prompts.prompts = {values.text("prompt")};
    prompts.source = "prompt";
    if (prompts.prompts[0].empty()) throw UsageError(values.origin("prompt") + ": the prompt is empty");
    return;
  }
  if (values.given("prompt-file")) {
    prompts.source = values.text("prompt-file");
    prompts.prompts = parse_prompt_lines(prompts.source, read_text_file(values, "prompt-file"));
    return;
  }
  if (values.text("workload") != kSyntheticText) read_data_file(values, prompts);
  prompts.nonce_given = values.given("nonce");
  prompts.nonce = prompts.nonce_given ? values.text("nonce") : make_nonce(entropy);
}

void read_sharing(const Values& values, Prompts& prompts) {
  prompts.shared_prefix_tokens = count32(values, "shared-prefix-tokens", 0, kMaxPrefixTokens);
  prompts.prefix_groups = count32(values, "prefix-groups", 1, kMaxGroups);
  prompts.prompt_reuse = count32(values, "prompt-reuse", 1, kMaxReuse);
  prompts.prime = values.flag("prime");
}

void read_conversation(const Values& values, Prompts& prompts) {
  prompts.turns = turns_of(values);
  prompts.think_time = parse_durations(values.origin("think-time"), values.text("think-time"));
  prompts.session_header = values.text("session-header");
  if (values.given("session-header") && !is_header_name(prompts.session_header))
    values.refuse("session-header", "is no name of a header");
  prompts.session_connection = values.flag("session-connection");
}

/// `640x480`.
void read_images(const Values& values, Prompts& prompts) {
  prompts.images = count32(values, "images", 0, kMaxImages);
  const std::string text = values.text("image-size");
  const std::size_t cross = text.find('x');
  if (cross == std::string::npos) values.refuse("image-size", "is not of the form 640x480");
  const auto side = [&](std::string_view digits) {
    const std::uint64_t pixels = parse_count(values.origin("image-size"), digits);
    if (pixels < 1 || pixels > kMaxPixels)
      values.refuse("image-size", fmt::format("has a side that is not in 1 … {}", format_count(kMaxPixels)));
    return static_cast<std::uint32_t>(pixels);
  };
  prompts.image_width = side(std::string_view(text).substr(0, cross));
  prompts.image_height = side(std::string_view(text).substr(cross + 1));
}

}  // namespace

Prompts prompts_of(const Values& values, std::uint64_t entropy) {
  Prompts prompts;
  read_source(values, entropy, prompts);
  prompts.calibrate = !values.flag("no-calibrate");
  prompts.system_prompt = values.text("system-prompt");
  read_sharing(values, prompts);
  read_conversation(values, prompts);
  prompts.batch = count32(values, "batch-size", 1, kMaxBatch);
  read_images(values, prompts);
  return prompts;
}

}  // namespace infermeter
