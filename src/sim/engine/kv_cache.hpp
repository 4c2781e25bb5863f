// The KV cache: a fixed number of blocks, shared by reference count where prompts begin alike, and kept after
// use in least-recently-used order so that a later prompt may find them again. One owner, one thread.
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
  /// Blocks nobody uses; those that still hold a cached prefix are among them.
  std::uint32_t free() const { return free_; }

  /// How many blocks from the start of a chain of hashes are cached.
  std::uint32_t cached_prefix(std::span<const std::uint64_t> hashes) const;

  /// Takes the cached blocks of `hashes` (all of them must be cached) and fresh ones up to `upto` blocks, if
  /// `keep_free` stay free; else false, and nothing is taken. `held` is empty before.
  bool take(std::span<const std::uint64_t> hashes, std::uint32_t upto, std::uint32_t keep_free,
            std::vector<BlockId>& held);
  /// Fresh blocks until `held` has `upto`, if `keep_free` stay free; else false, and nothing is taken.
  bool grow(std::vector<BlockId>& held, std::uint32_t upto, std::uint32_t keep_free);
  /// Gives all of `held` back and empties it. The end of a sequence is forgotten before its beginning.
  void release(std::vector<BlockId>& held);

  /// A held block now holds the prefix that `hash` names; where another block does already, that one stays.
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
