// The result as a table for a terminal. Returns a string; locale-proof; golden-tested.
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

/// The lines above the run: URL, model and its source, load, lengths, notes of preflight.
std::string render_header(const RunResult& result, const TableOptions& options);
/// The table, rates, counts, validity, findings, the verdict and where the files are.
std::string render_table(const RunResult& result, const TableOptions& options);
/// A point among several in one line of plain text: its place, main figures, and what is wrong with it.
std::string render_point_line(const RunResult& result, const PointResult& point);
/// The verdict of a gate or of assertions: a line per judgement with value, interval and limit, failed ones
/// first; then the exit code and how it ended. `wide` lists each pair of a gate.
std::string render_verdict(const Verdict& verdict, const TableOptions& options);

}  // namespace infermeter
