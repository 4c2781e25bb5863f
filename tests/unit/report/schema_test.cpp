#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "catch.hpp"
#include "example_results.hpp"
#include "infermeter/report/result_json.hpp"

using namespace infermeter;
using nlohmann::json;

namespace {

json schema_text(const std::string& name) {
  return json::parse(std::ifstream(INFERMETER_SOURCE_DIR "/docs/" + name));
}

/// Empty if valid, else the schema's error.
std::string schema_fault(const json& document, const std::string& name = "result.schema.json") {
  static std::map<std::string, valijson::Schema> schemas;
  const auto [schema, is_new] = schemas.try_emplace(name);
  if (is_new) {
    const json text = schema_text(name);
    valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(text), schema->second);
  }
  valijson::ValidationResults results;
  valijson::Validator validator;
  if (validator.validate(schema->second, valijson::adapters::NlohmannJsonAdapter(document), &results))
    return "";
  std::string text = "refused";
  valijson::ValidationResults::Error error;
  while (results.popError(error)) {
    text += "\n";
    for (const auto& part : error.context) text += part;
    text += ": " + error.description;
  }
  return text;
}

json document(RunResult (*make)()) { return json::parse(result_to_json(make())); }

}  // namespace

TEST_CASE("schema: every kind of result is valid") {
  for (const auto make :
       {good_run,        open_loop_run,     failing_run, untrustworthy_run, hopeless_run,
        events_run,      whole_answers_run, short_run,   sweep_run,         rate_sweep_run,
        shape_sweep_run, context_run,       targets_run, short_targets_run, targets_sweep_run,
        classes_run,     conversations_run, cancel_run,  embeddings_run,    starting_run,
        asserted_run,    pairs_run,         repeated_run})
    CHECK(schema_fault(document(make)) == "");
}

TEST_CASE("schema: every key of a result is described, and every described key is written") {
  json wrong = document(good_run);
  wrong["points"][0]["surprise"] = 1;
  CHECK(schema_fault(wrong) != "");
  wrong = document(good_run);
  wrong["environment"].erase("kernel");
  CHECK(schema_fault(wrong) != "");
}

TEST_CASE("schema: wrong results are refused") {
  const auto refused = [](const char* pointer, const json& value) {
    json wrong = document(good_run);
    wrong[json::json_pointer(pointer)] = value;
    INFO(pointer);
    CHECK(schema_fault(wrong) != "");
  };
  refused("/schema_version", 2);
  refused("/run/complete", "yes");
  refused("/points/0/load/concurrency", 0);
  refused("/points/0/ok", -1);
  refused("/points/0/outcomes/0/class", "fine");
  refused("/points/0/metrics/ttft/mean", "94.1");
  refused("/points/0/metrics/ttft/unit", "furlongs");
  refused("/points/0/metrics/ttft/percentiles/median", json::object());
  refused("/points/0/client/late_share", 1.5);
  refused("/points/0/validity/checks/0/state", "maybe");
  refused("/findings/0/text", nullptr);
  refused("/workload/input_tokens", 512);
  refused("/points/0/slo", {{"attainment", 2}});
  refused("/points/0/cost", 0.6);
  refused("/run/target_order", "by turns");
}

TEST_CASE("schema: every kind of verdict is valid, and a wrong one is refused") {
  for (const auto make : {assert_verdict, gate_verdict, untrusted_verdict, passed_verdict})
    CHECK(schema_fault(json::parse(verdict_to_json(make())), "verdict.schema.json") == "");
  json wrong = json::parse(verdict_to_json(gate_verdict()));
  wrong["judgements"][0]["decision"] = "maybe";
  CHECK(schema_fault(wrong, "verdict.schema.json") != "");
}

TEST_CASE("schema: a verdict is described alike in a file of its own and in a result") {
  const json alone = schema_text("verdict.schema.json"), within = schema_text("result.schema.json");
  for (const auto* part : {"judgement", "gate_unit"})
    CHECK(alone["definitions"][part] == within["definitions"][part]);
  json properties = alone["properties"];
  properties.erase("schema_version");
  CHECK(properties == within["properties"]["verdict"]["properties"]);
}

TEST_CASE("schema: a point with counts must have its metrics too") {
  json wrong = document(good_run);
  wrong["points"][0].erase("metrics");
  CHECK(schema_fault(wrong) != "");
}
