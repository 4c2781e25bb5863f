#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/values.hpp"
#include "cli/translate/parts.hpp"

namespace infermeter {
namespace {

/// A length and how it spreads.
struct Length {
  std::optional<double> mean;
  double stddev = 0;
  double low = 0, high = 0;  // uniform, where high is above low
};

std::string whole(double value) { return number_text(std::max(1.0, std::round(value))); }

std::string length_text(const Length& length, double more) {
  if (length.high > length.low)
    return fmt::format("uniform:{},{}", whole(std::max(1.0, length.low) + more), whole(length.high + more));
  if (length.stddev > 0) return fmt::format("normal:{},{}", whole(*length.mean + more), whole(length.stddev));
  return whole(*length.mean + more);
}

/// `0.2`, or vLLM's `{"input": 0.2, "output": 0}`.
std::optional<double> range_ratio(const Parts& parts, bool of_input) {
  if (const auto ratio = parts.number(Becomes::range_ratio)) return ratio;
  const auto fields = flat_fields(parts.text(Becomes::range_ratio));
  const auto it = fields.find(of_input ? "input" : "output");
  return it == fields.end() ? std::nullopt : to_number(it->second);
}

/// vLLM draws within a ratio on both sides, SGLang from the ratio up to the length.
void spread_by_ratio(Parts& parts, Length& length, bool of_input) {
  const bool sglang = parts.is_sglang();
  const std::string kind = parts.text(Becomes::dataset);
  const bool grouped = kind == "generated-shared-prefix";
  const bool always = sglang && parts.whole() && (kind.starts_with("random") || kind == "image" || grouped);
  if (!length.mean || (!parts.has(Becomes::range_ratio) && !always)) return;
  const auto given = range_ratio(parts, of_input);
  if (parts.has(Becomes::range_ratio) && !given)
    return parts.note(parts.origin(Becomes::range_ratio),
                      "one number here, or a form of --input-tokens: uniform:A,B");
  const double ratio = given.value_or(grouped ? 1 : 0);
  length.low = std::floor(*length.mean * (sglang ? ratio : 1 - ratio));
  length.high = sglang ? *length.mean : std::ceil(*length.mean * (1 + ratio));
  if (sglang ? ratio >= 1 : ratio <= 0) length.low = length.high = 0;
}

Length length_of(Parts& parts, Becomes mean, Becomes spread, double otherwise) {
  Length length{.mean = parts.number(mean), .stddev = parts.number(spread).value_or(0)};
  if (!length.mean && parts.has(mean))
    parts.note(parts.origin(mean), "its lengths are not one number; --help workload lists the forms");
  if (!length.mean && parts.whole() && otherwise > 0) length.mean = otherwise;
  if (length.stddev == 0) spread_by_ratio(parts, length, mean == Becomes::input);
  return length;
}

/// AIPerf's `--isl 128,512 --osl 64`: every input length with every output length.
bool put_shapes(Parts& parts, double input, double output) {
  const std::string ins = parts.text(Becomes::input, number_text(input)),
                    outs = parts.text(Becomes::output, number_text(output > 0 ? output : 128));
  const bool several = ins.find(',') != std::string::npos || outs.find(',') != std::string::npos;
  if (!parts.is_aiperf() || !several || parts.has(Becomes::input_spread) || parts.has(Becomes::output_spread))
    return false;
  std::vector<std::string> shapes;
  for (const auto& in : split_at_commas(ins)) {
    for (const auto& out : split_at_commas(outs)) shapes.push_back(fmt::format("{}/{}", in, out));
  }
  parts.put("--shape", fmt::format("{}", fmt::join(shapes, ",")));
  return true;
}

/// The prefix of these tools stands before the prompt; here it is part of it.
void put_lengths(Parts& parts, double input, double output) {
  if (put_shapes(parts, input, output)) return;
  const double prefix = parts.number(Becomes::prefix).value_or(0);
  const Length in = length_of(parts, Becomes::input, Becomes::input_spread, input);
  const Length out = length_of(parts, Becomes::output, Becomes::output_spread, output);
  if (in.mean) parts.put("--input-tokens", length_text(in, prefix));
  if (prefix > 0) parts.put("--shared-prefix-tokens", whole(prefix));
  if (prefix > 0 && parts.has(Becomes::prefixes)) parts.put("--prefix-groups", parts.text(Becomes::prefixes));
  if (out.mean) parts.put("--output-tokens", length_text(out, 0));
}

void put_answer_limit(Parts& parts, double otherwise) {
  const Length out = length_of(parts, Becomes::output, Becomes::output_spread, otherwise);
  if (out.mean) parts.put("--output-tokens", length_text(out, 0));
}

void put_sharegpt(Parts& parts, std::string file) {
  if (file.empty()) {
    parts.note("sharegpt", "no data set is downloaded: its file stands in --workload sharegpt:FILE");
    file = "ShareGPT_V3_unfiltered_cleaned_split.json";
  }
  parts.put("--workload", "sharegpt:" + file);
  parts.put("--skip-bad-lines");
  put_answer_limit(parts, 0);
  if (!parts.has(Becomes::output))
    parts.note("sharegpt", "the lengths of its answers are not limits here; --output-tokens N is");
}

void put_trace(Parts& parts, const std::string& file) {
  if (file.empty())
    parts.note("a trace", "no data set is downloaded: its file stands in --workload mooncake:FILE");
  parts.put("--workload", "mooncake:" + (file.empty() ? "conversation_trace.jsonl" : file));
  if (!parts.has(Becomes::replay))
    parts.note("a trace", "gives the lengths; --arrival trace would give the times");
}

struct PrefixSet {
  double prefix, rest, output, groups;
};

void put_repeated_prefix(Parts& parts, const PrefixSet& usual) {
  if (!parts.has(Becomes::prefix)) parts.set(Becomes::prefix, whole(usual.prefix));
  if (!parts.has(Becomes::prefixes)) parts.set(Becomes::prefixes, whole(usual.groups));
  if (parts.has(Becomes::suffix)) parts.set(Becomes::input, parts.text(Becomes::suffix));
  put_lengths(parts, usual.rest, usual.output);
}

void put_sonnet(Parts& parts) {
  if (!parts.has(Becomes::prefix)) parts.set(Becomes::prefix, "200");
  // The prefix is part of this length.
  const double input = parts.number(Becomes::input).value_or(550),
               prefix = parts.number(Becomes::prefix).value_or(0);
  parts.set(Becomes::input, whole(std::max(1.0, input - prefix)));
  put_lengths(parts, input, 150);
  parts.note("sonnet", "its lines are synthetic text here");
}

struct Resolution {
  std::string_view name, size;
};
constexpr Resolution kResolutions[] = {
    {"4k", "3840x2160"}, {"1080p", "1920x1080"}, {"720p", "1280x720"}, {"360p", "640x360"}};

/// vLLM's `{(256, 512, 1): 0.7, …}`: height, width, frames; SGLang's `720p` or `512x768`, height first, too.
void put_image_size(Parts& parts) {
  const std::string usual = parts.is_sglang() ? "1080p" : "{(256, 256, 1): 0.5, (720, 1280, 1): 0.5}";
  const std::string sizes = parts.text(Becomes::image_sizes, parts.whole() ? usual : "");
  const auto* named = std::ranges::find(kResolutions, sizes, &Resolution::name);
  if (named != std::end(kResolutions)) return parts.put("--image-size", std::string(named->size));
  unsigned high = 0, wide = 0;
  if (std::sscanf(sizes.c_str(), "{(%u, %u", &high, &wide) == 2 ||
      std::sscanf(sizes.c_str(), "%ux%u", &high, &wide) == 2)
    parts.put("--image-size", fmt::format("{}x{}", wide, high));
  else if (!sizes.empty())
    parts.note(parts.origin(Becomes::image_sizes) + " " + sizes, "one size here: --image-size WxH");
  if (std::ranges::count(sizes, '(') > 1) parts.note("sizes of images", "one size here: the first");
}

void put_images(Parts& parts) {
  const bool multi = parts.text(Becomes::dataset) == "random-mm" || parts.text(Becomes::dataset) == "image";
  const bool sized = parts.has(Becomes::image_width) || parts.has(Becomes::image_height);
  if (!multi && !sized && !parts.has(Becomes::images)) return;
  const std::string count = parts.text(Becomes::images, "1");
  if (to_number(count).value_or(0) < 1)
    return parts.note(parts.origin(Becomes::images) + " " + count, "one number here: --images N");
  parts.put("--images", count);
  if (sized) {
    const std::string width = parts.text(Becomes::image_width, "512"),
                      height = parts.text(Becomes::image_height, "512");
    return parts.put("--image-size", fmt::format("{}x{}", width, height));
  }
  put_image_size(parts);
}

void put_dataset(Parts& parts) {
  constexpr double kRandomInput = 1024;
  const bool sglang = parts.is_sglang();
  const std::string file = parts.text(Becomes::file);
  std::string kind = parts.text(Becomes::dataset, parts.whole() ? (sglang ? "sharegpt" : "random") : "");
  if (kind.empty() && !file.empty()) kind = "custom";
  if (kind.empty()) return put_lengths(parts, 0, 0);
  if (kind == "sharegpt") return put_sharegpt(parts, file);
  if (kind == "sonnet") return put_sonnet(parts);
  if (kind == "prefix_repetition") return put_repeated_prefix(parts, {256, 256, 128, 10});
  if (kind == "generated-shared-prefix") return put_repeated_prefix(parts, {2048, 128, 256, 64});
  if (kind == "timed_trace" || kind == "mooncake") return put_trace(parts, file);
  if ((kind == "custom" || kind == "custom_mm" || kind == "openai") && !file.empty()) {
    parts.put("--workload", kind == "openai" ? file : "jsonl:" + file);
    return put_answer_limit(parts, 256);
  }
  const bool random = kind == "random" || kind == "random-mm" || kind == "random-ids" || kind == "image" ||
                      kind == "random-rerank";
  if (!random)
    parts.note(kind,
               "no such data set here; synthetic prompts stand for it, a file of prompts is --workload F");
  const double output = sglang ? kRandomInput : kind == "spec_bench" ? 256 : 128;
  put_lengths(parts, kRandomInput, kind == "speed-bench" ? 512 : output);
}

void put_aiperf_workload(Parts& parts) {
  constexpr double kInput = 550;
  std::string file = parts.text(Becomes::file);
  const std::string format = parts.text(Becomes::file_format);
  // genai-perf's `payload:FILE`.
  if (file.starts_with("payload:")) file.erase(0, file.find(':') + 1);
  if (parts.text(Becomes::dataset) == "sharegpt") return put_sharegpt(parts, {});
  if (parts.has(Becomes::dataset))
    parts.note("--public-dataset", "no data set is downloaded; synthetic prompts stand for it");
  if (file.empty()) return put_lengths(parts, kInput, 0);
  if (format == "mooncake_trace" || parts.has(Becomes::replay)) return put_trace(parts, file);
  parts.put("--workload", "jsonl:" + file);
  if (!format.empty())
    parts.note(parts.origin(Becomes::file_format) + " " + format,
               "items here have `prompt` or `messages`, not `text`");
  put_answer_limit(parts, 0);
}

bool is_file(std::string_view text) {
  constexpr std::array<std::string_view, 5> kEndings{".json", ".jsonl", ".txt", ".text", ".csv"};
  return std::ranges::any_of(kEndings, [&](auto ending) { return text.ends_with(ending); });
}

/// prompt_tokens, prompt_tokens_stdev, prompt_tokens_min, prompt_tokens_max; the same with output.
Length drawn(std::map<std::string, std::string>& fields, const std::string& name) {
  Length length{.mean = to_number(fields[name])};
  length.stddev = to_number(fields[name + "_stdev"]).value_or(0);
  const auto low = to_number(fields[name + "_min"]), high = to_number(fields[name + "_max"]);
  if (length.stddev == 0 && (low || high) && length.mean) {
    length.low = low.value_or(1);
    length.high = high.value_or(*length.mean);
  }
  return length;
}

void put_synthetic(Parts& parts, std::map<std::string, std::string>& fields) {
  if (!fields.contains("output_tokens")) fields["output_tokens"] = fields["generated_tokens"];
  const Length in = drawn(fields, "prompt_tokens"), out = drawn(fields, "output_tokens");
  const double prefix = to_number(fields["prefix_tokens"]).value_or(0);
  if (in.mean) parts.put("--input-tokens", length_text(in, prefix));
  if (prefix > 0) parts.put("--shared-prefix-tokens", whole(prefix));
  if (prefix > 0 && !fields["prefix_count"].empty()) parts.put("--prefix-groups", fields["prefix_count"]);
  if (!fields["turns"].empty()) parts.put("--turns", fields["turns"]);
  if (!out.mean) return;
  parts.put("--output-tokens", length_text(out, 0));
  if (!parts.has(Becomes::inexact)) parts.set(Becomes::exact, "");
}

void put_guidellm_data(Parts& parts) {
  if (!parts.has(Becomes::data)) return;
  const std::string data = parts.text(Becomes::data);
  auto fields = flat_fields(data);
  if (fields.contains("prompt_tokens")) return put_synthetic(parts, fields);
  std::string path = fields.contains("path") ? fields["path"] : data;
  if (fields.contains("source.path")) path = fields["source.path"];
  const std::string kind = fields["kind"];
  if (kind == "trace_synthetic" || kind == "mooncake") return put_trace(parts, path);
  if (is_file(path) && !path.ends_with(".csv")) return parts.put("--workload", path);
  parts.note(parts.origin(Becomes::data),
             "no data set is downloaded; synthetic prompts stand for it, a file of prompts is --workload F");
}

void put_llmperf_lengths(Parts& parts) {
  if (!parts.has(Becomes::input_spread)) parts.set(Becomes::input_spread, "150");
  if (!parts.has(Becomes::output_spread)) parts.set(Becomes::output_spread, "80");
  put_lengths(parts, 550, 150);
}

/// Milliseconds.
void put_conversation(Parts& parts) {
  const auto turns = parts.number(Becomes::turns), spread = parts.number(Becomes::turns_spread);
  if (turns && *turns > 1)
    parts.put("--turns", spread && *spread > 0
                             ? fmt::format("normal:{},{}", number_text(*turns), number_text(*spread))
                             : number_text(*turns));
  const auto delay = parts.number(Becomes::delay), wide = parts.number(Becomes::delay_spread);
  if (!turns || *turns <= 1 || !delay || *delay <= 0) return;
  parts.put("--think-time", wide && *wide > 0
                                ? fmt::format("normal:{}ms,{}ms", number_text(*delay), number_text(*wide))
                                : number_text(*delay) + "ms");
}

std::string json_value(const std::string& text) {
  const bool raw = to_number(text) || text == "true" || text == "false" || text == "null" ||
                   text.starts_with('{') || text.starts_with('[') || text.starts_with('"');
  if (raw) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return out + "\"";
}

/// `{"a": 1}` without its braces.
void add_object(Parts& parts, std::string& members, std::string text) {
  const auto begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  if (begin == std::string::npos || text[begin] != '{' || text[end] != '}')
    return parts.note("a body", "is no JSON object, and is left out");
  text = text.substr(begin + 1, end - begin - 1);
  members += (members.empty() || text.empty() ? "" : ", ") + text;
}

/// AIPerf's `key:value`, of which some have an option here.
void read_extra_input(Parts& parts, std::string& members, const std::string& text) {
  if (text.starts_with('{')) return add_object(parts, members, text);
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const std::string value = colon == std::string::npos ? "true" : text.substr(colon + 1);
  if (name == "ignore_eos") return parts.set(value == "false" ? Becomes::inexact : Becomes::exact, "");
  if (name == "max_tokens" || name == "max_completion_tokens") return parts.put("--output-tokens", value);
  parts.fields.emplace_back(name, json_value(value));
}

/// SGLang asks for greedy sampling.
void put_temperature(Parts& parts) {
  if (!parts.whole() || !parts.is_sglang()) return;
  const auto is_it = [](const auto& field) { return field.first == "temperature"; };
  const bool given = std::ranges::any_of(parts.fields, is_it) ||
                     parts.text(Becomes::extra_body).find("\"temperature\"") != std::string::npos;
  if (!given) parts.fields.insert(parts.fields.begin(), {"temperature", "0"});
}

void put_body(Parts& parts) {
  put_temperature(parts);
  std::string members;
  for (const auto& text : parts.all(Becomes::extra_inputs)) read_extra_input(parts, members, text);
  for (const auto& text : parts.all(Becomes::extra_body)) add_object(parts, members, text);
  for (const auto& [name, value] : parts.fields)
    members += fmt::format("{}\"{}\": {}", members.empty() ? "" : ", ", name, value);
  if (!members.empty()) parts.put("--extra-body", "{" + members + "}");
}

/// SGLang forces the length of every answer, vLLM that of random prompts and traces.
bool forces_length(const Parts& parts) {
  const std::string kind = parts.text(Becomes::dataset, "random");
  if (parts.is_sglang()) return parts.has_put("--output-tokens");
  return parts.is_vllm() && !parts.has(Becomes::file) ? kind.starts_with("random") : kind == "timed_trace";
}

/// Written out where infermeter would force the length by itself: of synthetic prompts.
void put_exactness(Parts& parts) {
  if (parts.has(Becomes::inexact)) return parts.put("--no-exact-output");
  if (parts.has(Becomes::exact) || (parts.whole() && forces_length(parts)))
    return parts.put("--exact-output");
  if (parts.whole() && !parts.has_put("--workload")) parts.put("--no-exact-output");
}

struct Goal {
  std::string_view theirs, ours, comparison, unit;
};
constexpr Goal kGoals[] = {
    {"ttft", "ttft", "<", "ms"},
    {"tpot", "tpot", "<", "ms"},
    {"e2el", "e2e", "<", "ms"},
    {"time_to_first_token", "ttft", "<", "ms"},
    {"time_to_first_output_token", "ttfo", "<", "ms"},
    {"time_to_second_token", "ttst", "<", "ms"},
    {"inter_token_latency", "tpot", "<", "ms"},
    {"request_latency", "e2e", "<", "ms"},
    {"output_token_throughput_per_user", "tps", ">", ""},
};

void put_goal(Parts& parts, const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto* goal = std::ranges::find(kGoals, std::string_view(text).substr(0, colon), &Goal::theirs);
  if (colon == std::string::npos || goal == std::end(kGoals))
    return parts.note(fmt::format("{} {}", parts.origin(Becomes::goodput), text.substr(0, colon)),
                      "no limit of this kind; --slo 'ttft<500ms' is one");
  parts.put("--slo",
            fmt::format("{}{}{}{}", goal->ours, goal->comparison, text.substr(colon + 1), goal->unit));
}

void put_goals(Parts& parts) {
  for (const auto& text : parts.all(Becomes::goodput)) {
    for (const auto& one : shell_words(text)) put_goal(parts, one);
  }
}

void put_cancel(Parts& parts) {
  const auto rate = parts.number(Becomes::cancel_rate);
  if (!rate || *rate <= 0) return;
  const double delay = parts.number(Becomes::cancel_delay).value_or(0);
  if (delay <= 0)
    return parts.note(parts.origin(Becomes::cancel_rate), "cancelling at once is none; --cancel-after T");
  parts.put("--cancel-after", number_text(delay) + "s");
  parts.put("--cancel-share", number_text(*rate) + "%");
}

}  // namespace

void put_workload(Parts& parts) {
  if (parts.is_guidellm())
    put_guidellm_data(parts);
  else if (parts.rival() == Rival::llmperf)
    put_llmperf_lengths(parts);
  else if (parts.is_aiperf())
    put_aiperf_workload(parts);
  else
    put_dataset(parts);
  put_images(parts);
  put_conversation(parts);
  const bool own_lengths = parts.text(Becomes::file_format) == "mooncake_trace" ||
                           parts.text(Becomes::dataset) == "sharegpt" || parts.has(Becomes::replay);
  const bool unlimited = parts.is_aiperf() && !parts.has(Becomes::output) && !own_lengths;
  if (parts.whole() && unlimited)
    parts.note("no output length given", "an answer has at most 128 tokens; --output-tokens N");
}

void put_answers(Parts& parts) {
  put_body(parts);
  put_exactness(parts);
  if (parts.whole() && parts.is_aiperf() && !parts.has(Becomes::streaming)) parts.put("--no-stream");
  put_cancel(parts);
  put_goals(parts);
  if (parts.has(Becomes::quiet)) parts.put("-q");
}

}  // namespace infermeter
