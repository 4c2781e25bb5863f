#include "io/files/result_folder.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catch.hpp"
#include "infermeter/base/errors.hpp"
#include "temporary_folder.hpp"

using namespace infermeter;
namespace fs = std::filesystem;

namespace {

std::size_t files_in(const std::string& path) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("folder: it is made with its parents and left empty by the probe") {
  const TemporaryFolder base;
  const ResultFolder folder(base.file("a/b/c/"));
  CHECK(folder.path() == base.file("a/b/c"));
  CHECK(folder.records_path() == base.file("a/b/c/requests.jsonl"));
  CHECK(fs::is_directory(folder.path()));
  CHECK(files_in(folder.path()) == 0);
}

TEST_CASE("folder: a result is written whole and replaced whole") {
  const TemporaryFolder base;
  const ResultFolder folder(base.path());
  folder.write_result("{\"first\": 1}");
  folder.write_result("{}");
  CHECK(read_file(folder.result_path()) == "{}");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("folder: an old result is not overwritten") {
  for (const char* name : {"result.json", "requests.jsonl"}) {
    const TemporaryFolder base;
    base.write(name, "old");
    CHECK(complaint<UsageError>([&] { ResultFolder folder(base.path()); }) ==
          base.path() + " already holds a result (" + name + ")");
    CHECK(read_file(base.file(name)) == "old");
  }
}

TEST_CASE("folder: a path through a file is refused before the first request") {
  const TemporaryFolder base;
  base.write("file", "");
  CHECK(complaint<EnvironmentError>([&] { ResultFolder folder(base.file("file/out")); }) ==
        "cannot create the folder " + base.file("file/out") + ": Not a directory");
  CHECK(complaint<EnvironmentError>([&] { ResultFolder folder(base.file("file")); }) ==
        "cannot create the folder " + base.file("file") + ": Not a directory");
}

TEST_CASE("folder: one that cannot be written is refused before the first request") {
  const TemporaryFolder base;
  ::chmod(base.path().c_str(), 0555);
  // root can write everywhere, except where the kernel itself forbids it.
  const std::string path = ::geteuid() == 0 ? "/proc/self/fdinfo" : base.path();
  CHECK(
      complaint<EnvironmentError>([&] { ResultFolder folder(path); }).starts_with("cannot write in " + path));
  ::chmod(base.path().c_str(), 0755);
}

TEST_CASE("folder: one without room is refused before the first request") {
  const TemporaryFolder base;
  if (::mount("tmpfs", base.path().c_str(), "tmpfs", 0, "size=16k") != 0) return;  // only root may
  CHECK(complaint<EnvironmentError>([&] { ResultFolder folder(base.path()); }) ==
        "no room in " + base.path() + ": No space left on device");
  CHECK(files_in(base.path()) == 0);
  ::umount(base.path().c_str());
}

TEST_CASE("files: reading and writing name the file that fails") {
  const TemporaryFolder base;
  CHECK(complaint<EnvironmentError>([&] { read_file(base.file("none")); }) ==
        "cannot read " + base.file("none") + ": No such file or directory");
  CHECK(complaint<EnvironmentError>([&] { read_file(base.path()); }) ==
        "cannot read " + base.path() + ": Is a directory");
  CHECK(complaint<EnvironmentError>([&] { write_file_atomically(base.file("no/file"), "x"); }) ==
        "cannot write " + base.file("no/file") + ": No such file or directory");
  const std::string large(200'000, 'x');
  CHECK(read_file(base.write("large", large)) == large);
}

TEST_CASE("files: a pipe is written to and a link kept, neither is replaced") {
  const TemporaryFolder base;
  REQUIRE(::mkfifo(base.file("pipe").c_str(), 0600) == 0);
  const int reader = ::open(base.file("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  write_file_atomically(base.file("pipe"), "x");
  char got = 0;
  CHECK(::read(reader, &got, 1) == 1);
  CHECK(got == 'x');
  ::close(reader);
  CHECK(std::filesystem::is_fifo(base.file("pipe")));

  base.write("target", "old");
  std::filesystem::create_symlink("target", base.file("link"));
  write_file_atomically(base.file("link"), "new");
  CHECK(std::filesystem::is_symlink(base.file("link")));
  CHECK(read_file(base.file("target")) == "new");
}
