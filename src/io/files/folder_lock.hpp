// The right to write in a result folder: one process at a time has it. Every writer of a folder holds it, by
// ResultFolder or, for a single file, by write_file_in_folder.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace infermeter {

/// `kernel`: flock on the lock file, where the file system has locks. `file`: the lock file itself, which
/// only one process can create.
enum class LockWay : std::uint8_t { kernel, file };

/// Held from construction to destruction, on a file `.infermeter.lock` in the folder. A killed process leaves
/// the folder free: the kernel drops its lock; a lock file alone is recognised as stale by its host, boot and
/// process. Movable; any thread.
class FolderLock {
 public:
  /// Waits for another holder at most `patience`. Throws UsageError that names the holder's process and
  /// start, EnvironmentError if nothing can be written in the folder.
  explicit FolderLock(std::string folder, std::chrono::milliseconds patience = {},
                      LockWay way = LockWay::kernel);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;

  /// Throws EnvironmentError if the folder was removed or replaced: another process may have taken the new
  /// one.
  void require_held() const;
  /// Makes the lock file at least this large, on the disk: room for the last files of a run whose records
  /// fill the disk. Throws EnvironmentError if there is none.
  void keep_room(std::size_t bytes);
  /// Gives that room back.
  void give_room_back() noexcept;

 private:
  enum class Try : std::uint8_t { taken, again, held };
  Try try_to_take();
  Try take_open_file(bool made);
  Try take_stale_file();
  Try take_for_good();
  void close_file() noexcept;
  [[noreturn]] void refuse() const;

  std::string folder_;
  LockWay way_;
  int fd_ = -1;
  std::size_t own_size_ = 0;  // of the holder's lines in the file
};

/// "pid 4711, since 2026-11-30T16:31:02Z": the process that writes in the folder now; nothing if none does.
std::optional<std::string> folder_holder(const std::string& folder);

/// Whether its lock file is there although nobody holds it: a process that wrote in the folder was killed.
bool was_left_by_holder(const std::string& folder);

/// Throws UsageError if a process is still writing in the folder: its result is not final.
void refuse_unfinished(const std::string& folder);

}  // namespace infermeter
