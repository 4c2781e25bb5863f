// Reads the output of `vllm bench serve --save-result` and `--append-result` as a result of ours. Pure.
#pragma once

#include <string_view>

#include "model/bench_samples.hpp"

namespace infermeter {

/// Whether a text looks like such a file and not like our own result.json.
bool is_vllm_result(std::string_view text);

/// One object, or one per line. Each is a load point; the same load again is a further run of it. Figures of
/// the same meaning get our names: their ITL is our `icl`, client_queue_time our `client_queue`,
/// e2el_including_client_queue our `e2e_response`. Rates are in `whole`, over the whole duration. Samples
/// exist as far as the arrays of --save-detailed do. Throws EnvironmentError in one line that says what is
/// wrong.
BenchRun vllm_result_from_json(std::string_view text);

}  // namespace infermeter
