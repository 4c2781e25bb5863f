// The ways in which people gate today, on the same simulated runs: what docs/why-not-5-percent.md shows.
#pragma once

namespace infermeter::bench {

/// Prints a table of false alarms and of what is found, by so many gates a cell.
void print_plain_gates(int gates);

}  // namespace infermeter::bench
