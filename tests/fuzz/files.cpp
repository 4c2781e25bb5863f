// Targets that read files and words of a user's, and what a run has saved.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "infermeter/analysis/thresholds.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"
#include "infermeter/report/result_json.hpp"
#include "io/files/config_file.hpp"
#include "io/files/item_file.hpp"
#include "io/files/records_file.hpp"
#include "model/target_url.hpp"
#include "targets.hpp"
#include "workload/synthetic/lengths.hpp"

namespace infermeter::fuzz {
namespace {

// A file in memory, for readers that open a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : fd_(memfd_create("fuzz", MFD_CLOEXEC)) {
    must(fd_ >= 0 && ::write(fd_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

// An Error is an answer too; anything else that is thrown ends the program.
template <typename Reader>
void tried(const Reader& reader) {
  try {
    reader();
  } catch (const Error& error) {
    must(error.what()[0] != '\0');
  }
}

void read_items(const std::string& workload, bool skip) {
  tried([&] {
    Prompts prompts;
    prompts.file = workload;
    prompts.skip_bad_lines = skip;
    const OpenedItems opened = open_items(prompts);
    must(opened.items->size() > 0);
    opened.items->item(opened.items->size() - 1);
    trace_stamps(*opened.items, "file");
  });
}

std::string lines_of(const std::vector<RequestRecord>& all) {
  std::string text;
  for (const auto& record : all) {
    append_record_json(record, text);
    text += '\n';
  }
  return text;
}

}  // namespace

void config(std::string_view bytes) {
  constexpr std::array<std::string_view, 3> blocks{"target", "class", "quick"};
  tried([&] { parse_config_text("file", bytes, blocks); });
}

void data(std::string_view bytes) {
  const MemoryFile file(bytes);
  read_items(file.path(), true);
  for (const auto* format : {"text:", "jsonl:", "sharegpt:", "batch:", "mooncake:", "azure:"})
    read_items(format + file.path(), (bytes.size() & 1) != 0);
}

void result(std::string_view bytes) {
  tried([&] {
    const std::string once = result_to_json(result_from_json(bytes));
    must(result_to_json(result_from_json(once)) == once);
  });
  tried([&] {
    const std::string once = verdict_to_json(verdict_from_json(bytes));
    must(verdict_to_json(verdict_from_json(once)) == once);
  });
}

void records(std::string_view bytes) {
  tried([&] {
    const std::string once = lines_of(read_records(MemoryFile(bytes).path()));
    must(lines_of(read_records(MemoryFile(once).path())) == once);
  });
}

void assertion(std::string_view bytes) {
  const auto text_of_file = [&](const std::string&) { return std::string(bytes); };
  tried([&] { parse_assertion("--assert", bytes); });
  tried([&] { parse_threshold("--stop-when", bytes); });
  tried([&] { parse_slo("--slo", bytes); });
  tried([&] { parse_figure("--sort", bytes); });
  tried([&] { lengths_text(parse_lengths("--input-tokens", bytes, text_of_file)); });
  tried([&] { lengths_text(parse_lengths("--input-tokens", "histogram:f", text_of_file)); });
  tried([&] { parse_turns("--turns", bytes, text_of_file); });
  tried([&] { durations_text(parse_durations("--think-time", bytes)); });
  tried([&] { parse_duration("-d", bytes); });
  tried([&] { parse_count("-n", bytes); });
  tried([&] { parse_share("--max-error-rate", bytes); });
}

void target_url(std::string_view bytes) {
  mask_url(bytes);
  tried([&] {
    const TargetUrl url = resolve_target_url(bytes);
    url.models_url();
    url.deployment();
    url.is_azure();
    must(resolve_target_url(url.request_url()).request_url() == url.request_url());
    must(!url.shown().empty());
  });
}

}  // namespace infermeter::fuzz
