// fuzz_seeds FOLDER: the seeds of every target, FOLDER/<target>/…, from the repository's own cases and
// files, and a dictionary of the words in them, FOLDER/<target>.dict.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "infermeter/model/figures.hpp"
#include "io/files/records_file.hpp"
#include "unit/protocol/stream_case.hpp"

namespace {

namespace fs = std::filesystem;
using namespace infermeter;
using Seeds = std::vector<std::string>;

// A longer seed would make every input of its target long and slow.
constexpr std::size_t kMostBytes = 16 * 1024;
constexpr std::size_t kMostWords = 400;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

Seeds files_in(const std::string& folder, const std::string& extension = {}) {
  Seeds seeds;
  for (const auto& entry : fs::recursive_directory_iterator(INFERMETER_SOURCE_DIR "/" + folder)) {
    if (entry.is_regular_file() && (extension.empty() || entry.path().extension() == extension))
      seeds.push_back(text_of(entry.path()));
  }
  return seeds;
}

// The last bytes as stream.cpp reads them.
std::string stream_seed(const test::StreamCase& one) {
  std::string seed = one.body();
  seed += static_cast<char>(one.options.endpoint);
  int choice = one.options.stream ? 2 : 3;
  if (one.options.max_tokens > 0) choice |= 8;
  if (one.end == "idle") choice |= 0x80;
  if (one.status.value_or(200) >= 300) choice |= 0x30;
  return seed + static_cast<char>(choice);
}

std::string http_seed(const test::StreamCase& one) {
  std::string seed = fmt::format("HTTP/1.1 {} x\n", one.status.value_or(200));
  for (const auto& [name, value] : one.headers) seed += name + ":" + value + "\n";
  return seed + "\n" + one.body();
}

// From `"usage"`, `"timings"` … to the end of its line: members as the target puts them into an object.
void add_usage(const std::string& body, Seeds& seeds) {
  for (const auto* key :
       {"\"usage\":", "\"timings\":", "\"metrics\":", "\"time_info\":", "\"x_groq\":", "\"stats\":"}) {
    const auto at = body.find(key);
    if (at == std::string::npos) continue;
    const auto end = body.find('\n', at);
    const auto brace = body.rfind('}', end);
    if (brace != std::string::npos && brace > at) seeds.push_back(body.substr(at, brace - at));
  }
}

Seeds assertion_seeds() {
  Seeds seeds{"ttft.p95 < 500ms",
              "[target=a] ttft.p95 < 500ms",
              "ttft p(95)<500",
              "ttft:500",
              "itl.p95<50ms",
              "goodput >= 0.99 * request_throughput",
              "error_rate < 1%",
              "output_throughput > 4k tok/s",
              "lognormal:512,0.5",
              "uniform:1k,8k",
              "normal:2s,500ms",
              "128:0.7,2k:0.3",
              "2,6",
              "1.5m",
              "8_192"};
  for (const auto& figure : known_figures()) seeds.push_back(fmt::format("{}.p99 <= 1s", figure.name));
  return seeds;
}

Seeds url_seeds(const Seeds& files) {
  Seeds seeds{"localhost:8000", "http://[::1]:8000/v1/chat/completions?api-version=2024-10-21",
              "https://x.openai.azure.com/openai/deployments/d/chat/completions", "user:word@host",
              "unix:/a"};
  for (const auto& text : files) {
    for (auto at = text.find("url = \""); at != std::string::npos; at = text.find("url = \"", at + 1))
      seeds.push_back(text.substr(at + 7, text.find('"', at + 7) - at - 7));
  }
  return seeds;
}

// Names of letters, digits and some marks, the most frequent first.
Seeds words_in(const Seeds& seeds) {
  std::map<std::string, int> counts;
  for (const auto& seed : seeds) {
    std::string word;
    for (const char c : seed + " ") {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.') {
        word += c;
        continue;
      }
      if (word.size() > 2 && word.size() < 40) ++counts[c == '"' ? "\"" + word + "\":" : word];
      word.clear();
    }
  }
  Seeds words;
  for (const auto& [word, count] : counts) words.push_back(word);
  std::ranges::stable_sort(words, std::ranges::greater(), [&](const auto& word) { return counts.at(word); });
  words.resize(std::min(words.size(), kMostWords));
  return words;
}

void write(const fs::path& folder, const std::string& target, const Seeds& seeds) {
  fs::create_directories(folder / target);
  int number = 0;
  for (const auto& seed : seeds)
    std::ofstream(folder / target / fmt::format("{:04}", number++), std::ios::binary)
        << seed.substr(0, kMostBytes);
  std::ofstream words(folder / (target + ".dict"));
  for (auto word : words_in(seeds)) {
    std::string quoted;
    for (const char c : word) quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
    words << '"' << quoted << "\"\n";
  }
  for (const auto* mark :
       {"[DONE]", "9223372036854775807", "-1", "1e308", "\\\"", "\\x00", "[[[[[[[[", "\\xff\\xfe"})
    words << '"' << mark << "\"\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const fs::path folder = argv[1];
  Seeds streams, https, usages, bodies, records;
  for (const auto& one : test::load_cases()) {
    if (one.body().size() > kMostBytes) continue;
    streams.push_back(stream_seed(one));
    https.push_back(http_seed(one));
    add_usage(one.body(), usages);
    if (one.status.value_or(200) >= 300 || one.body().starts_with('{')) bodies.push_back(one.body());
    append_record_json(test::read_case(one, one.reads), records.emplace_back());
    records.back() += '\n';
  }
  bodies.insert(bodies.end(),
                {R"({"object":"list","data":[{"id":"m","owned_by":"vllm"}]})", R"({"version":"0.10.1"})",
                 R"({"count":3,"max_model_len":8,"tokens":[1,2,3]})", R"({"models":[{"name":"a"}]})"});
  write(folder, "stream", streams);
  write(folder, "http", https);
  write(folder, "usage", usages);
  write(folder, "identity", bodies);
  write(folder, "metrics", files_in("tests/data/metrics"));
  const Seeds configs = files_in("configs", ".toml");
  write(folder, "config", configs);
  write(folder, "data", files_in("tests/data/workloads"));
  write(folder, "result", files_in("tests/data/golden", ".json"));
  write(folder, "records", records);
  write(folder, "assertion", assertion_seeds());
  write(folder, "target_url", url_seeds(configs));
  return 0;
}
