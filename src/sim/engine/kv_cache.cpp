#include "sim/engine/kv_cache.hpp"

namespace infermeter::sim {

KvCache::KvCache(std::uint32_t blocks) : blocks_(std::size_t{blocks} + 1), head_(blocks), free_(blocks) {
  blocks_[head_] = {head_, head_, 0, false, 0};
  for (BlockId i = 0; i < blocks; ++i) link_before(head_, i);
}

std::uint32_t KvCache::cached_prefix(std::span<const std::uint64_t> hashes) const {
  std::uint32_t found = 0;
  while (found < hashes.size() && by_hash_.contains(hashes[found])) ++found;
  return found;
}

bool KvCache::take(std::span<const std::uint64_t> hashes, std::uint32_t upto, std::uint32_t keep_free,
                   std::vector<BlockId>& held) {
  std::uint32_t need = upto - static_cast<std::uint32_t>(hashes.size());
  for (const std::uint64_t hash : hashes) need += blocks_[by_hash_.at(hash)].users == 0 ? 1 : 0;
  if (free_ < need + keep_free) return false;
  held.reserve(upto);
  for (const std::uint64_t hash : hashes) {
    const BlockId block = by_hash_.at(hash);
    if (blocks_[block].users++ == 0) unlink(block);
    held.push_back(block);
  }
  return grow(held, upto, keep_free);
}

bool KvCache::grow(std::vector<BlockId>& held, std::uint32_t upto, std::uint32_t keep_free) {
  if (held.size() >= upto) return true;
  if (free_ < upto - held.size() + keep_free) return false;
  while (held.size() < upto) held.push_back(pop_oldest());
  return true;
}

void KvCache::release(std::vector<BlockId>& held) {
  for (auto it = held.rbegin(); it != held.rend(); ++it) {
    Block& block = blocks_[*it];
    if (--block.users > 0) continue;
    // A block without cached content is reused first.
    link_before(block.cached ? head_ : blocks_[head_].next, *it);
    ++free_;
  }
  held.clear();
}

void KvCache::publish(BlockId block, std::uint64_t hash) {
  Block& entry = blocks_[block];
  if (entry.cached || !by_hash_.try_emplace(hash, block).second) return;
  entry.cached = true;
  entry.hash = hash;
}

void KvCache::link_before(BlockId position, BlockId block) {
  const BlockId previous = blocks_[position].previous;
  blocks_[block].previous = previous;
  blocks_[block].next = position;
  blocks_[previous].next = block;
  blocks_[position].previous = block;
}

void KvCache::unlink(BlockId block) {
  blocks_[blocks_[block].previous].next = blocks_[block].next;
  blocks_[blocks_[block].next].previous = blocks_[block].previous;
  --free_;
}

BlockId KvCache::pop_oldest() {
  const BlockId block = blocks_[head_].next;
  unlink(block);
  Block& entry = blocks_[block];
  if (entry.cached) by_hash_.erase(entry.hash);
  entry.cached = false;
  entry.users = 1;
  return block;
}

}  // namespace infermeter::sim
