#include "catch.hpp"
#include "infermeter/base/errors.hpp"
#include "sim/engine/engine_model.hpp"

using namespace infermeter;
using namespace infermeter::sim;

namespace {
std::string refusal(std::string_view preset) {
  try {
    make_engine(preset, 1);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "taken";
}
std::string advice(std::string_view preset) {
  try {
    make_engine(preset, 1);
  } catch (const UsageError& error) {
    return error.advice();
  }
  return "taken";
}
}  // namespace

TEST_CASE("presets: every listed one makes an engine and names its model") {
  for (const auto& [name, help] : preset_list()) {
    CHECK(make_engine(name, 1) != nullptr);
    CHECK_FALSE(preset_model_name(name).empty());
    CHECK_FALSE(help.empty());
  }
  CHECK(preset_model_name("h100-8b") == "llama-3.1-8b");
  CHECK(preset_model_name("h100-8b:model=qwen3-32b,dtype=fp8") == "qwen3-32b");
  CHECK(preset_model_name("fixed:ttft=1ms") == "fixed");
}

TEST_CASE("presets: a mistyped preset, option or value is named with its rule and the nearest name") {
  CHECK(refusal("h100-8c") == "simulator preset: 'h100-8c' is not a known one; did you mean 'h100-8b'?");
  CHECK(refusal("h100-8b:max-seq=4") ==
        "option of preset h100-8b: 'max-seq' is not a known one; did you mean 'max-seqs'?");
  CHECK(refusal("h100-8b:kv-tokens=many") ==
        "kv-tokens: 'many' is not a whole number such as 128, 4k or 8_192");
  CHECK(refusal("h100-8b:max-seqs=0") == "max-seqs: '0' is not between 1 and 1,000,000");
  CHECK(refusal("h100-8b:spec=0.7") == "spec: '0.7' is not acceptance x drafts, such as 0.7x4");
  CHECK(refusal("h100-8b:offload=tape") == "offload: 'tape' is not host, ssd, none or a bandwidth in GB/s");
  CHECK(refusal("h100-8b:spec") == "preset h100-8b: 'spec' is not an option=value");
  CHECK(refusal("h100-8b:") == "preset h100-8b: '' is not an option=value");
  CHECK(refusal("fixed:itl=10") == "itl: '10' is not a duration such as 250ms, 30s, 1.5m or 2h");
  CHECK(refusal("fixed:tokens=0") == "tokens: '0' is not between 1 and 1,000,000");
  CHECK(refusal("h100-8b:device=h10") == "device: 'h10' is not a known one; did you mean 'h100'?");
}

TEST_CASE("presets: a model that does not fit its device names what it would take") {
  CHECK(
      refusal("h100x2-70b-fp8:tp=1") ==
      "llama-3.1-70b in fp8 does not fit h100: its weights need 70.6 GB of the 72.0 usable GB, what is left "
      "holds 4,412 tokens of KV cache and 8,192 are needed");
  CHECK(advice("h100x2-70b-fp8:tp=1") == "would do: tp=2, or device=tpu-v5p (95 GB), or dtype=int4");
  CHECK(refusal("4090-8b:model=llama-3.1-70b") ==
        "llama-3.1-70b in bf16 does not fit 4090: its weights need 141.1 GB of the 21.6 usable GB, nothing "
        "is left "
        "for its KV cache");
  CHECK(advice("4090-8b:model=llama-3.1-70b") == "would do: tp=8, or device=b200 (180 GB)");
  CHECK(
      refusal("h100-8b:kv-tokens=1M") ==
      "llama-3.1-8b in bf16 does not fit h100: its weights need 16.1 GB of the 72.0 usable GB, what is left "
      "holds 426,788 tokens of KV cache and 1,000,000 are needed");
}

TEST_CASE("presets: a device without published TFLOPS asks for them") {
  CHECK(refusal("h100-8b:device=m4-max") ==
        "device: 'm4-max' has no published TFLOPS, prefill cannot be modelled");
  CHECK(refusal("h100-8b:device=m4-max,tflops=34") == "taken");
}

TEST_CASE("presets: the longest request is the model's context or the whole KV cache") {
  CHECK(make_engine("h100-8b", 1)->context_tokens() == 131072);
  CHECK(make_engine("4090-8b", 1)->context_tokens() ==
        42256);  // (0.9 · 24 GB − 16.06 GB) / 128 KiB, in blocks
  CHECK(make_engine("4090-8b:offload=host", 1)->context_tokens() == 131072);
}

TEST_CASE("presets: the options' list knows both kinds of engine") {
  bool batching = false, fixed = false;
  for (const auto& [name, help] : preset_option_list()) {
    batching |= name == "kv-tokens";
    fixed |= name == "fixed:ttft";
    CHECK_FALSE(help.empty());
  }
  CHECK((batching && fixed));
}
