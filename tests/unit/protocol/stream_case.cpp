#include "stream_case.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace infermeter::test {
namespace {

using Json = nlohmann::json;

std::string from_base64(const std::string& text) {
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0, held = 0;
  for (const char c : text) {
    if (c == '=') break;
    held = (held << 6) | static_cast<unsigned>(alphabet.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>((held >> bits) & 0xFF);
  }
  return out;
}

std::string bytes_of(const Json& piece) {
  if (piece.is_string()) return piece.get<std::string>();
  std::string out;
  if (piece.is_array()) {
    for (const auto& part : piece) out += bytes_of(part);
  } else if (piece.contains("base64")) {
    out = from_base64(piece["base64"].get<std::string>());
  } else {
    for (int i = 0; i < piece["times"].get<int>(); ++i) out += piece["repeat"].get<std::string>();
  }
  return out;
}

std::optional<std::optional<std::size_t>> index_of(const Json& expect, const char* name) {
  if (!expect.contains(name)) return std::nullopt;
  if (expect[name].is_null()) return std::optional<std::size_t>();
  return std::optional<std::size_t>(expect[name].get<std::size_t>());
}

Expected expected_of(const Json& expect) {
  Expected out;
  out.outcome = expect["cls"].get<std::string>();
  out.events = expect["tok"].get<std::uint32_t>();
  if (!expect["out"].is_null()) out.output_tokens = expect["out"].get<std::int64_t>();
  out.flags = expect["flags"].get<std::vector<std::string>>();
  std::sort(out.flags.begin(), out.flags.end());
  out.ttft = index_of(expect, "ttft");
  out.ttfo = index_of(expect, "ttfo");
  for (const auto& [key, value] : expect.items()) {
    if (value.is_string()) out.texts[key] = value.get<std::string>();
    if (value.is_number()) out.numbers[key] = value.get<std::int64_t>();
    if (value.is_array() && key != "flags") out.lists[key] = value.get<std::vector<int>>();
  }
  return out;
}

StreamCase load_case(const std::filesystem::path& path) {
  const Json json = Json::parse(std::ifstream(path));
  StreamCase out;
  out.name = path.stem().string();
  out.title = json["title"].get<std::string>();
  for (const auto& read : json["reads"]) out.reads.push_back(bytes_of(read));
  out.end = json["end"].get<std::string>();
  out.options.stream = json.value("stream", true);
  out.options.max_tokens = json.value("max_tokens", 0u);
  out.options.save_text = true;
  const std::string endpoint = json.value("endpoint", "chat");
  for (const auto& row : kEndpoints) {
    if (row.name == endpoint) out.options.endpoint = row.endpoint;
  }
  if (json.contains("status")) out.status = json["status"].get<int>();
  out.headers = json.value("headers", std::map<std::string, std::string>());
  out.expected = expected_of(json["expect"]);
  return out;
}

Outcome transport_of(const std::string& end) {
  if (end == "reset") return Outcome::truncated;
  return end == "idle" ? Outcome::idle_timeout : Outcome::ok;
}

}  // namespace

std::string StreamCase::body() const {
  std::string out;
  for (const auto& read : reads) out += read;
  return out;
}

std::vector<StreamCase> load_cases() {
  std::vector<StreamCase> out;
  for (const auto& entry : std::filesystem::directory_iterator(INFERMETER_TEST_DATA "/sse")) {
    out.push_back(load_case(entry.path()));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

RequestRecord read_case(const StreamCase& stream_case, const std::vector<std::string>& reads) {
  static const ChunkParserPtr parser = make_chunk_parser();
  RequestRecord record;
  const Instant origin{};
  StreamReader reader(*parser, stream_case.options, origin, record);
  reader.on_status(stream_case.status.value_or(200), origin);
  for (const auto& [name, value] : stream_case.headers) reader.on_header(name, value);
  ReadStamp stamp;
  stamp.kernel = true;
  for (const auto& read : reads) {
    ++stamp.read_id;
    stamp.arrival = stamp.last_arrival = origin + std::chrono::microseconds(stamp.read_id);
    reader.on_body(read, stamp);
  }
  reader.on_end(transport_of(stream_case.end), "the transport says so", stamp.arrival);
  return record;
}

}  // namespace infermeter::test
