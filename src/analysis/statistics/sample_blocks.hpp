// Consecutive blocks of samples in order of intended start. How much they differ shows how far neighbouring
// samples depend on each other. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace infermeter {

/// The edges of `blocks` blocks of n ≥ 1 samples, as equal as possible: block b is edges[b] … edges[b + 1].
/// No block spans a cut, the position at which another run begins: a few runs have at least one block each;
/// of more runs than blocks each block takes whole ones. At most n blocks.
std::vector<std::size_t> block_edges(std::size_t n, std::size_t blocks,
                                     std::span<const std::size_t> cuts = {});

/// How often samples with a property occur in each block, as they are added one by one. One addition takes
/// constant time, whatever the number of blocks.
class BlockCounts {
 public:
  explicit BlockCounts(std::span<const std::size_t> edges);
  void add(std::size_t block);
  /// The design effect φ: by how much the counts vary more than those of independent samples would, at least
  /// 1. max(1, B/(B−1) · Σ(c − p·m)² / (n·p·(1−p))), c of the m samples of a block, p of all; 1 where none or
  /// all have the property.
  double inflation() const;

 private:
  struct Block {
    double size = 0, count = 0;
  };
  std::vector<Block> blocks_;
  double samples_ = 0, sizes_squared_ = 0;                        // n, Σm²
  double counted_ = 0, counts_squared_ = 0, counts_by_size_ = 0;  // Σc, Σc², Σc·m
};

}  // namespace infermeter
