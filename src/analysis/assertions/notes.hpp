// What to know beside the judgements of a run's assertions, each said once. Pure; one thread at a time.
#pragma once

#include <string>
#include <vector>

#include "analysis/assertions/places.hpp"

namespace infermeter {

class AssertionNotes {
 public:
  explicit AssertionNotes(bool by_point);
  /// An assertion that is judged at this place.
  void look_at(const Threshold& assertion, const AssertionPlace& place);
  const std::vector<std::string>& all() const { return notes_; }

 private:
  void add(std::string note);

  std::vector<std::string> notes_;
};

}  // namespace infermeter
