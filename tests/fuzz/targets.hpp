// What is read from outside, one function for each fuzz target: any bytes give a value or an Error, never a
// crash, and what was written once reads back the same.
#pragma once

#include <cstdlib>
#include <string_view>

namespace infermeter::fuzz {

void stream(std::string_view bytes);      // the body of an answer: events, chunks
void http(std::string_view bytes);        // a head, a blank line, a body: outcome, limits, waits
void usage(std::string_view bytes);       // token counts and the server's own times
void identity(std::string_view bytes);    // models, version, tokenizer, refused fields
void metrics(std::string_view bytes);     // a server's metrics page, a line of metrics.jsonl
void config(std::string_view bytes);      // a TOML file
void data(std::string_view bytes);        // data files and traces
void result(std::string_view bytes);      // result.json, verdict.json
void records(std::string_view bytes);     // requests.jsonl
void assertion(std::string_view bytes);   // --assert, --slo, --stop-when; lengths, times, numbers
void target_url(std::string_view bytes);  // the URL of a server

inline void must(bool holds) {
  if (!holds) std::abort();
}

}  // namespace infermeter::fuzz
