#pragma once
#include <span>
#include "infermeter/model/record.hpp"
#include "infermeter/report/table.hpp"
namespace infermeter {
std::string shown_run(const RunResult& run, std::span<const RequestRecord> records, Format format, const TableOptions& options);
std::string shown_verdict(const Verdict& verdict, Format format, const TableOptions& options);
}
