#include "sim/engine/kv_cache.hpp"

#include "catch.hpp"

using infermeter::sim::BlockId;
using infermeter::sim::KvCache;
using Held = std::vector<BlockId>;
using Hashes = std::vector<std::uint64_t>;

namespace {
/// A sequence that computed and gave back the blocks of `hashes`.
void pass_through(KvCache& cache, const Hashes& hashes) {
  Held held;
  REQUIRE(cache.grow(held, static_cast<std::uint32_t>(hashes.size()), 0));
  for (std::size_t i = 0; i < hashes.size(); ++i) cache.publish(held[i], hashes[i]);
  cache.release(held);
}
}  // namespace

TEST_CASE("kv_cache: what does not fit takes nothing") {
  KvCache cache(10);
  Held a, b;
  CHECK(cache.grow(a, 8, 0));
  CHECK_FALSE(cache.grow(b, 3, 0));
  CHECK_FALSE(cache.grow(b, 2, 1));
  CHECK(cache.free() == 2);
  CHECK(b.empty());
  CHECK(cache.grow(b, 2, 0));
  cache.release(a);
  cache.release(b);
  CHECK(cache.free() == 10);
}

TEST_CASE("kv_cache: a released prefix is found again and shared by count") {
  KvCache cache(10);
  pass_through(cache, {1, 2, 3});
  CHECK(cache.free() == 10);
  CHECK(cache.cached_prefix(Hashes{1, 2, 9}) == 2);
  CHECK(cache.cached_prefix(Hashes{9, 2, 3}) == 0);

  Held first, second;
  const Hashes prefix{1, 2};
  REQUIRE(cache.take(prefix, 4, 0, first));
  REQUIRE(cache.take(prefix, 3, 0, second));
  CHECK(first[0] == second[0]);
  CHECK(cache.free() == 5);  // 4 + 1: the second shares two
  cache.release(first);
  CHECK(cache.free() == 7);
  cache.release(second);
  CHECK(cache.free() == 10);
}

TEST_CASE("kv_cache: the least recently used prefix is evicted first and its end before its beginning") {
  KvCache cache(6);
  pass_through(cache, {1, 2, 3});
  pass_through(cache, {7, 8, 9});
  Held held;
  REQUIRE(cache.grow(held, 1, 0));
  CHECK(cache.cached_prefix(Hashes{1, 2, 3}) == 2);
  CHECK(cache.cached_prefix(Hashes{7, 8, 9}) == 3);
  REQUIRE(cache.grow(held, 3, 0));
  CHECK(cache.cached_prefix(Hashes{1, 2, 3}) == 0);
  CHECK(cache.cached_prefix(Hashes{7, 8, 9}) == 3);
}

TEST_CASE("kv_cache: blocks that hold no prefix are used before cached ones") {
  KvCache cache(4);
  pass_through(cache, {1, 2});
  Held held;
  REQUIRE(cache.grow(held, 2, 0));
  CHECK(cache.cached_prefix(Hashes{1, 2}) == 2);
  cache.release(held);
  REQUIRE(cache.grow(held, 2, 0));
  CHECK(cache.cached_prefix(Hashes{1, 2}) == 2);
}

TEST_CASE("kv_cache: idle cached blocks that are taken count against what must stay free") {
  KvCache cache(4);
  pass_through(cache, {1, 2});
  Held held;
  CHECK_FALSE(cache.take(Hashes{1, 2}, 3, 2, held));
  CHECK(held.empty());
  CHECK(cache.take(Hashes{1, 2}, 3, 1, held));
}
