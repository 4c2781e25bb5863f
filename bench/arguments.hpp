// What the benchmark programs share: `--name value` pairs, of which a wrong one ends the program with exit
// code 2, and how they end.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace infermeter::bench {

class Arguments {
 public:
  Arguments(int argc, char** argv, std::initializer_list<std::string_view> known) {
    for (const auto name : known) values_[std::string(name)] = {};
    for (int i = 1; i < argc; i += 2) {
      const auto it = values_.find(argv[i]);
      if (it == values_.end() || i + 1 == argc) fail(argv[i], "is unknown or has no value");
      it->second = argv[i + 1];
    }
  }

  std::string text(const std::string& name, std::string_view fallback = {}) const {
    const auto& value = values_.at(name);
    return value.empty() ? std::string(fallback) : value;
  }

  long number(const std::string& name, long fallback) const {
    const auto& value = values_.at(name);
    if (value.empty()) return fallback;
    long parsed = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
    if (error != std::errc{} || end != value.data() + value.size()) fail(name, "takes a whole number");
    return parsed;
  }

 private:
  [[noreturn]] static void fail(std::string_view name, std::string_view rule) {
    fmt::print(stderr, "{} {}\n", name, rule);
    std::exit(2);
  }
  std::map<std::string, std::string> values_;
};

/// The main of a program: what `run` throws is one line on stderr and exit code 1.
inline int run_program(void (*run)(int, char**), int argc, char** argv) {
  try {
    run(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", argv[0], error.what());
    return 1;
  }
}

}  // namespace infermeter::bench
