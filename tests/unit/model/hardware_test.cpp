#include "model/hardware.hpp"

#include <set>
#include <string>

#include "catch.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;

namespace {
double floor_ms(std::string_view device, std::string_view model, Precision precision) {
  return weight_bytes(find_model(model), precision) / find_device(device).bandwidth_gb_s / 1e6;
}
double kv_kib(std::string_view model) { return kv_bytes_per_token(find_model(model)) / 1024; }
}  // namespace

TEST_CASE("hardware: one token of KV cache has the size that the published shapes give") {
  CHECK(kv_kib("llama-3.1-8b") == 128);
  CHECK(kv_kib("llama-3.1-70b") == 320);
  CHECK(kv_kib("llama-3.1-405b") == 504);
  CHECK(kv_kib("llama-2-7b") == 512);
  CHECK(kv_kib("qwen3-32b") == 256);
  CHECK(kv_kib("qwen3-30b-a3b") == 96);
  CHECK(kv_kib("mixtral-8x7b") == 128);
  CHECK(kv_kib("deepseek-v3") == Approx(68.6).margin(0.05));
}

TEST_CASE("hardware: experts touched grow from k to nearly all by 128 tokens") {
  CHECK(experts_touched(256, 8, 1) == Approx(8));
  CHECK(experts_touched(256, 8, 8) == Approx(57).margin(0.5));
  CHECK(experts_touched(256, 8, 32) == Approx(163).margin(0.5));
  CHECK(experts_touched(256, 8, 128) == Approx(252).margin(0.5));
}

TEST_CASE("hardware: a token of a mixture reads its active weights and a great batch reads them all") {
  const ModelShape& mixture = find_model("deepseek-v3");
  CHECK(weight_bytes_read(mixture, Precision::fp8, 1) == Approx(37e9));
  CHECK(weight_bytes_read(mixture, Precision::fp8, 1e6) == Approx(671e9));
  const ModelShape& dense = find_model("llama-3.1-8b");
  CHECK(weight_bytes_read(dense, Precision::bf16, 1) == weight_bytes(dense, Precision::bf16));
}

TEST_CASE("hardware: batch-1 decode floors of 8B in bf16 are the known milliseconds") {
  const auto floor_8b = [](std::string_view d) { return floor_ms(d, "llama-3.1-8b", Precision::bf16); };
  CHECK(floor_8b("4090") == Approx(15.9).margin(0.05));
  CHECK(floor_8b("a100") == Approx(7.9).margin(0.05));
  CHECK(floor_8b("h100") == Approx(4.8).margin(0.05));
  CHECK(floor_8b("h200") == Approx(3.3).margin(0.05));
  CHECK(floor_8b("b200") == Approx(2.0).margin(0.05));
  CHECK(floor_8b("mi300x") == Approx(3.0).margin(0.05));
  CHECK(floor_8b("l40s") == Approx(18.6).margin(0.05));
  CHECK(floor_8b("l4") == Approx(53.5).margin(0.05));
  CHECK(floor_8b("dgx-spark") == Approx(58.8).margin(0.05));
  CHECK(floor_8b("m4-max") == Approx(29.4).margin(0.05));
  CHECK(floor_8b("m3-ultra") == Approx(19.6).margin(0.05));
}

TEST_CASE("hardware: batch-1 decode floors of 70B in fp8 and in 4 bits are the known milliseconds") {
  const auto floor_70b = [](std::string_view d, Precision p) { return floor_ms(d, "llama-3.1-70b", p); };
  CHECK(floor_70b("a100", Precision::fp8) == Approx(34.6).margin(0.05));
  CHECK(floor_70b("h100", Precision::fp8) == Approx(21.1).margin(0.05));
  CHECK(floor_70b("h200", Precision::fp8) == Approx(14.7).margin(0.05));
  CHECK(floor_70b("dgx-spark", Precision::fp8) == Approx(259).margin(1));
  CHECK(floor_70b("4090", Precision::int4) == Approx(39.7).margin(0.05));
  CHECK(floor_70b("h100", Precision::int4) == Approx(11.9).margin(0.05));
  CHECK(floor_70b("mi300x", Precision::int4) == Approx(7.5).margin(0.06));
}

TEST_CASE("hardware: a precision that the device cannot compute runs at its bf16 rate") {
  CHECK(tflops(find_device("h100"), Precision::fp8) == 1979);
  CHECK(tflops(find_device("a100"), Precision::fp8) == 312);
  CHECK(tflops(find_device("h100"), Precision::int4) == 989);
  CHECK(tflops(find_device("b200"), Precision::fp4) == 9000);
  CHECK_FALSE(tflops(find_device("m4-max"), Precision::bf16).has_value());
}

TEST_CASE("hardware: a mistyped device or model is answered by the nearest name") {
  CHECK_THROWS_WITH(find_device("h10"), "device: 'h10' is not a known one; did you mean 'h100'?");
  CHECK_THROWS_WITH(find_model("lama-3.1-8b"),
                    "model: 'lama-3.1-8b' is not a known one; did you mean 'llama-3.1-8b'?");
  CHECK_THROWS_WITH(precision_from_name("fp9"), "dtype: 'fp9' is not a known one; did you mean 'fp8'?");
}

TEST_CASE("hardware: names are unique and every size is there") {
  std::set<std::string_view> names;
  for (const Device& device : devices()) {
    CHECK(names.insert(device.name).second);
    CHECK((device.memory_gb > 0 && device.bandwidth_gb_s > 0));
  }
  for (const ModelShape& model : models()) {
    CHECK(names.insert(model.name).second);
    CHECK(model.active_parameters <= model.parameters);
    CHECK(kv_bytes_per_token(model) > 0);
  }
}
