// The options of other benchmarks that need more than another name: each once, with what it becomes here.
// Options with a mere alias or a hint are in options/foreign_names. Private to src/cli.
#pragma once

#include <cstdint>
#include <string_view>

namespace infermeter {

enum class Rival : std::uint8_t { vllm, sglang, aiperf, genai_perf, guidellm };

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
  constraint,
  warmup_share,
  input,
  input_spread,
  output,
  output_spread,
  range_ratio,
  prefix,
  prefixes,
  suffix,
  dataset,
  file,
  file_format,
  replay,
  data,
  turns,
  turns_spread,
  delay,
  delay_spread,
  images,
  image_width,
  image_height,
  image_sizes,
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

enum class Arity : std::uint8_t { none, one, many };

struct RivalOption {
  unsigned rivals;        // a bit for each
  std::string_view name;  // without dashes
  Arity arity;
  Becomes part;
  std::string_view text = {};
};

/// Null for an option that has no row. `name` has dashes inside, no underscores.
const RivalOption* find_rival_option(Rival rival, std::string_view name);

}  // namespace infermeter
