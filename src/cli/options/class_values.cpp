#include "cli/options/plan_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

#include "base/nesting.hpp"
#include "base/text.hpp"
#include "cli/options/secrets.hpp"
#include "infermeter/analysis/thresholds.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "protocol/request/shape.hpp"
#include "workload/data/data_formats.hpp"
#include "workload/synthetic/lengths.hpp"
#include "workload/synthetic/text.hpp"

namespace infermeter {
namespace {

constexpr double kMostTokens = 10'000'000;
constexpr double kMaxTurns = 10'000;

/// Reads a histogram's file, which the option's value names.
ReadText reader(const Values& values, std::string_view option) {
  return [&values, option](const std::string& path) { return read_text_file(values, option, path); };
}

void refuse_above(const Values& values, std::string_view option, const Lengths& lengths, double most) {
  if (lengths.kind == Lengths::Kind::fixed && (lengths.a < 1 || lengths.a > most))
    values.refuse(option, fmt::format("is not in 1 … {}", format_count(static_cast<std::uint64_t>(most))));
  if (lengths.mean() > most)
    values.refuse(option, fmt::format("is above {}", format_count(static_cast<std::uint64_t>(most))));
}

Lengths turns_of(const Values& values) {
  Lengths turns = parse_turns(values.origin("turns"), values.text("turns"), reader(values, "turns"));
  refuse_above(values, "turns", turns, kMaxTurns);
  return turns;
}

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

/// Lists the formats where one was asked for.
std::string workload_advice(const std::string& workload) {
  const std::size_t colon = workload.find(':');
  const auto formats = data_format_names();
  if (colon == std::string::npos) return "A workload is `synthetic`, a file, or FORMAT:FILE.";
  const std::string format = workload.substr(0, colon);
  const bool known = data_format_from_name(format).has_value();
  const auto near = known ? std::nullopt : nearest_name(format, formats);
  return fmt::format("{}Formats: {}.",
                     near ? fmt::format("Did you mean {}:{}? ", *near, workload.substr(colon + 1)) : "",
                     fmt::join(formats, ", "));
}

void read_data_file(const Values& values, std::string_view option, Prompts& prompts) {
  prompts.file = values.text(option);
  prompts.source = parse_data_file(prompts.file).path;
  prompts.skip_bad_lines = values.flag("skip-bad-lines");
  std::ifstream file;
  std::error_code ignored;
  if (!std::filesystem::is_fifo(prompts.source, ignored))
    file.open(prompts.source);  // would wait for a writer
  file.peek();                  // a folder opens without an error and fails here
  if (!file.is_open() || file.bad())
    throw UsageError(fmt::format("{}: '{}' cannot be read", values.origin(option), prompts.source),
                     option == "workload" ? workload_advice(prompts.file) : "");
}

void read_prompt_source(const Values& values, std::uint64_t entropy, Prompts& prompts) {
  prompts.input_tokens = lengths_of(values, "input-tokens");
  if (values.given("prompt")) {
    prompts.prompts = {values.text("prompt")};
    prompts.source = "prompt";
    if (prompts.prompts[0].empty()) throw UsageError(values.origin("prompt") + ": the prompt is empty");
    return;
  }
  if (values.given("prompt-file")) return read_data_file(values, "prompt-file", prompts);
  if (values.text("workload") != kSyntheticText) read_data_file(values, "workload", prompts);
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

Prompts prompts_of(const Values& values, std::uint64_t entropy) {
  Prompts prompts;
  read_prompt_source(values, entropy, prompts);
  prompts.calibrate = !values.flag("no-calibrate");
  prompts.system_prompt = values.text("system-prompt");
  read_sharing(values, prompts);
  read_conversation(values, prompts);
  prompts.batch = count32(values, "batch-size", 1, kMaxBatch);
  read_images(values, prompts);
  return prompts;
}

constexpr std::uint64_t kMaxChoices = 128;
constexpr std::uint64_t kMaxLogprobs = 20;  // OpenAI's limit
constexpr std::uint64_t kMaxCancelTokens = 10'000'000;

std::string measured(const std::string& origin, std::string json) {
  refuse_too_deep(origin, json);
  return json;
}

/// JSON text, or the name of a file that contains it.
std::string json_text(const Values& values, std::string_view option) {
  const std::string text = values.text(option);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string::npos && (text[first] == '{' || text[first] == '[');
  if (is_json || !values.given(option)) return measured(values.origin(option), text);
  return measured(fmt::format("{} {}", values.origin(option), text), read_text_file(values, option));
}

/// --temperature and --top-p as fields of the body.
std::string sampling_of(const Values& values) {
  std::string fields;
  if (values.given("temperature")) fields = fmt::format(R"("temperature":{})", values.amount("temperature"));
  if (values.given("top-p")) {
    const double share = values.positive_number("top-p");
    if (share > 1) values.refuse("top-p", "is not a share in 0 … 1");
    fields += fmt::format(R"({}"top_p":{})", fields.empty() ? "" : ",", share);
  }
  return fields.empty() ? fields : "{" + fields + "}";
}

Answers answers_of(const Values& values) {
  Answers answers;
  answers.output_tokens = lengths_of(values, "output-tokens");
  // An explicit off means off: preflight decides only if the option is absent.
  if (values.mentioned("exact-output")) answers.exact_output = values.flag("exact-output");
  answers.stream = !values.flag("no-stream");
  answers.extra_body =
      joined_extra(measured(values.origin("extra-body"), values.text("extra-body")), sampling_of(values));
  answers.choices = static_cast<std::uint32_t>(values.count("choices", 1, kMaxChoices));
  answers.logprobs = static_cast<std::uint32_t>(values.count("logprobs", 0, kMaxLogprobs));
  answers.reasoning_effort = values.text("reasoning-effort");
  constexpr std::array<std::string_view, 3> kThinking{"unsaid", "on", "off"};
  answers.thinking = static_cast<Thinking>(values.choice("thinking", kThinking));
  answers.tools = json_text(values, "tools");
  answers.json_mode = values.flag("json-mode");
  answers.json_schema = json_text(values, "json-schema");
  return answers;
}

Cancel cancel_of(const Values& values) {
  Cancel cancel;
  cancel.share = parse_share(values.origin("cancel-share"), values.text("cancel-share"));
  if (!values.given("cancel-after")) return cancel;
  std::string text = values.text("cancel-after");
  if (looks_like_duration(text)) {
    cancel.after = values.positive_duration("cancel-after");
    return cancel;
  }
  if (text.ends_with("tokens")) text.resize(text.find_last_not_of(' ', text.size() - 7) + 1);
  const std::uint64_t tokens = parse_count(values.origin("cancel-after"), text);
  if (tokens < 1 || tokens > kMaxCancelTokens)
    values.refuse("cancel-after", "is neither a time such as 150ms nor a number of tokens such as 20");
  cancel.after_tokens = static_cast<std::uint32_t>(tokens);
  return cancel;
}

/// `70%`, or a weight in any unit.
double share_of(const Values& own) {
  if (own.text("share").ends_with('%')) return parse_share(own.origin("share"), own.text("share"));
  return own.amount("share");
}

TrafficClass common_class(const Values& values, std::uint64_t entropy) {
  TrafficClass traffic;
  traffic.prompts = prompts_of(values, entropy);
  traffic.answers = answers_of(values);
  traffic.cancel = cancel_of(values);
  for (const auto& text : values.parts("slo")) traffic.slos.push_back(parse_slo(values.origin("slo"), text));
  return traffic;
}

void read_own_loop(const Values& own, TrafficClass& traffic) {
  if (own.given("rate") && own.given("concurrency"))
    throw UsageError(
        fmt::format("{} and {} exclude each other", own.origin("rate"), own.origin("concurrency")));
  if (own.given("rate")) traffic.rate = parse_rate(own.origin("rate"), own.text("rate"));
  if (own.given("concurrency"))
    traffic.concurrency = static_cast<std::uint32_t>(own.count("concurrency", 1, kMaxSlots));
  traffic.probe = own.flag("probe");
  if (traffic.probe && !traffic.own_loop()) traffic.concurrency = 1;
  if (own.given("share") && traffic.own_loop())
    throw UsageError(fmt::format("{}: is a share of the common load, but this class has its own load",
                                 own.origin("share")));
}

TrafficClass class_of(const Part& part, std::uint64_t entropy) {
  TrafficClass traffic = common_class(part.values, entropy);
  traffic.name = part.own.text("name");
  if (traffic.name.empty()) throw UsageError(fmt::format("{}: needs a name", part.where));
  traffic.share = share_of(part.own);
  traffic.model = part.own.text("model");
  traffic.headers = headers_of(part.own);
  read_own_loop(part.own, traffic);
  return traffic;
}

void check_together(const std::vector<Part>& parts, const std::vector<TrafficClass>& classes) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (!names.insert(classes[i].name).second)
      throw UsageError(fmt::format("{}: another class is called '{}' too", parts[i].where, classes[i].name));
  }
  const auto takes_part = [](const TrafficClass& c) { return c.own_loop() || c.share > 0; };
  if (std::ranges::none_of(classes, takes_part))
    throw UsageError(fmt::format("{}: no class has a share of the load", parts.front().where));
}

}  // namespace

Lengths lengths_of(const Values& values, std::string_view option) {
  Lengths lengths = parse_lengths(values.origin(option), values.text(option), reader(values, option));
  refuse_above(values, option, lengths, kMostTokens);
  return lengths;
}

std::vector<TrafficClass> classes_of(const Settings& settings, std::uint64_t entropy) {
  if (settings.classes.empty()) return {common_class(settings.values, entropy)};
  std::vector<TrafficClass> classes;
  for (const auto& part : settings.classes) classes.push_back(class_of(part, entropy));
  check_together(settings.classes, classes);
  return classes;
}

}  // namespace infermeter
