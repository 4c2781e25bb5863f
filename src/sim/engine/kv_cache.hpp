// The KV cache: a fixed number of blocks. Prompts with a common prefix share blocks by reference count; freed
// blocks are kept in least-recently-used order so that a later prompt can reuse them. One owner, one thread.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace infermeter::sim {

using BlockId = std::uint32_t;

class KvCache {
 public:
  explicit KvCache(std::uint32_t blocks);

  std::uint32_t size() const { return static_cast<std::uint32_t>(blocks_.size() - 1); }
  /// Unused blocks, including those that still hold a cached prefix.
  std::uint32_t free() const { return free_; }

  /// How many blocks from the start of a chain of hashes are cached.
  std::uint32_t cached_prefix(std::span<const std::uint64_t> hashes) const;

  /// Takes the cached blocks of `hashes` (all of them must be cached) and fresh ones up to `upto` blocks. If
  /// fewer than `keep_free` blocks would stay free, takes nothing and returns false. `held` must be empty.
  bool take(std::span<const std::uint64_t> hashes, std::uint32_t upto, std::uint32_t keep_free,
            std::vector<BlockId>& held);
  /// Takes fresh blocks until `held` has `upto`. If fewer than `keep_free` would stay free, takes nothing and
  /// returns false.
  bool grow(std::vector<BlockId>& held, std::uint32_t upto, std::uint32_t keep_free);
  /// Releases all of `held` and empties it. The end of a sequence is evicted before its beginning.
  void release(std::vector<BlockId>& held);

  /// Registers a held block under the prefix hash `hash`; if another block is registered already, that one
  /// stays.
  void publish(BlockId block, std::uint64_t hash);

 private:
  struct Block {
    BlockId previous = 0, next = 0;  // in the list of free blocks
    std::uint32_t users = 0;
    bool cached = false;
    std::uint64_t hash = 0;
  };
  void link_before(BlockId position, BlockId block);
  void unlink(BlockId block);
  BlockId pop_oldest();

  std::vector<Block> blocks_;  // the last one is the head of the circular free list
  BlockId head_;
  std::uint32_t free_;
  std::unordered_map<std::uint64_t, BlockId> by_hash_;
};

}  // namespace infermeter::sim
