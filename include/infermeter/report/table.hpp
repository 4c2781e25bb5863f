// The result as a person reads it in a terminal. Returns a string; locale-proof; golden-tested.
#pragma once

#include <string>

#include "infermeter/model/result.hpp"

namespace infermeter {

struct TableOptions {
  unsigned width = 80;  // columns; wider terminals get more columns, never longer prose
  bool color = false;
  bool ascii = false;     // no glyph beyond ASCII (LANG=C)
  bool wide = false;      // min and p99.9 columns too
  std::string directory;  // where the files are; empty: not saved
};

/// The lines above the run: URL, model and where it came from, load, lengths, notes of preflight.
std::string render_header(const RunResult& result, const TableOptions& options);
/// The table, rates, counts, verdict, findings and where the files are.
std::string render_table(const RunResult& result, const TableOptions& options);

}  // namespace infermeter
