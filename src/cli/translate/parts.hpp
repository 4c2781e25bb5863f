// The options of a line, by what they become. Private to this room.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/translate/translation.hpp"

namespace infermeter {

class Parts {
 public:
  /// `whole`: the line is the other tool's from its first word; otherwise our options may be among them.
  Parts(Rival rival, bool whole) : rival_(rival), whole_(whole) {}
  void read(const std::vector<std::string>& words);

  Rival rival() const { return rival_; }
  bool whole() const { return whole_; }
  bool is_guidellm() const { return rival_ == Rival::guidellm; }
  bool is_aiperf() const { return rival_ == Rival::aiperf || rival_ == Rival::genai_perf; }
  bool is_sglang() const { return rival_ == Rival::sglang; }
  bool is_vllm() const { return rival_ == Rival::vllm; }

  bool has(Becomes part) const { return values_.contains(part); }
  std::vector<std::string> all(Becomes part) const;
  std::string text(Becomes part, std::string_view otherwise = {}) const;
  /// Nothing for a text that is no finite number.
  std::optional<double> number(Becomes part) const;
  /// As if it had been typed.
  void set(Becomes part, const std::string& value) { values_[part] = {value}; }
  /// "--request-rate", as it was typed.
  std::string origin(Becomes part) const;

  void put(const std::string& option) { out.words.push_back(option); }
  void put(const std::string& option, const std::string& value) {
    out.words.push_back(option);
    out.words.push_back(value);
  }
  void note(std::string_view option, std::string_view why);

  std::vector<std::string> urls;
  /// Options that are complete by themselves, in the order typed; `--duration` among them?
  std::vector<std::string> complete;
  bool gives(std::string_view option) const;
  /// The value of such an option without its unit; empty if it is not given.
  std::string value_of(std::string_view option, std::string_view unit) const;
  /// Whether `put` has written this option.
  bool has_put(std::string_view option) const;
  /// As if it had never been typed.
  void forget(Becomes part) { values_.erase(part); }
  /// Fields of the body, as JSON.
  std::vector<std::pair<std::string, std::string>> fields;
  Translation out;

 private:
  std::size_t read_option(const std::vector<std::string>& words, std::size_t at);
  const RivalOption* row_of(const std::string& name, std::string_view value) const;
  void take(const RivalOption& row, const std::string& shown, const std::vector<std::string>& values);
  void complete_with(const RivalOption& row, const std::string& shown, const std::vector<std::string>& values,
                     std::string_view unit);
  bool take_ours(const std::string& name, const std::string& shown, const std::vector<std::string>& values);

  Rival rival_;
  bool whole_;
  std::map<Becomes, std::vector<std::string>> values_;
  std::map<Becomes, std::string> origins_;
};

/// 2.5, 4 … in the shortest form.
std::string number_text(double value);
std::optional<double> to_number(std::string_view text);

/// `key=value,key=value`, or a JSON object, whose inner objects are not kept apart; a list is its values with
/// commas: "1,2". Empty for any other text.
std::map<std::string, std::string> flat_fields(std::string_view text);

void put_target(Parts& parts);
void put_load(Parts& parts);
void put_workload(Parts& parts);
void put_answers(Parts& parts);

}  // namespace infermeter
