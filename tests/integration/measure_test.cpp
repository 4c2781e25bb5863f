// measure() and gate() as an embedder calls them; they measure the simulator in this process.
#include "infermeter/run/measure.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "infermeter/run/gate.hpp"

using namespace infermeter;

namespace {

Plan simulated(std::uint64_t requests) {
  Plan plan;
  plan.simulator = SimulatedServer{.preset = "fixed:ttft=2ms,itl=3ms"};
  plan.classes.front().prompts.input_tokens = {.a = 16};
  plan.classes.front().answers.output_tokens = {.a = 8};
  plan.sweep.points.front().concurrency = 2;
  plan.sweep.points.front().requests = requests;
  plan.output.save = false;
  return plan;
}

/// A folder that does not exist yet and is removed at the end.
struct Folder {
  std::string path =
      std::filesystem::temp_directory_path() / ("infermeter_measure_" + std::to_string(getpid()));
  ~Folder() { std::filesystem::remove_all(path); }
};

double ttft_of(const PointResult& point) { return point.find("ttft")->find(50)->value; }

/// The lines that a gate says after each pair.
std::vector<std::string> pair_lines(const std::string& said) {
  std::vector<std::string> lines;
  std::istringstream in(said);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(" pair ")) lines.push_back(line);
  }
  return lines;
}

/// The output of this process on stdout and stderr while `work` runs.
template <typename Work>
std::string printed_by(const Work& work) {
  std::fflush(nullptr);
  std::FILE* file = std::tmpfile();
  const int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
  dup2(fileno(file), STDOUT_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  work();
  std::fflush(nullptr);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  close(out);
  close(err);
  std::string text(4096, '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

ExitCode code_of_error(const Plan& plan, const Hooks& hooks = {}) {
  try {
    measure(plan, hooks);
  } catch (const Error& error) {
    return error.code();
  }
  return ExitCode::ok;
}

}  // namespace

TEST_CASE("measure: a plan without hooks gives figures, prints nothing and saves nothing") {
  const auto here = std::filesystem::current_path();
  const auto folder = std::filesystem::temp_directory_path() / ("infermeter_cwd_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::filesystem::current_path(folder);
  RunResult run;
  const std::string printed = printed_by([&] { run = measure(simulated(20)); });
  const bool empty = std::filesystem::is_empty(folder);
  std::filesystem::current_path(here);
  std::filesystem::remove_all(folder);
  CHECK(printed == "");
  CHECK(empty);
  REQUIRE(run.points.size() == 1);
  CHECK(run.points[0].ok == 20);
  REQUIRE(run.points[0].find("ttft") != nullptr);
  CHECK(run.points[0].find("ttft")->find(50)->value > 2);
  CHECK(run.complete);
  // On a busy machine the client may read late: the run then says so itself.
  CHECK(exit_code_of(run) == (run.points[0].validity.trustworthy ? ExitCode::ok : ExitCode::untrustworthy));
}

TEST_CASE("measure: signal handlers and the signal mask are as they were, also while it goes on") {
  constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  const auto defaults = [&] {
    for (const int number : kSignals) {
      struct sigaction action{};
      sigaction(number, nullptr, &action);
      if (action.sa_handler != SIG_DFL) return false;
    }
    return true;
  };
  const bool before = defaults();  // Catch2 has handlers of its own while a test runs
  bool during = false;
  measure(simulated(4), {.begin = [&](const RunResult&, const std::string&) { during = defaults(); }});
  CHECK(during == before);
  CHECK(defaults() == before);
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  for (const int number : kSignals) CHECK(sigismember(&mask, number) == 0);
}

TEST_CASE("measure: hooks come in order: begin, points, end with all records") {
  Plan plan = simulated(6);
  plan.sweep.points.push_back(plan.sweep.points.front());
  plan.sweep.points.back().concurrency = 1;
  std::vector<std::string> calls;
  std::size_t measured = 0;
  const Hooks hooks{.begin =
                        [&](const RunResult& planned, const std::string& directory) {
                          calls.push_back("begin of " + std::to_string(planned.points.size()) + directory);
                        },
                    .progress =
                        [&](const ProgressFigures& figures) {
                          if (figures.stage == Stage::ended) calls.push_back("session");
                        },
                    .point_end =
                        [&](const RunResult&) {
                          calls.push_back("point");
                          return false;
                        },
                    .end =
                        [&](const RunResult&, std::span<const RequestRecord> records) {
                          calls.push_back("end");
                          for (const auto& record : records)
                            measured += record.phase == Phase::measured ? 1 : 0;
                        }};
  measure(plan, hooks);
  CHECK(calls == std::vector<std::string>{"begin of 2", "session", "point", "session", "point", "end"});
  CHECK(measured == 12);
}

TEST_CASE("measure: point_end that returns true ends it there") {
  Plan plan = simulated(6);
  plan.sweep.points.push_back(plan.sweep.points.front());
  const RunResult run = measure(plan, {.point_end = [](const RunResult&) { return true; }});
  CHECK(run.points.size() == 1);
}

TEST_CASE("measure: stop ends it with what was measured, and its code is 130") {
  std::atomic<bool> stop{false};
  Plan plan = simulated(1'000'000);
  const RunResult run = measure(plan, {.stop = &stop, .progress = [&](const ProgressFigures& figures) {
                                         if (figures.done > 0) stop = true;
                                       }});
  CHECK(run.interrupted);
  CHECK(run.points.at(0).ok > 0);
  CHECK(exit_code_of(run) == ExitCode::interrupted);
}

TEST_CASE("measure: what keeps it from measuring is an Error with its exit code") {
  Plan unreachable = simulated(4);
  unreachable.simulator.reset();
  unreachable.targets.front().url = "http://127.0.0.1:1";
  CHECK(code_of_error(unreachable) == ExitCode::environment);
  Plan nothing = simulated(4);
  nothing.targets.clear();
  CHECK(code_of_error(nothing) == ExitCode::usage);
  Plan preset = simulated(4);
  preset.simulator->preset = "no such preset";
  CHECK(code_of_error(preset) == ExitCode::usage);
}

TEST_CASE("measure: an exception of a hook leaves it as an Error") {
  const Hooks hooks{.begin = [](const RunResult&, const std::string&) { throw std::runtime_error("full"); }};
  CHECK(code_of_error(simulated(4), hooks) == ExitCode::environment);
}

TEST_CASE("measure: a folder that is named holds the result and its records") {
  const Folder folder;
  Plan plan = simulated(5);
  plan.output.save = true;
  plan.output.directory = folder.path;
  std::string told;
  measure(plan, {.begin = [&](const RunResult&, const std::string& directory) { told = directory; }});
  CHECK(told == folder.path);
  CHECK(std::filesystem::exists(folder.path + "/result.json"));
  std::ifstream records(folder.path + "/requests.jsonl");
  std::size_t lines = 0;
  for (std::string line; std::getline(records, line);) ++lines;
  CHECK(lines >= 5);
}

TEST_CASE("measure: a run whose result cannot be saved is handed out before it throws") {
  const Folder folder;
  Plan plan = simulated(5);
  plan.output.save = true;
  plan.output.directory = folder.path;
  std::uint64_t ok = 0;
  const Hooks hooks{.point_end =
                        [&](const RunResult&) {
                          std::filesystem::remove_all(folder.path);
                          return false;
                        },
                    .end = [&](const RunResult& run, auto) { ok = run.points.at(0).ok; }};
  CHECK(code_of_error(plan, hooks) == ExitCode::environment);
  CHECK(ok == 5);
}

TEST_CASE("gate: one server against itself is measured in pairs, with a verdict and its code") {
  const Folder folder;
  GatePlan gated{.plan = simulated(10), .rule = default_gate_rule(false)};
  gated.plan.targets = {Target{.name = "baseline"}, Target{.name = "candidate"}};
  gated.plan.classes.front().prompts.input_tokens = {.a = 256};  // shorter prompts differ by more than 5 %
  gated.plan.target_order = TargetOrder::pairs;
  gated.plan.output.directory = folder.path;
  gated.rule.looks = gate_looks(6);
  gated.plan.sweep.runs = 6;
  gated.plan.sweep.points.resize(6, gated.plan.sweep.points.front());
  for (std::uint32_t i = 0; i < 6; ++i) gated.plan.sweep.points[i].run = i + 1;
  std::string said;
  RunResult run;
  const std::string printed =
      printed_by([&] { run = gate(gated, {.say = [&](const std::string& line) { said += line + "\n"; }}); });
  CHECK(printed == "");
  INFO(said);
  REQUIRE(run.verdict);
  CHECK(run.verdict->basis == Basis::pairs);
  const auto& pairs = run.verdict->units;
  const auto lines = pair_lines(said);
  REQUIRE(pairs.size() == 6);
  REQUIRE(lines.size() == 6);
  REQUIRE(run.points.size() == 12);
  // A busy machine may read late: such pairs are set aside, until the bounds of their error show that they
  // cannot change the verdict.
  const bool late_ones_count = std::ranges::any_of(
      run.verdict->notes, [](const auto& note) { return note.starts_with("The client was late"); });
  std::size_t counted = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    const PointResult &baseline = run.points[2 * i], &candidate = run.points[2 * i + 1];
    INFO(lines[i]);
    CHECK((baseline.ok == 10 && candidate.ok == 10));
    REQUIRE(pairs[i].changes.front().first == "ttft.p50");
    const bool counts = baseline.validity.trustworthy && candidate.validity.trustworthy;
    counted += counts ? 1 : 0;
    if (counts) {
      CHECK(pairs[i].set_aside.empty());
      CHECK(pairs[i].changes.front().second.value() ==
            Approx(std::log(ttft_of(candidate) / ttft_of(baseline))));
    }
    if (late_ones_count) continue;
    CHECK(pairs[i].set_aside.empty() == counts);
    CHECK(lines[i].starts_with(" pair  " + std::to_string(counted) + " of 6   "));
    CHECK((lines[i].find("set aside") == std::string::npos) == counts);
  }
  CHECK(run.verdict->trustworthy == (counted > 0 || late_ones_count));
  CHECK((run.verdict->exit_code == 4) == !run.verdict->trustworthy);
  CHECK(std::filesystem::exists(folder.path + "/verdict.json"));
}

namespace {

/// p50 of a run at 200 tokens/s a stream, six answers at the same time; nothing where it is left out.
std::optional<double> speed_with(const std::vector<std::string>& faults, std::uint32_t tokens,
                                 PointResult* point = nullptr) {
  auto plan = simulated(6);
  plan.simulator = SimulatedServer{.preset = "fixed:ttft=20ms,itl=5ms", .faults = faults};
  plan.classes.front().answers.output_tokens = {.a = static_cast<double>(tokens)};
  plan.sweep.points.front().concurrency = 6;
  plan.sweep.points.front().warmup_requests = 0;
  const auto run = measure(plan, {});
  if (point) *point = run.points.front();
  const auto* tps = run.points.front().find("tps");
  return tps ? std::optional(tps->find(50)->value) : std::nullopt;
}

}  // namespace

TEST_CASE("measure: a stream of 200 tok/s is never said to be several times as fast") {
  // 914, 1,000, 916, 916, 930, 741,000 and 1,060 tok/s before.
  for (const std::vector<std::string>& faults : {std::vector<std::string>{"empty-tokens=100"},
                                                 {"empty-tokens=100", "tokens-per-event=4"},
                                                 {"reasoning=stripped,100"},
                                                 {"reasoning=lump,100"},
                                                 {"silent-end=100"},
                                                 {"buffer"},
                                                 {"burst"}}) {
    INFO(faults.front());
    PointResult point;
    const auto speed = speed_with(faults, 128, &point);
    // A machine that needs a millisecond an event makes a stream of the burst.
    if (faults.front() == "burst" && point.find("icl")->mean >= 1) continue;
    CHECK(speed.value_or(200) < 210);
    const auto& checks = point.validity.checks;
    const auto& check = *std::ranges::find(checks, CheckKind::speed, &Check::kind);
    CHECK((check.state == CheckState::warning) == !speed);
  }
}

TEST_CASE("measure: streams of several tokens an event, hidden reasoning and end tokens have a speed") {
  for (const std::vector<std::string>& faults : {std::vector<std::string>{},
                                                 {"tokens-per-event=4"},
                                                 {"tokens-per-event=10"},
                                                 {"reasoning=hidden,30"},
                                                 {"reasoning=streamed,30"},
                                                 {"silent-end=1"},
                                                 {"empty-tokens=30"},
                                                 {"pack=20"}}) {
    INFO((faults.empty() ? std::string("none") : faults.front()));
    const auto speed = speed_with(faults, 60);
    REQUIRE(speed);
    CHECK(*speed < 210);
  }
}
