#include "io/files/records_file.hpp"

#include <sys/resource.h>

#include <csignal>
#include <limits>
#include <thread>

#include "base/random.hpp"
#include "catch.hpp"
#include "infermeter/base/errors.hpp"
#include "io/files/result_folder.hpp"
#include "temporary_folder.hpp"

using namespace infermeter;

namespace {

std::string json_of(const RequestRecord& record) {
  std::string out;
  append_record_json(record, out);
  return out;
}

/// Fills records with every kind of value that a record may contain.
class AnyRecord {
 public:
  explicit AnyRecord(std::uint64_t seed) : random_(seed) {}

  RequestRecord make() {
    RequestRecord r;
    r.id = random_.next();
    r.point = small();
    r.target = small();
    r.worker = small();
    r.phase = static_cast<Phase>(random_.below(3));
    fill_origin(r);
    for (Micros* at : {&r.intended_us, &r.started_us, &r.dns_us, &r.connected_us, &r.tls_us, &r.sent_us,
                       &r.uploaded_us, &r.headers_us, &r.first_byte_us, &r.first_event_us, &r.first_token_us,
                       &r.first_output_us, &r.last_token_us, &r.end_us})
      *at = maybe();
    r.outcome = static_cast<Outcome>(random_.below(22));
    r.status = coin() ? static_cast<int>(random_.below(600)) : 0;
    for (unsigned bit = 0; bit < 20; ++bit) {
      if (coin()) r.flags.set(static_cast<Flag>(1u << bit));
    }
    r.error = text();
    r.retry_after_ms = maybe();
    r.limited_tries = small();
    r.longest_retry_after_ms = maybe();
    fill_reading(r);
    fill_tokens(r);
    r.server_model = text();
    r.system_fingerprint = text();
    r.server_request_id = text();
    r.gaps_us = numbers<std::uint32_t>();
    r.gap_tokens = numbers<std::uint32_t>();
    r.event_choice = numbers<std::uint8_t>();
    if (coin()) r.early_us = {{0, 12}, {7, 4'000'000'000}};
    if (coin()) r.end_early_us = small();
    r.text = text();
    return r;
  }

 private:
  void fill_origin(RequestRecord& r) {
    r.traffic_class = small();
    r.tries = small();
    if (coin()) r.conversation = random_.next();
    r.turn = small();
    r.prefix_group = small();
    r.repeat = small();
    r.asked_input_tokens = small();
    r.asked_output_tokens = small();
    r.replica = small();
    r.label = text();
  }
  void fill_reading(RequestRecord& r) {
    r.events = small();
    r.packed = small();
    r.late = small();
    r.bytes = random_.next();
    r.reads = small();
    if (r.reads == 0) return;
    r.unstamped_reads = small();
    r.lag_max_us = maybe().value_or(0);
    r.loop_delay_max_us = maybe().value_or(0);
    for (std::size_t i = 0; i < random_.below(5); ++i) r.lags.add_bucket(random_.below(96), small() + 1);
  }
  void fill_tokens(RequestRecord& r) {
    for (Micros* count : {&r.prompt_tokens, &r.output_tokens, &r.reasoning_tokens, &r.cached_tokens,
                          &r.cache_write_tokens, &r.unstreamed_tokens})
      *count = maybe();
    r.reasoning = static_cast<Reasoning>(random_.below(3));
    r.token_source = static_cast<TokenSource>(random_.below(4));
    r.finish_reason = text();
    r.output_chars = random_.next();
    if (coin()) r.usage = R"({"prompt_tokens": 7, "details": {"cached": [1, 2.50, "}"]}})";
    if (coin()) r.server = R"({"queue_time_ms":3.1})";
    r.items = maybe();
    ServerTimes& times = r.server_times.write();
    for (auto* number : {&r.cost, &times.queue_ms, &times.prefill_ms, &times.decode_ms, &times.ttft_ms}) {
      if (coin()) *number = random_.uniform() * static_cast<double>(small());
    }
    times.from = text();
    EventEvidence& seen = r.evidence.write();
    for (auto* count : {&seen.bare_before, &seen.bare_between, &seen.bare_after, &seen.text_bytes,
                        &seen.first_bytes, &seen.spaced, &seen.several, &seen.first_tokens}) {
      if (coin()) *count = small();
    }
    if (coin())
      r.rate_limits.write() = {{"x-ratelimit-remaining-requests", text()}, {"x-ratelimit-reset", "1s"}};
  }

  bool coin() { return random_.below(2) == 1; }
  std::uint32_t small() { return static_cast<std::uint32_t>(random_.below(1000)); }
  Micros maybe() {
    if (coin()) return std::nullopt;
    return static_cast<std::int64_t>(random_.next() >> (15 + random_.below(49))) - 5;  // below 10¹⁵
  }
  std::string text() {
    const std::string_view parts[] = {"plain", "\"",   "\\",   "\n",     "\t\r",
                                      "\x01",  "\x1f", "\x7f", "ä",      "日本",
                                      "😀",    "/",    " ",    "{}[],:", std::string_view("\0", 1)};
    std::string out;
    for (std::size_t i = random_.below(8); i > 0; --i) out += parts[random_.below(std::size(parts))];
    return out;
  }
  template <typename T>
  std::vector<T> numbers() {
    std::vector<T> out(coin() ? random_.below(40) : 0);
    for (T& value : out) value = static_cast<T>(random_.next() >> random_.below(64));
    return out;
  }

  Random random_;
};

}  // namespace

TEST_CASE("records: an empty record names itself, its class and its counts only") {
  CHECK(json_of({}) ==
        R"({"id":0,"point":0,"target":0,"worker":0,"phase":"measured","class":"ok","events":0,"packed":0,)"
        R"("late":0,"reads":0,"bytes":0,"reasoning":"none","token_source":"events","output_chars":0})");
}

TEST_CASE("records: a record is the keys and values of the documentation") {
  RequestRecord r;
  r.id = 7;
  r.intended_us = 0;
  r.sent_us = 12;
  r.first_token_us = 50'012;
  r.end_us = 70'034;
  r.status = 200;
  r.flags.set(Flag::packed);
  r.flags.set(Flag::no_done);
  r.events = 3;
  r.reads = 2;
  r.lag_max_us = 41;
  r.loop_delay_max_us = 9;
  r.lags.add_bucket(3, 1);
  r.lags.add_bucket(22, 1);
  r.output_tokens = 3;
  r.token_source = TokenSource::usage;
  r.finish_reason = "stop";
  r.bytes = 512;
  r.output_chars = 11;
  r.usage = "{\"completion_tokens\":\n  3}";
  r.gaps_us = {10'000, 10'022};
  r.text = "a \"b\"\n\x02";
  CHECK(json_of(r) ==
        R"({"id":7,"point":0,"target":0,"worker":0,"phase":"measured","intended_us":0,"sent_us":12,)"
        R"("first_token_us":50012,"end_us":70034,"class":"ok","status":200,"flags":["no_done","packed"],)"
        R"("finish_reason":"stop","events":3,"packed":0,"late":0,"reads":2,"bytes":512,"unstamped_reads":0,)"
        R"("lag_max_us":41,"turn_max_us":9,"lags":[[3,1],[22,1]],"output_tokens":3,"reasoning":"none",)"
        R"("token_source":"usage","output_chars":11,"usage":{"completion_tokens":   3},)"
        R"("gaps_us":[10000,10022],"text":"a \"b\"\n\u0002"})");
}

TEST_CASE("records: what makes a request more than a plain one stands behind its phase") {
  RequestRecord r;
  r.phase = Phase::ramp;
  r.traffic_class = 1;
  r.tries = 2;
  r.conversation = 0;
  r.turn = 3;
  r.prefix_group = 4;
  r.repeat = 5;
  r.asked_input_tokens = 600;
  r.asked_output_tokens = 70;
  r.replica = 1;
  r.label = "doc-9";
  CHECK(json_of(r).find(R"("phase":"ramp","traffic_class":1,"tries":2,"conversation":0,"turn":3,)"
                        R"("prefix_group":4,"repeat":5,"asked_input_tokens":600,"asked_output_tokens":70,)"
                        R"("replica":1,"label":"doc-9","class":"ok")") != std::string::npos);
}

TEST_CASE("records: what was refused before the last try stands behind what the last one said") {
  RequestRecord r;
  r.tries = 3;
  r.retry_after_ms = 10;
  r.limited_tries = 2;
  r.longest_retry_after_ms = 1500;
  CHECK(json_of(r).find(R"("retry_after_ms":10,"limited_tries":2,"longest_retry_after_ms":1500,)") !=
        std::string::npos);
}

TEST_CASE("records: money and the server's own times are written with the digits that they have") {
  RequestRecord r;
  r.items = 16;
  r.cost = 0.00125;
  r.server_times.write().queue_ms = 3.1;
  r.server_times.write().prefill_ms = 40;
  r.server_times.write().decode_ms = 1e-7;
  r.server_times.write().ttft_ms = 1.0 / 3;
  r.server_times.write().from = "vllm metrics";
  r.rate_limits.write() = {{"x-ratelimit-limit-requests", "60"}};
  const auto json = json_of(r);
  CHECK(json.find(R"("items":16,"cost":0.00125,"server_queue_ms":3.1,"server_prefill_ms":40,)"
                  R"("server_decode_ms":1e-07,"server_ttft_ms":0.3333333333333333,)"
                  R"("server_times_from":"vllm metrics",)"
                  R"("rate_limits":{"x-ratelimit-limit-requests":"60"})") != std::string::npos);
  r.cost = std::numeric_limits<double>::infinity();
  CHECK(json_of(r).find("cost") == std::string::npos);
}

TEST_CASE("records: bytes that are no UTF-8 are replaced, so that the line stays readable") {
  RequestRecord r;
  r.error = "\xff ok \xe2\x82 \xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82\xac";
  const TemporaryFolder folder;
  const auto records = read_records(folder.write("r.jsonl", json_of(r) + "\n"));
  REQUIRE(records.size() == 1);
  const std::string bad = "\xef\xbf\xbd";
  CHECK(records[0].error == bad + " ok " + bad + bad + " " + bad + bad + " " + bad + bad + bad + " " + bad +
                                bad + bad + bad + " \xe2\x82\xac");
}

TEST_CASE("records: `cat requests.jsonl` ran the C1 escapes and reorderings of a server") {
  const std::string bad = "\u009b2J\u0085\u202e\u2066\u200f\x7f";
  const std::string escaped = R"(\u009b2J\u0085\u202e\u2066\u200f\u007f)";
  RequestRecord r;
  r.error = r.label = r.text = r.finish_reason = bad;
  r.rate_limits.write() = {{bad, bad}};
  r.usage = "{\"" + bad + "\":\r\n\"" + bad + "\"}";
  const std::string line = json_of(r);
  CHECK(line.find("\xc2") == std::string::npos);
  CHECK(line.find("\xe2") == std::string::npos);
  CHECK(std::ranges::none_of(line, [](unsigned char c) { return c < 0x20 || c == 0x7f; }));
  CHECK(line.find("\"usage\":{\"" + escaped + "\":  \"" + escaped + "\"}") != std::string::npos);
  const TemporaryFolder folder;
  const auto records = read_records(folder.write("r.jsonl", line + "\n"));
  REQUIRE(records.size() == 1);
  CHECK(records[0].error == bad);
  CHECK(json_of(records[0]) == line);
}

TEST_CASE("records: whatever a record holds comes back from the file") {
  const TemporaryFolder folder;
  AnyRecord any(42);
  std::vector<std::string> written;
  {
    RecordsFile file(folder.file("requests.jsonl"));
    for (int i = 0; i < 500; ++i) {
      const RequestRecord record = any.make();
      file.append(record);
      written.push_back(json_of(record));
    }
    CHECK(file.failed_writes() == 0);
  }
  const auto records = read_records(folder.file("requests.jsonl"));
  REQUIRE(records.size() == written.size());
  for (std::size_t i = 0; i < written.size(); ++i) REQUIRE(json_of(records[i]) == written[i]);
}

TEST_CASE("records: threads share a file without mixing their lines") {
  const TemporaryFolder folder;
  RecordsFile file(folder.file("requests.jsonl"));
  std::vector<std::thread> threads;
  for (std::uint32_t worker = 0; worker < 4; ++worker) {
    threads.emplace_back([&file, worker] {
      RequestRecord record;
      record.worker = worker;
      record.gaps_us.assign(500, worker);
      for (record.id = 0; record.id < 200; ++record.id) file.append(record);
    });
  }
  for (auto& thread : threads) thread.join();
  std::vector<std::uint64_t> next(4);
  for (const auto& record : read_records(folder.file("requests.jsonl")))
    REQUIRE(record.id == next.at(record.worker)++);
  CHECK(next == std::vector<std::uint64_t>(4, 200));
}

TEST_CASE("records: a last line cut short at any byte is skipped") {
  const TemporaryFolder folder;
  RequestRecord record;
  record.gaps_us = {1, 22, 333};
  record.text = "ä\"";
  const std::string line = json_of(record);
  for (std::size_t kept = 0; kept < line.size(); ++kept) {
    const auto path = folder.write("r.jsonl", line + "\n" + line.substr(0, kept));
    REQUIRE(read_records(path).size() == 1);
  }
  CHECK(read_records(folder.write("r.jsonl", line + "\n" + line)).size() == 2);
}

TEST_CASE("records: counts and instants that would overflow a sum are refused") {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& member) {
    return read_records(folder.write("r.jsonl", "{\"id\":1,\"class\":\"ok\"," + member + "}\n"));
  };
  CHECK(read("\"end_us\":1000000000000000")[0].end_us == 1'000'000'000'000'000);
  for (const char* member :
       {"\"end_us\":1000000000000001", "\"end_us\":-9223372036854775808",
        "\"output_tokens\":9223372036854775807", "\"retry_after_ms\":9223372036854775807",
        "\"server_queue_ms\":1e308", "\"cost\":-1e300"}) {
    CAPTURE(member);
    CHECK_THROWS_AS(read(member), EnvironmentError);
  }
}

TEST_CASE("records: any other bad line is named") {
  const TemporaryFolder folder;
  const std::string good = json_of({}) + "\n";
  const auto why = [&](const std::string& content) {
    const auto path = folder.write("r.jsonl", content);
    const auto text = complaint<EnvironmentError>([&] { read_records(path); });
    return text.starts_with(path) ? text.substr(path.size()) : text;
  };
  CHECK(why(good + "{\"id\":1\n" + good).starts_with(":2: not a record: "));
  CHECK(why("\n" + good).starts_with(":1: not a record: "));
  CHECK(why(good + good + "{}\n") == ":3: not a record: no id or no class");
  CHECK(why("{\"id\":1,\"class\":\"fine\"}\n") == ":1: not a record: unknown class 'fine'");
  CHECK(why("{\"id\":1,\"class\":\"ok\",\"gaps_us\":[4294967296]}\n") ==
        ":1: not a record: a number is out of range");
  CHECK(why("{\"id\":1,\"class\":\"ok\"} {}\n") == ":1: not a record: something follows the record");
  CHECK(why("{\"id\":\"one\",\"class\":\"ok\"}\n").starts_with(":1: not a record: "));
  const std::string deep = std::string(80'000, '[') + std::string(80'000, ']');
  CHECK(why("{\"id\":1,\"class\":\"ok\",\"usage\":{\"x\":" + deep + "}}\n") ==
        ":1: not a record: nested 80,002 levels deep; 256 at most are read");
}

TEST_CASE("records: keys of a later version and nulls are passed over") {
  const TemporaryFolder folder;
  const auto path = folder.write(
      "r.jsonl", R"({"new":{"a":[1]},"id":1,"class":"ok","flags":["packed","newer"],"sent_us":null})"
                 "\n");
  const auto records = read_records(path);
  REQUIRE(records.size() == 1);
  CHECK(records[0].flags.has(Flag::packed));
  CHECK_FALSE(records[0].sent_us.has_value());
}

TEST_CASE("records: lines longer than the reader's buffer are read whole") {
  const TemporaryFolder folder;
  RequestRecord record;
  record.text.assign(3'000'000, 'x');
  const std::string line = json_of(record) + "\n";
  const auto records = read_records(folder.write("r.jsonl", line + json_of({}) + "\n" + line));
  REQUIRE(records.size() == 3);
  CHECK(records[2].text == record.text);
}

TEST_CASE("records: a file that cannot be there is one clear line") {
  CHECK(complaint<EnvironmentError>([] { RecordsFile("/dev/null/requests.jsonl"); }) ==
        "cannot write /dev/null/requests.jsonl: Not a directory");
  CHECK(complaint<EnvironmentError>([] { read_records("/nowhere/requests.jsonl"); }) ==
        "cannot read /nowhere/requests.jsonl: No such file or directory");
  CHECK(complaint<EnvironmentError>([] { read_records("/"); }) == "cannot read /: Is a directory");
}

TEST_CASE("records: writes that fail are counted and the run goes on") {
  RecordsFile file("/dev/full");
  file.append({});
  file.append({});
  CHECK(file.failed_writes() == 2);
  CHECK(file.first_error() == ENOSPC);
}

TEST_CASE("records: what a limit cuts short is taken back, so that the lines before it stay whole") {
  const TemporaryFolder folder;
  const std::string path = folder.file("requests.jsonl");
  const std::size_t line = json_of({}).size() + 1;
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  // Space for two lines and a half: the third write is partial.
  const rlimit limit{2 * line + line / 2, before.rlim_max};
  RecordsFile file(path);
  ::setrlimit(RLIMIT_FSIZE, &limit);
  for (int i = 0; i < 3; ++i) file.append({});
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(file.failed_writes() == 1);
  CHECK(read_file(path).size() == 2 * line);
  file.append({});
  CHECK(read_records(path).size() == 3);
}
