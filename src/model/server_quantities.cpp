#include "model/server_quantities.hpp"

#include <algorithm>

namespace infermeter {
namespace {

using enum QuantityKind;

// clang-format off: one quantity a line
constexpr ServerQuantity kQuantities[] = {
  {"ttft", time, "TTFT", "from arrival at the server to the first token", "ttft"},
  {"queue", time, "Queue", "from arrival to the first scheduling"},
  {"prefill", time, "Prefill", "from there to the first token"},
  {"decode", time, "Decode", "from the first token to the last"},
  {"inference", time, "Prefill and decode", "from the first scheduling to the last token"},
  {"itl", time, "ITL", "between two outputs of a request", "icl"},
  {"tpot", time, "TPOT", "mean time per output token, by request", "tpot"},
  {"e2e", time, "E2E", "from arrival to the last token", "e2e"},
  {"batch_prefill", time, "Prefill of a batch", "one forward pass, not one request (TGI)"},
  {"batch_decode", time, "Decode of a batch", "one forward pass, not one request (TGI)"},
  {"running", gauge, "Running requests", "in the batch"},
  {"waiting", gauge, "Waiting requests", "not yet scheduled"},
  {"swapped", gauge, "Swapped requests", "moved to the host's memory"},
  {"retracted", gauge, "Paused requests", "taken out of the batch"},
  {"kv_cache", share, "KV cache in use", "share of its blocks or tokens"},
  {"swa_cache", share, "Sliding-window cache in use", "share"},
  {"mamba_cache", share, "State cache in use", "share"},
  {"host_cache", share, "Host cache in use", "share"},
  {"kv_used", gauge, "KV cache used", "blocks or tokens"},
  {"kv_max", gauge, "KV cache size", "blocks or tokens"},
  {"prefix_hit_rate", share, "Prefix hits, as the server says", "of its own window"},
  {"acceptance", share, "Draft tokens accepted, as the server says", "of its own window"},
  {"accepted_length", share, "Tokens per step, as the server says", "with speculation"},
  {"output_rate", gauge, "Output rate, as the server says", "tokens/s"},
  {"preemptions", counter, "Preemptions", "requests taken out of the batch for lack of KV cache"},
  {"prefix_hits", counter, "Prefix hits", "prompt tokens found in the cache"},
  {"prefix_queries", counter, "Prefix queries", "prompt tokens looked up in the cache"},
  {"external_prefix_hits", counter, "External prefix hits", "tokens found in a cache outside the server"},
  {"external_prefix_queries", counter, "External prefix queries", "tokens looked up there"},
  {"cached_tokens", counter, "Cached tokens", "prompt tokens that were not computed"},
  {"reused_blocks", counter, "Reused blocks", "KV blocks found in the cache"},
  {"missed_blocks", counter, "Missed blocks", "KV blocks not found in the cache"},
  {"recomputed_tokens", counter, "Recomputed tokens", "after a preemption"},
  {"drafts", counter, "Drafts", "speculative steps"},
  {"draft_tokens", counter, "Draft tokens", "proposed"},
  {"accepted_tokens", counter, "Accepted tokens", "of the proposed ones"},
  {"prompt_tokens", counter, "Prompt tokens", "processed"},
  {"output_tokens", counter, "Output tokens", "generated"},
  {"requests", counter, "Requests", "that ended"},
  {"failed", counter, "Failed requests", ""},
  {"aborted", counter, "Aborted requests", ""},
  {"rejected", counter, "Rejected requests", "not admitted"},
  {"prefill_seconds", counter, "Prefill time", "seconds, of all requests (llama.cpp)"},
  {"decode_seconds", counter, "Decode time", "seconds, of all requests (llama.cpp)"},
  {"steps", counter, "Steps", "calls of the decoder (llama.cpp)"},
};
// clang-format on

}  // namespace

std::span<const ServerQuantity> server_quantities() { return kQuantities; }

const ServerQuantity* find_server_quantity(std::string_view name) {
  const auto it = std::ranges::find(kQuantities, name, &ServerQuantity::name);
  return it == std::end(kQuantities) ? nullptr : &*it;
}

}  // namespace infermeter
