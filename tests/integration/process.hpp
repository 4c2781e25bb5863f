// The built binary as a child process: arguments in, exit code, stdout and stderr out. Every wait is bounded.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace infermeter {

struct Finished {
  int exit_code = -1;  // 128 + n after a signal
  std::string out, err;
};

/// A folder of its own in the system's temporary one, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string path = (std::filesystem::temp_directory_path() / "infermeter-test-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = path;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string slurp(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Whether it holds within 30 s.
template <typename Condition>
bool eventually(const Condition& condition) {
  for (int i = 0; i < 3000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

class Process {
 public:
  /// `variables` are added to an almost empty environment.
  explicit Process(std::vector<std::string> words, std::vector<std::string> variables = {},
                   std::string program = INFERMETER_BINARY) {
    const std::string out = files_ / "out", err = files_ / "err";
    words.insert(words.begin(), program);
    variables.insert(variables.end(), {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "TERM=dumb"});
    if (const char* of_sanitizer = std::getenv("TSAN_OPTIONS"))
      variables.push_back(std::string("TSAN_OPTIONS=") + of_sanitizer);
    pid_ = fork();
    if (pid_ != 0) return;
    if (chdir(files_.path().c_str()) != 0 || freopen(out.c_str(), "w", stdout) == nullptr ||
        freopen(err.c_str(), "w", stderr) == nullptr) {
      _exit(127);
    }
    execve(program.c_str(), pointers(words).data(), pointers(variables).data());
    _exit(127);
  }
  ~Process() {
    if (pid_ <= 0 || done_) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const { kill(pid_, number); }
  std::string out() const { return slurp(files_ / "out"); }
  std::string err() const { return slurp(files_ / "err"); }
  const std::string& folder() const { return files_.path(); }

  /// Waits until stdout holds `text`; false after 30 s.
  bool wait_for_output(const std::string& text) const {
    return eventually([&] { return out().find(text) != std::string::npos; });
  }
  Finished wait(std::chrono::seconds limit = std::chrono::seconds(120)) {
    const auto give_up = std::chrono::steady_clock::now() + limit;
    int status = 0;
    while (waitpid(pid_, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > give_up) {
        kill(pid_, SIGKILL);
        waitpid(pid_, &status, 0);
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    done_ = true;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out(), err()};
  }

 private:
  static std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> all;
    for (auto& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
  }

  TemporaryFolder files_;
  pid_t pid_ = -1;
  bool done_ = false;
};

inline Finished infermeter_once(std::vector<std::string> words, std::vector<std::string> variables = {}) {
  return Process(std::move(words), std::move(variables)).wait();
}

/// A port of 127.0.0.1 at which nothing listens until a server of the test does. The kernel gives it to
/// nobody else, and lets a server bind it that sets SO_REUSEADDR, as this socket does.
class HeldPort {
 public:
  HeldPort() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(fd_, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
        ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &length) != 0)
      throw std::runtime_error("no free port");
    port_ = ntohs(address.sin_port);
  }
  ~HeldPort() { ::close(fd_); }
  HeldPort(const HeldPort&) = delete;
  HeldPort& operator=(const HeldPort&) = delete;
  std::string number() const { return std::to_string(port_); }
  std::string url() const { return "http://127.0.0.1:" + number(); }

 private:
  int fd_;
  int port_ = 0;
};

/// `infermeter simulate …` on a port of its own.
class SimulatorProcess {
 public:
  explicit SimulatorProcess(std::vector<std::string> words) : process_(with_port(std::move(words))) {
    if (!process_.wait_for_output("\n"))
      throw std::runtime_error("the simulator did not start: " + process_.err());
    const std::string line = process_.out();
    url_ = line.substr(line.find("http"), line.find('\n') - line.find("http"));
  }
  const std::string& url() const { return url_; }
  Finished stop() {
    process_.signal(SIGTERM);
    return process_.wait();
  }

 private:
  static std::vector<std::string> with_port(std::vector<std::string> words) {
    words.insert(words.begin(), "simulate");
    words.insert(words.end(), {"--port", "0"});
    return words;
  }
  Process process_;
  std::string url_;
};

}  // namespace infermeter
