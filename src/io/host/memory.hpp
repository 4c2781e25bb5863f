// What happens when this process may use no more memory (ulimit -v, a machine without overcommit).
#pragma once

namespace infermeter {

/// Keeps some memory back. Allocations that fail later are repeated with it, so that a measurement can end
/// and save: memory_exhausted() is true from then on. For the program's main, once: it sets the new-handler.
void keep_memory_back();

/// Any thread.
bool memory_exhausted();

}  // namespace infermeter
