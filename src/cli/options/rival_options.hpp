// The options of other benchmarks, each once, with what it becomes here: the hint at an unknown option and
// the translation of a whole line read the same table. Names that work as they are: foreign_names.
// Private to src/cli.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace infermeter {

/// `others`: tools whose lines are not translated; their options have a hint.
enum class Rival : std::uint8_t { vllm, sglang, aiperf, genai_perf, guidellm, llmperf, others };

/// "vllm bench serve".
std::string_view title_of(Rival rival);

/// What an option becomes. Those in the first group are complete by themselves; the others are parts of one
/// of our options, or of several.
enum class Becomes : std::uint8_t {
  same,          // our option `text` with this value
  on,            // our switch `text`, as it is: "--exact-output"
  seconds,       // our option `text`; the value is in seconds
  milliseconds,  // and in milliseconds
  body,          // the field `text` of --extra-body
  left_out,      // nothing; `text` says why
  implied,       // nothing: infermeter does so anyway

  url,
  host,
  port,
  path,  // of the endpoint
  api,   // names the endpoint: --backend, --endpoint-type
  model,
  served_model,  // the name for the API, where it is not that of the weights
  header,
  key,
  rate,
  in_flight,
  requests,
  conversations,
  burstiness,
  arrival,
  ramp,
  ramp_from,
  ramp_to,
  profile,
  overrides,  // guidellm's `--override profile.rate 1,2`
  constraint,
  warmup_share,
  drain,
  seed,
  input,
  input_spread,
  output,
  output_spread,
  range_ratio,
  prefix,
  prefixes,
  per_prefix,
  suffix,
  dataset,
  file,
  file_format,
  replay,
  no_replay,
  slower,      // how many times slower a trace is replayed
  faster,      // and how many times faster
  trace_unit,  // seconds in one unit of a trace's time stamps
  data,
  turns,
  turns_spread,
  delay,
  delay_spread,
  images,
  image_width,
  image_height,
  image_sizes,
  connections,
  cancel_rate,
  cancel_delay,
  goodput,
  extra_body,
  extra_inputs,
  exact,
  inexact,
  streaming,
  quiet,
};

enum class Arity : std::uint8_t { none, one, two, many };

struct RivalOption {
  unsigned rivals;        // a bit for each
  std::string_view name;  // without dashes
  Arity arity;
  Becomes part;
  std::string_view text = {};
};

/// Null for an option that has no row. `name` has dashes inside, no underscores.
const RivalOption* find_rival_option(Rival rival, std::string_view name);

/// What to write here in place of an option of any of these tools: "use -n N (--requests)".
std::optional<std::string> rival_hint(std::string_view name);

}  // namespace infermeter
