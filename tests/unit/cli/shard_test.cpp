#include "catch.hpp"
#include "cli/options/plan_values.hpp"
#include "cli/saved.hpp"
#include "parsing.hpp"

using namespace infermeter;
using namespace infermeter::test;

namespace {

std::pair<std::uint32_t, std::uint32_t> shard(const std::string& options, const Variables& variables = {}) {
  const Shard read = plan_of("-c 8 " + options, variables).shard;
  return {read.rank, read.of};
}

std::string refusal(const std::string& options, const Variables& variables = {}) {
  return error_of("run http://h " + options, variables);
}

std::string note(const Variables& variables, const std::string& options = "") {
  const auto warnings = run_of(options, variables).warnings;
  return warnings.empty() ? "" : warnings.front();
}

constexpr std::pair kWhole(0u, 1u);
const Variables kSlurm{{"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "4"}};

}  // namespace

TEST_CASE("shard: rank and number, from the option") {
  CHECK(shard("--shard 2/4") == std::pair(2u, 4u));
  CHECK(shard("--shard 0/1") == kWhole);
  CHECK(shard("") == kWhole);
}

TEST_CASE("shard: auto reads what the launcher says") {
  CHECK(shard("--shard auto", kSlurm) == std::pair(3u, 4u));
  CHECK(shard("--shard auto/4", kSlurm) == std::pair(3u, 4u));
  CHECK(shard("--shard auto", {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}) == std::pair(1u, 2u));
  CHECK(shard("--shard auto/8", {{"JOB_COMPLETION_INDEX", "5"}}) == std::pair(5u, 8u));
}

TEST_CASE("shard: mpirun within a Slurm job knows better than the job, and a step than the job") {
  Variables both = kSlurm;
  both["OMPI_COMM_WORLD_RANK"] = "1";
  both["OMPI_COMM_WORLD_SIZE"] = "2";
  CHECK(shard("--shard auto", both) == std::pair(1u, 2u));
  CHECK(
      shard("--shard auto", {{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_NTASKS", "8"}}) ==
      std::pair(1u, 2u));
}

TEST_CASE("shard: a rank in the environment changes nothing by itself, and a note says so") {
  CHECK(shard("", kSlurm) == kWhole);
  CHECK(
      note(kSlurm) ==
      "SLURM_PROCID says that this is process 3 of 4: each process sends the whole load; --shard auto splits "
      "it");
  CHECK(note({{"JOB_COMPLETION_INDEX", "1"}}).find("--shard auto/N") != std::string::npos);
  CHECK(note({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}).empty());
  CHECK(note({{"PMI_RANK", "no number"}, {"PMI_SIZE", "nor this"}}) != "");
  CHECK(note(kSlurm, "-c 8 --shard auto").empty());
  CHECK(note({}).empty());
}

TEST_CASE("shard: what is no shard is refused") {
  CHECK(refusal("-c 8 --shard 4/4") == "--shard: '4/4' has a rank beyond 3: ranks count from 0");
  CHECK(refusal("-c 8 --shard 4").starts_with("--shard: '4' is not of the form R/N"));
  CHECK(refusal("-c 8 --shard 1/0").starts_with("--shard: '1/0' has a number of shards that is not in 1 …"));
  CHECK(refusal("-c 8 --shard auto").starts_with("--shard: no launcher variable gives the rank"));
  CHECK(refusal("-c 8 --shard auto", {{"JOB_COMPLETION_INDEX", "0"}}) ==
        "--shard: JOB_COMPLETION_INDEX gives no number of shards | --shard auto/N gives it.");
  CHECK(refusal("-c 8 --shard auto/8", kSlurm) == "--shard: SLURM_NTASKS is 4");
}

TEST_CASE("shard: a load that cannot be split is refused") {
  CHECK(refusal("-c 2 --shard 0/4") == "--shard: concurrency 2 cannot be split over 4 shards");
  CHECK(refusal("-c 8 -n 3 --shard 0/4") == "--shard: 3 requests cannot be split over 4 shards");
  CHECK(refusal("--rate 5 --max-in-flight 3 --shard 0/4") ==
        "--shard: 3 in flight (--max-in-flight) cannot be split over 4 shards");
  CHECK(refusal("-c 8,16 --shard 0/2").starts_with("--shard: a run of several load points cannot be split"));
  CHECK(refusal("-c 8 --shard 0/2 --no-save-gaps").starts_with("--shard and --no-save-gaps exclude"));
  CHECK(refusal("--rate 5 --shard 0/4") == "no error");
}

TEST_CASE("shard: shards that begin together have one nonce, others each their own") {
  const auto nonce = [](const std::string& options, std::uint64_t entropy) {
    const auto request = invoked(run_request, words_of("run http://h -c 8 " + options), {},
                                 {.entropy = entropy, .now_unix_ms = kHere.now_unix_ms});
    return request.plan.classes.front().prompts.nonce;
  };
  CHECK(nonce("--shard 0/2 --start-at 12:30", 1) == nonce("--shard 1/2 --start-at 12:30", 2));
  CHECK(nonce("--shard 0/2 --start-at 12:30", 1) != nonce("--shard 0/2 --start-at 12:31", 1));
  CHECK(nonce("--shard 0/2 --start-at 12:30", 1) != nonce("--shard 0/2 --start-at 12:30 --seed 2", 1));
  CHECK(nonce("--shard 0/2", 1) != nonce("--shard 1/2", 2));
  CHECK(nonce("--shard 0/2 --start-at 12:30 --nonce mine", 1) == "mine");
}

TEST_CASE("merge: folders, the result's folder and switches are read, and what is missing is named") {
  const auto request = invoked(merge_request, words_of("merge a b -o out --allow-missing"));
  CHECK(request.directories == std::vector<std::string>{"a", "b"});
  CHECK(request.out == "out");
  CHECK(request.allow_missing);
  CHECK(error_of("merge -o out").starts_with("merge: no shard folders given"));
  CHECK(error_of("merge a b").starts_with("merge: no folder for the result given"));
}
