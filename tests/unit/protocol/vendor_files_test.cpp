// The form of configs/vendors/*.toml: keys that a target knows, facts that a person can use. Their claims
// about a vendor cannot be tested here; each file says which of them were read, when and where.
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "model/target_url.hpp"

using namespace infermeter;

namespace {

using Names = std::vector<std::string>;

const Names kTargetKeys{"name",    "url",        "model",       "api_key_env", "endpoint",
                        "headers", "extra_body", "auth_header", "api_version", "facts"};
const Names kFacts{"verified", "checked",         "kind",        "max_tokens_field", "usage", "server_times",
                   "refused",  "perhaps_refused", "thinking_on", "thinking_off",     "notes", "url_example"};
const Names kFields{"n",    "stream_options",   "ignore_eos",   "min_tokens", "max_completion_tokens",
                    "seed", "return_token_ids", "top_logprobs", "logprobs",   "logit_bias"};

bool is_in(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::filesystem::path> vendor_files() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator(INFERMETER_SOURCE_DIR "/configs/vendors")) {
    out.push_back(entry.path());
  }
  return out;
}

std::string read(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

void check_keys(const toml::table& table, const Names& known) {
  for (const auto& [key, value] : table) {
    INFO(std::string(key));
    CHECK(is_in(known, std::string(key)));
  }
}

void check_strings(const toml::node_view<const toml::node>& list, const Names* known = nullptr) {
  if (!list) return;
  REQUIRE(list.is_array());
  CHECK_FALSE(list.as_array()->empty());
  for (const auto& item : *list.as_array()) {
    REQUIRE(item.is_string());
    const std::string text = item.value_or("");
    CHECK_FALSE(text.empty());
    if (known != nullptr) CHECK(is_in(*known, text));
  }
}

std::optional<Endpoint> endpoint_named(const std::string& text) {
  for (const auto& row : kEndpoints) {
    if (row.name == text) return row.endpoint;
  }
  return std::nullopt;
}

bool is_variable(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
}

// "2026-11-30"
bool is_date(std::string_view text) {
  if (text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == 4 || i == 7 ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
  }
  return true;
}

bool is_json_object(const std::string& text) {
  return nlohmann::json::parse(text, nullptr, false).is_object();
}

void check_target(const toml::table& file) {
  const auto endpoint = endpoint_named(file["endpoint"].value_or(""));
  REQUIRE(endpoint.has_value());
  if (const auto url = file["url"].value<std::string>()) {
    const TargetUrl resolved = resolve_target_url(*url, endpoint, {});
    CHECK((resolved.scheme == "https" || resolved.host == "localhost"));
  }
  CHECK(is_variable(file["api_key_env"].value_or("")));
  CHECK(is_json_object(file["extra_body"].value_or("{}")));
}

// "WHAT: WHERE", with the address of the place.
void check_sources(const toml::table& facts) {
  if (!facts["verified"].is_string()) {
    CHECK(facts["verified"].value<bool>() == false);
    CHECK_FALSE(facts.contains("checked"));
    return;
  }
  CHECK(is_date(facts["verified"].value_or("")));
  REQUIRE(facts.contains("checked"));
  check_strings(facts["checked"]);
  for (const auto& item : *facts["checked"].as_array()) {
    const std::string text = item.value_or("");
    INFO(text);
    const std::size_t colon = text.find(": ");
    CHECK((colon != std::string::npos && colon > 0));
    CHECK(text.find("https://") != std::string::npos);
  }
}

void check_facts(const toml::table& file) {
  REQUIRE(file["facts"].is_table());
  const toml::table& facts = *file["facts"].as_table();
  check_keys(facts, kFacts);
  check_sources(facts);
  const std::string kind = facts["kind"].value_or("");
  CHECK((kind == "hosted" || kind == "server"));
  if (kind == "hosted") CHECK(file["api_key_env"].is_string());
  CHECK(is_in({"max_tokens", "max_completion_tokens", "max_output_tokens"},
              facts["max_tokens_field"].value_or("")));
  check_strings(facts["refused"], &kFields);
  check_strings(facts["perhaps_refused"], &kFields);
  check_strings(facts["notes"]);
  CHECK(facts.contains("thinking_on") == facts.contains("thinking_off"));
  for (const auto* name : {"thinking_on", "thinking_off"}) CHECK(is_json_object(facts[name].value_or("{}")));
}

// `a`, `b`
std::string quoted_names(const toml::node_view<const toml::node>& list) {
  std::string out;
  if (!list) return out;
  for (const auto& item : *list.as_array())
    out += (out.empty() ? "`" : ", `") + std::string(item.value_or("")) + '`';
  return out;
}

// The row of a file in the table of docs/vendors.md.
std::string row_of(const toml::table& file) {
  const toml::node_view<const toml::node> facts(file["facts"]);
  const std::string key = file["api_key_env"].value_or("");
  std::string refused = quoted_names(facts["refused"]);
  const std::string perhaps = quoted_names(facts["perhaps_refused"]);
  if (!perhaps.empty()) refused += (refused.empty() ? "perhaps " : "; perhaps ") + perhaps;
  const auto cell = [](const std::string& text) { return (text.empty() ? "–" : text) + " | "; };
  std::string row = "| `" + std::string(file["name"].value_or("")) + "` | ";
  row += cell(file["endpoint"].value_or(""));
  row += cell(key.empty() ? key : '`' + key + '`');
  row += cell('`' + std::string(facts["max_tokens_field"].value_or("")) + '`');
  row += cell(facts["usage"].value_or("not known"));
  row += cell(refused);
  row += cell(facts["server_times"].value_or(""));
  row.back() = '\n';
  return row;
}

}  // namespace

TEST_CASE("vendors: every file has the keys of a target, and says which facts were read, when and where") {
  const auto files = vendor_files();
  CHECK(files.size() > 20);
  for (const auto& path : files) {
    INFO(path.string());
    CHECK(path.extension() == ".toml");
    const toml::table file = toml::parse_file(path.string());
    check_keys(file, kTargetKeys);
    CHECK(file["name"].value_or("") == path.stem().string());
    check_target(file);
    check_facts(file);
  }
}

TEST_CASE("vendors: no file holds a price or a key") {
  for (const auto& path : vendor_files()) {
    INFO(path.string());
    const std::string text = read(path);
    CHECK(text.find("price") == std::string::npos);
    CHECK(text.find("sk-") == std::string::npos);
    CHECK(text.find("Bearer") == std::string::npos);
  }
}

TEST_CASE("endpoints: the pages and the schema of results know each of them") {
  const std::string vendors = read(INFERMETER_SOURCE_DIR "/docs/vendors.md");
  const std::string options = read(INFERMETER_SOURCE_DIR "/docs/configuration.md");
  const std::string schema = read(INFERMETER_SOURCE_DIR "/docs/result.schema.json");
  for (const auto& row : kEndpoints) {
    const std::string name(row.name), path(row.path);
    INFO(name);
    CHECK(vendors.find("| `" + name + "` | `" + path + "` |") != std::string::npos);
    CHECK(options.find("`" + name + "`") != std::string::npos);
    CHECK(schema.find('"' + name + '"') != std::string::npos);
  }
}

TEST_CASE("vendors: a file has an address, or an example of one") {
  std::size_t without = 0;
  for (const auto& path : vendor_files()) {
    INFO(path.string());
    const toml::table file = toml::parse_file(path.string());
    const auto example = file["facts"]["url_example"].value<std::string>();
    CHECK(file["url"].is_string() != example.has_value());
    if (!example) continue;
    ++without;
    CHECK_FALSE(resolve_target_url(*example).prefix.empty());
    CHECK(read(path).find("infermeter run " + *example + " --vendor " + path.stem().string()) !=
          std::string::npos);
  }
  CHECK(without <= 4);
}

TEST_CASE("vendors: the page has the facts of every file") {
  const std::string page = read(INFERMETER_SOURCE_DIR "/docs/vendors.md");
  for (const auto& path : vendor_files()) {
    INFO(path.string());
    const std::string row = row_of(toml::parse_file(path.string()));
    INFO(row);
    CHECK(page.find(row) != std::string::npos);
  }
}
