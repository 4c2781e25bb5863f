// The folder of one run: result.json (written to a temporary name and renamed), requests.jsonl and, for a
// gate, verdict.json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "io/files/folder_lock.hpp"
#include "model/secrets/secrets.hpp"

namespace infermeter {

/// A folder that was made here is removed at the end if it is still empty.
class MadeFolder {
 public:
  MadeFolder(std::string path, bool made) : path_(std::move(path)), made_(made) {}
  ~MadeFolder();
  MadeFolder(MadeFolder&& other) noexcept;
  MadeFolder& operator=(MadeFolder&&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool made_;
};

/// Nobody else can write in it while this object exists.
class ResultFolder {
 public:
  /// Creates the folder (and parents), takes it, and checks, before the first request, that it is writable
  /// and has space. Throws EnvironmentError naming the folder and the reason; UsageError for a folder that
  /// another process writes in, and for one that already holds a result (which is not overwritten), unless
  /// that run is to be resumed.
  explicit ResultFolder(const std::string& path, bool go_on = false);
  /// A folder that did not exist: `path`, or `path`-2, -3 … where others have taken it.
  static ResultFolder make_new(const std::string& path);

  /// For copies of others' records, which are lost with nothing: where it ends before its result is written,
  /// killed or by an error, no records stay that somebody could take for a run's.
  static ResultFolder for_merge(const std::string& path);
  ~ResultFolder();
  ResultFolder(ResultFolder&& other) noexcept;
  ResultFolder& operator=(ResultFolder&&) = delete;

  const std::string& path() const { return folder_.path(); }
  std::string records_path() const { return path() + "/requests.jsonl"; }
  std::string result_path() const { return path() + "/result.json"; }
  /// Before the last files it also keeps room for one that is somewhat larger.
  void write_result(std::string_view json);
  void write_verdict(std::string_view json) const;
  /// Masked in all that is written from now on.
  void keep_out(Secrets secrets) { secrets_ = std::move(secrets); }
  /// No more records follow: the room that was kept is for what is written now.
  void expect_last_files();

 private:
  enum class Use : std::uint8_t { fresh, resume, merge };
  ResultFolder(MadeFolder folder, Use use);
  void begin_merge();
  void end_merge() noexcept;

  MadeFolder folder_;
  FolderLock lock_;
  Secrets secrets_;
  bool last_ = false;
  bool merging_ = false;
};

/// Throws EnvironmentError for a folder without a result whose command was killed: it is to be run again.
void refuse_cut_short(const std::string& folder);

/// Reads a whole file; throws EnvironmentError naming it.
std::string read_file(const std::string& path);
/// Writes to a temporary name in the same folder, syncs, renames; follows a link to its file. Anything but a
/// regular file (a pipe, a device) is written to directly. Throws EnvironmentError, and leaves no temporary
/// file.
void write_file_atomically(const std::string& path, std::string_view content);
/// The same for a file of the user's choice: if its folder holds a result, only while nobody else writes
/// there. Throws UsageError if somebody does, and for a file of the result itself.
void write_file_in_folder(const std::string& path, std::string_view content);

}  // namespace infermeter
