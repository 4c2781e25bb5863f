#include "io/host/memory.hpp"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <new>

namespace infermeter {
namespace {

// In several pieces: a thread that allocates much must not leave the others with nothing.
constexpr std::size_t kPiece = 8u << 20;
std::array<std::atomic<void*>, 4> pieces{};
std::atomic<bool> exhausted{false};
static_assert(std::atomic<void*>::is_always_lock_free);

// The new-handler: returns if the allocation may be tried again.
void give_a_piece() {
  exhausted = true;
  for (auto& place : pieces) {
    if (void* piece = place.exchange(nullptr)) {
      ::munmap(piece, kPiece);
      return;
    }
  }
  throw std::bad_alloc();
}

}  // namespace

void keep_memory_back() {
  for (auto& place : pieces) {
    void* piece = ::mmap(nullptr, kPiece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (piece != MAP_FAILED) place = piece;
  }
  std::set_new_handler(give_a_piece);
}

bool memory_exhausted() { return exhausted; }

}  // namespace infermeter
