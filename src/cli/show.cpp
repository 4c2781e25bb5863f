#include "show.hpp"
#include "infermeter/report/verdict_json.hpp"
namespace infermeter {
std::string shown_run(const RunResult& run, std::span<const RequestRecord>, Format,
                      const TableOptions& options) {
  return render_table(run, options);
}
std::string shown_verdict(const Verdict& verdict, Format format, const TableOptions& options) {
  return format == Format::json ? verdict_to_json(verdict) : render_verdict(verdict, options);
}
}  // namespace infermeter
