// What `vllm bench serve --save-result` and `--append-result` write, read as a result of ours. Pure.
#pragma once

#include <string_view>

#include "model/bench_samples.hpp"

namespace infermeter {

/// Whether a text looks like such a file rather than our own result.json.
bool is_vllm_result(std::string_view text);

/// One object, or one a line: each is a load point, and the same load again is a further run of it. Figures
/// are those of the file under our names of the same meaning: their ITL is our `icl`, client_queue_time our
/// `client_queue`, e2el_including_client_queue our `e2e_response`; rates stand in `whole`, over the whole
/// duration. Samples are there as far as the arrays of --save-detailed are. Throws EnvironmentError in one
/// line that says what is wrong.
BenchRun vllm_result_from_json(std::string_view text);

}  // namespace infermeter
