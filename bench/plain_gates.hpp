// Common ways to gate today, on the same simulated runs: the basis of docs/why-not-5-percent.md.
#pragma once

namespace infermeter::bench {

/// Prints a table of false alarms and of detected changes, by this number of gates per cell.
void print_plain_gates(int gates);

}  // namespace infermeter::bench
