// The class of the i-th request of the common load, by the classes' shares: exact in every round of about a
// hundred requests (as many as the shares need), shuffled by the seed. Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

namespace infermeter {

class Mix {
 public:
  /// One share per class, in any unit; ≤ 0: takes no part. At least one is above 0.
  Mix(const std::vector<double>& shares, std::uint64_t seed);

  struct Place {
    std::uint32_t traffic_class = 0;
    std::uint64_t index = 0;  // number of earlier requests of that class
  };
  Place at(std::uint64_t index) const;

 private:
  struct Turn {
    std::uint32_t traffic_class = 0;
    std::uint32_t before = 0;  // earlier turns of its class, within the round
  };
  std::vector<Turn> round_;
  std::vector<std::uint64_t> per_round_;  // by class
};

}  // namespace infermeter
