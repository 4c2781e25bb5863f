#include "infermeter/report/verdict_json.hpp"

#include "report/json/json_reader.hpp"
#include "report/json/json_writer.hpp"

namespace infermeter {

std::string verdict_to_json(const Verdict& verdict) {
  Json root = Json::object();
  root["schema_version"] = kSchemaVersion;
  JsonWriter writer(root);
  result_fields::walk(writer, verdict);
  return json_text(root);
}

Verdict verdict_from_json(std::string_view text) {
  const Json root = parse_json(text);
  const JsonReader reader(root, "");
  check_schema_version(root);
  if (!root.contains("decision")) refuse_json("decision", "there");
  Verdict verdict;
  result_fields::walk(reader, verdict);
  return verdict;
}

}  // namespace infermeter
