#include "io/files/result_folder.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

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

TEST_CASE("folder: it is made with its parents, and left as it was where nothing is written") {
  const TemporaryFolder base;
  {
    const ResultFolder folder(base.file("a/b/c/"));
    CHECK(folder.path() == base.file("a/b/c"));
    CHECK(folder.records_path() == base.file("a/b/c/requests.jsonl"));
    CHECK(fs::is_directory(folder.path()));
  }
  CHECK_FALSE(fs::exists(base.file("a/b/c")));
  {
    const ResultFolder folder(base.file("a/b"));
  }
  CHECK(fs::is_empty(base.file("a/b")));
}

TEST_CASE("folder: an empty one, as of mktemp, is taken, and by one only") {
  const TemporaryFolder base;
  const ResultFolder folder(base.path());
  CHECK(complaint<UsageError>([&] {
          ResultFolder second(base.path());
        }).starts_with(base.path() + " is in use by another infermeter (pid "));
  fs::create_directory_symlink(base.path(), base.file("alias"));
  CHECK(complaint<UsageError>([&] {
          ResultFolder second(base.file("alias"), true);
        }).starts_with(base.file("alias") + " is in use by another infermeter (pid "));
}

TEST_CASE("folder: of a name that exists, a new one gets the next number") {
  const TemporaryFolder base;
  const ResultFolder first = ResultFolder::make_new(base.file("new/run"));
  const ResultFolder second = ResultFolder::make_new(base.file("new/run"));
  const ResultFolder third = ResultFolder::make_new(base.file("new/run"));
  CHECK(first.path() == base.file("new/run"));
  CHECK(second.path() == base.file("new/run-2"));
  CHECK(third.path() == base.file("new/run-3"));
}

TEST_CASE("folder: what a killed run had begun to write is removed, and nothing else") {
  const TemporaryFolder base;
  base.write("result.json.4711.tmp", "half");
  base.write("requests.jsonl.new", "half");
  base.write("notes.tmp", "the user's");
  {
    const ResultFolder folder(base.path());
  }
  CHECK(files_in(base.path()) == 1);
  CHECK(fs::exists(base.file("notes.tmp")));
}

TEST_CASE("folder: records that fill the disk leave room for the last result") {
  const TemporaryFolder base;
  if (::mount("tmpfs", base.path().c_str(), "tmpfs", 0, "size=256k") != 0) return;  // only root may
  {
    ResultFolder folder(base.path());
    folder.write_result(std::string(30'000, ' '));
    std::ofstream(base.file("requests.jsonl")) << std::string(300'000, 'x');
    CHECK(complaint<EnvironmentError>([&] { folder.write_result(std::string(30'000, ' ')); }) ==
          "cannot write " + base.file("result.json") + ": No space left on device");
    folder.expect_last_files();
    folder.write_result("{}" + std::string(30'000, ' '));
    CHECK(read_file(folder.result_path()).starts_with("{}"));
  }
  CHECK(files_in(base.path()) == 2);
  ::umount(base.path().c_str());
}

TEST_CASE("files: into a folder in which a run writes nothing else is written") {
  const TemporaryFolder base;
  ResultFolder folder(base.path());
  CHECK(complaint<UsageError>([&] {
          write_file_in_folder(base.file("report.md"), "x");
        }).starts_with(base.path() + " is in use by another infermeter"));
  CHECK_FALSE(fs::exists(base.file("report.md")));
}

TEST_CASE("files: a report does not replace the result that it was made of") {
  const TemporaryFolder base;
  base.write("result.json", "{}");
  write_file_in_folder(base.file("report.md"), "x");
  CHECK(read_file(base.file("report.md")) == "x");
  CHECK(complaint<UsageError>([&] { write_file_in_folder(base.file("result.json"), "x"); }) ==
        base.file("result.json") + " is part of the result itself");
  CHECK(files_in(base.path()) == 2);
}

TEST_CASE("files: a name as long as a file system allows is written") {
  const TemporaryFolder base;
  const std::string path = base.file(std::string(255, 'n'));
  write_file_atomically(path, "x");
  CHECK(read_file(path) == "x");
}

TEST_CASE("files: beyond the limit of file sizes the error names the limit and no temporary file is left") {
  const TemporaryFolder base;
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{10 * 1024, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const std::string error =
      complaint<EnvironmentError>([&] { write_file_atomically(base.file("f"), std::string(20'000, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(error == "cannot write " + base.file("f") + ": File too large (a file may have 10 kB: ulimit -f)");
  CHECK(files_in(base.path()) == 0);
}

TEST_CASE("folder: a result is written whole and replaced whole") {
  const TemporaryFolder base;
  {
    ResultFolder folder(base.path());
    folder.write_result("{\"first\": 1}");
    folder.write_result("{}");
    CHECK(read_file(folder.result_path()) == "{}");
  }
  CHECK(files_in(base.path()) == 1);
}

TEST_CASE("folder: nothing is written into one that has taken the place of a removed one") {
  const TemporaryFolder base;
  ResultFolder first(base.file("out"));
  first.write_result("{}");
  fs::rename(base.file("out"), base.file("moved"));
  ResultFolder second(base.file("out"));
  second.write_result("{\"second\": 1}");
  CHECK(complaint<EnvironmentError>([&] { first.write_result("{}"); }) ==
        base.file("out") + " was removed or replaced while it was written: nothing more is written in it");
  CHECK(complaint<EnvironmentError>([&] { first.write_verdict("{}"); }) != "nothing");
  CHECK(read_file(second.result_path()) == "{\"second\": 1}");
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

TEST_CASE("folder: that of a run killed before its first request is taken again") {
  const TemporaryFolder base;
  base.write("requests.jsonl", "");
  const ResultFolder folder(base.path());
  CHECK(folder.path() == base.path());
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
