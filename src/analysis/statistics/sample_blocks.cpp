#include "analysis/statistics/sample_blocks.hpp"

#include <algorithm>

namespace infermeter {

namespace {

std::vector<std::size_t> parts_between(std::size_t n, std::span<const std::size_t> cuts) {
  std::vector<std::size_t> edges{0};
  for (const auto cut : cuts) {
    if (cut > edges.back() && cut < n) edges.push_back(cut);
  }
  edges.push_back(n);
  return edges;
}

/// Whole parts together, each edge at the cut nearest to an equal share.
std::vector<std::size_t> joined(const std::vector<std::size_t>& parts, std::size_t blocks) {
  const std::size_t n = parts.back();
  std::vector<std::size_t> edges{0};
  for (std::size_t b = 1; b < blocks; ++b) {
    const auto equal = b * n / blocks;
    const auto after = std::ranges::lower_bound(parts, equal);
    const auto nearest = equal - *std::prev(after) < *after - equal ? *std::prev(after) : *after;
    if (nearest > edges.back() && nearest < n) edges.push_back(nearest);
  }
  edges.push_back(n);
  return edges;
}

/// Each block more goes to the part whose blocks are the largest.
std::vector<std::size_t> divided(const std::vector<std::size_t>& parts, std::size_t blocks) {
  std::vector<std::size_t> own(parts.size() - 1, 1);
  const auto size = [&](std::size_t i) { return parts[i + 1] - parts[i]; };
  for (std::size_t b = own.size(); b < blocks; ++b) {
    std::size_t largest = 0;
    for (std::size_t i = 1; i < own.size(); ++i) {
      if (size(i) * own[largest] > size(largest) * own[i]) largest = i;
    }
    ++own[largest];
  }
  std::vector<std::size_t> edges{0};
  for (std::size_t i = 0; i < own.size(); ++i) {
    for (std::size_t b = 1; b <= own[i]; ++b) edges.push_back(parts[i] + b * size(i) / own[i]);
  }
  return edges;
}

}  // namespace

std::vector<std::size_t> block_edges(std::size_t n, std::size_t blocks, std::span<const std::size_t> cuts) {
  const auto parts = parts_between(n, cuts);
  return parts.size() - 1 > blocks ? joined(parts, blocks) : divided(parts, blocks);
}

BlockCounts::BlockCounts(std::span<const std::size_t> edges) : blocks_(edges.size() - 1) {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    blocks_[b].size = static_cast<double>(edges[b + 1] - edges[b]);
    samples_ += blocks_[b].size;
    sizes_squared_ += blocks_[b].size * blocks_[b].size;
  }
}

void BlockCounts::add(std::size_t block) {
  auto& [size, count] = blocks_[block];
  counted_ += 1;
  counts_squared_ += 2 * count + 1;
  counts_by_size_ += size;
  count += 1;
}

double BlockCounts::inflation() const {
  const double n = samples_, b = static_cast<double>(blocks_.size());
  if (counted_ == 0 || counted_ == n || b < 2) return 1;
  const double p = counted_ / n;
  const double squares = counts_squared_ - 2 * p * counts_by_size_ + p * p * sizes_squared_;
  return std::max(1.0, b / (b - 1) * squares / (n * p * (1 - p)));
}

}  // namespace infermeter
