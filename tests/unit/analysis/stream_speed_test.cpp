#include "model/stream_speed.hpp"

#include <algorithm>

#include "analysis/figures/samples.hpp"
#include "analysis/figures/speed_evidence.hpp"
#include "answers.hpp"
#include "catch.hpp"
#include "infermeter/analysis/assertions.hpp"
#include "infermeter/analysis/summarize.hpp"
#include "infermeter/analysis/thresholds.hpp"
#include "infermeter/model/figures.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

/// `k` events 5 ms apart after a TTFT of 550 ms, and `n` tokens counted.
RequestRecord stream(std::uint32_t k, std::int64_t n, std::uint32_t gap_us = 5'000) {
  auto r = answer(0, 550'000, std::vector<std::uint32_t>(k - 1, gap_us));
  r.output_tokens = n;
  return r;
}

/// The same with texts of `bytes` an event, each with a space in front.
RequestRecord worded(std::uint32_t k, std::int64_t n, std::uint32_t bytes, std::uint32_t several) {
  auto r = stream(k, n);
  auto& seen = r.evidence.write();
  seen.text_bytes = k * bytes;
  seen.first_bytes = bytes;
  seen.spaced = k;
  seen.several = several;
  return r;
}

/// `unknown` of 100 answers came in one piece.
std::vector<RequestRecord> hundred(std::size_t unknown) {
  auto records = closed_loop(1, 101);
  for (std::size_t i = 1; i <= unknown; ++i) records[i].flags.set(Flag::buffered_stream);
  return records;
}

PointResult point_of(const std::vector<RequestRecord>& records, LoadPoint load = closed(1)) {
  return summarize(load, records, {});
}

const Check& speed_of(const PointResult& point) {
  return *std::ranges::find(point.validity.checks, CheckKind::speed, &Check::kind);
}

SpeedDoubt doubt(const RequestRecord& r) { return doubt_of_speed(r, count_tokens(r)); }

std::optional<double> tps(const RequestRecord& r) { return figure_of(*find_figure("tps"), r); }

}  // namespace

TEST_CASE("speed: an event without text before the first one is no token of the stream's time") {
  auto r = stream(28, 128);
  r.evidence.write().bare_before = 100;
  CHECK(*tps(r) == Approx(200));  // and not 914
  CHECK(count_tokens(r).per_event_known);
  CHECK(count_tokens(r).generated == 128);
}

TEST_CASE("speed: events without text after the last token, and between, are told apart") {
  auto r = stream(28, 129);
  r.evidence.write().bare_after = 100;
  CHECK(*tps(r) == Approx(200).epsilon(0.04));
  r = stream(28, 58);
  r.evidence.write().bare_between = 30;
  CHECK(*tps(r) == Approx(57 / 0.135));
}

TEST_CASE("speed: events without text that may be no tokens leave the speed unknown") {
  auto r = stream(7, 128);
  r.evidence.write().bare_before = 25;
  CHECK(doubt(r) == SpeedDoubt::bare_events);
  CHECK_FALSE(tps(r));
  r.evidence.write().bare_before = 1;  // a gateway's own
  CHECK(tps(r));
}

TEST_CASE("speed: 28 words for 128 tokens are a stream whose reasoning was stripped") {
  CHECK(doubt(worded(28, 128, 5, 0)) == SpeedDoubt::little_text);
  CHECK(doubt(worded(40, 200, 7, 0)) == SpeedDoubt::little_text);
  CHECK(doubt(worded(64, 128, 6, 0)) == SpeedDoubt::single_tokens);
  CHECK(doubt(worded(100, 125, 6, 0)) == SpeedDoubt::single_tokens);
}

TEST_CASE("speed: events of several tokens keep their speed") {
  CHECK(*tps(worded(32, 128, 22, 32)) == Approx(124 / 0.155));
  CHECK(tps(worded(100, 125, 7, 20)));   // speculative decoding, a quarter accepted
  CHECK(tps(worded(14, 128, 45, 13)));   // vLLM's stream_interval
  CHECK(tps(worded(5, 15, 15, 4)));      // a short answer
  auto script = worded(32, 128, 12, 0);  // without spaces
  script.evidence.write().spaced = 0;
  CHECK(tps(script));
}

TEST_CASE("speed: a first event of one token is no tenth of the answer") {
  auto r = worded(14, 131, 50, 13);
  r.evidence.write().first_bytes = 5;
  CHECK(event_tokens(r, count_tokens(r), 0) == 1);
  CHECK(*tps(r) == Approx(130 / 0.065));
  r.evidence.write().first_bytes = 40;  // texts differ, N/k is nearer
  CHECK(event_tokens(r, count_tokens(r), 0) == Approx(131 / 14.0));
}

TEST_CASE("speed: reasoning in one lump leaves the speed unknown") {
  auto r = worded(29, 128, 6, 20);
  r.evidence.write().first_bytes = 600;
  r.evidence.write().text_bytes = 768;
  CHECK(doubt(r) == SpeedDoubt::first_event);
}

TEST_CASE("speed: tokens after the last event with text show in a long tail") {
  auto r = stream(28, 128);
  *r.end_us += 14'000;
  CHECK(tps(r));
  *r.end_us += 486'000;
  CHECK(doubt(r) == SpeedDoubt::tail);
  r.output_tokens = 29;  // an end token: a server may take its time to end
  CHECK(tps(r));
  r = worded(32, 128, 22, 32);
  *r.end_us += 500'000;  // words fall like that with 4 tokens an event too
  CHECK(doubt(r) == SpeedDoubt::tail);
}

TEST_CASE("speed: a few tokens more than events change it too little to leave it out") {
  auto r = stream(100, 105);
  *r.end_us += 500'000;
  CHECK(*tps(r) == Approx(200).epsilon(0.06));
}

TEST_CASE("speed: fewer tokens than events are another count") {
  CHECK(doubt(stream(128, 28)) == SpeedDoubt::few_tokens);
  CHECK(doubt(stream(4, 3)) == SpeedDoubt::none);
}

TEST_CASE("speed: one read for all events, or nearly all, is no stream") {
  CHECK(doubt(stream(128, 128, 0)) == SpeedDoubt::one_piece);
  auto r = stream(128, 128, 1);
  r.flags.set(Flag::buffered_stream);
  CHECK(doubt(r) == SpeedDoubt::one_piece);
  CHECK_FALSE(figure_of(*find_figure("tpot"), r));
  CHECK_FALSE(figure_of(*find_figure("chars_per_second"), r));
  const Records one{&r};
  CHECK(collect_gaps(one, *find_figure("itl"), TimeBlocks(one)).empty());
  CHECK_FALSE(collect_gaps(one, *find_figure("icl"), TimeBlocks(one)).empty());
}

TEST_CASE("speed: a burst after the generation is not the speed of the generation") {
  CHECK(doubt(stream(128, 128, 300)) == SpeedDoubt::burst);
  CHECK(doubt(stream(128, 128, 940)) == SpeedDoubt::burst);
  CHECK(doubt(stream(128, 128, 1'100)) == SpeedDoubt::none);
}

TEST_CASE("speed: a fast server keeps its speed, behind a long queue by its own time") {
  auto r = answer(0, 200'000, std::vector<std::uint32_t>(127, 500));
  CHECK(*tps(r) == Approx(2000));
  r = stream(128, 128, 500);
  CHECK(doubt(r) == SpeedDoubt::burst);
  r.server_times.write().decode_ms = 66;
  CHECK(*tps(r) == Approx(2000));
  r.server_times.write().decode_ms = 40;  // the network took its time
  CHECK(tps(r));
  r.server_times.write().decode_ms = 600;
  CHECK(doubt(r) == SpeedDoubt::server_time);
}

TEST_CASE("speed: answers of different lengths show where the generation is") {
  std::vector<RequestRecord> bursts, streams;
  for (std::uint32_t i = 0; i < 40; ++i) {
    const std::uint32_t k = 50 + 7 * i, noise = 1'000 * (i % 5);
    bursts.push_back(answer(i, 50'000 + noise + 5'000 * k, std::vector<std::uint32_t>(k - 1, 2'000)));
    streams.push_back(answer(i, 900'000 + noise, std::vector<std::uint32_t>(k - 1, 500)));
  }
  CHECK(generation_time(pointers(bursts)) == GenerationTime::in_ttft);
  CHECK(generation_time(pointers(streams)) == GenerationTime::in_stream);
  CHECK(doubt(bursts.front()) == SpeedDoubt::none);  // alone, 2 ms an event may be its speed
  CHECK(point_of(bursts).find("tps") == nullptr);
  CHECK(doubt(streams.front()) == SpeedDoubt::burst);  // alone, 25 ms behind 900
  CHECK(point_of(streams).find("tps")->find(50)->value == Approx(2000));
  CHECK(generation_time(pointers(hundred(0))) == GenerationTime::unknown);
}

TEST_CASE("speed: short answers show together what one of them cannot") {
  const auto one = worded(16, 32, 6, 0);
  CHECK(doubt(one) == SpeedDoubt::none);  // 4 events of two words expected
  CHECK(point_of(std::vector(20, one)).find("tps") == nullptr);
  const auto spread = worded(16, 32, 11, 4);
  CHECK(point_of(std::vector(20, spread)).find("tps"));
}

TEST_CASE("speed: the server's own time confirms a count that the text does not fit") {
  auto r = worded(28, 128, 5, 0);
  r.server_times.write().decode_ms = 140;
  CHECK(tps(r));
  r.server_times.write().decode_ms = 635;
  CHECK(doubt(r) == SpeedDoubt::server_time);
}

TEST_CASE("speed: records of older versions keep the speed that they had") {
  CHECK(*tps(stream(32, 128)) == Approx(124 / 0.155));
}

TEST_CASE("speed: without kept gaps the first event's own count stays") {
  auto r = stream(32, 128);
  r.gaps_us.clear();
  r.evidence.write().first_tokens = 1;
  CHECK(*tps(r) == Approx(127 / 0.155));
}

TEST_CASE("speed: the check counts the answers and says why") {
  CHECK(speed_of(point_of(hundred(0))).state == CheckState::passed);
  CHECK(speed_of(point_of(hundred(5))).state == CheckState::passed);
  const auto some = speed_of(point_of(hundred(40)));
  CHECK(some.state == CheckState::warning);
  CHECK(some.evidence == "ITL, TPOT and TPS are of 60 of 100 answers: 40 of 100 answers came in one piece.");
  const auto most = speed_of(point_of(hundred(60)));
  CHECK(most.evidence == "ITL, TPOT and TPS are left out: 60 of 100 answers came in one piece.");
}

TEST_CASE("speed: figures are of the answers that have one, unless most do not") {
  const auto some = point_of(hundred(40));
  CHECK(some.find("tpot")->count == 60);
  CHECK(some.find("itl")->count == 60 * 29);
  CHECK(some.find("icl")->count == 100 * 29);
  const auto most = point_of(hundred(60));
  CHECK(most.find("tpot") == nullptr);
  CHECK(most.find("tps") == nullptr);
  CHECK(most.find("itl") == nullptr);
  CHECK_FALSE(most.comfort);
  CHECK(most.find("icl"));
}

TEST_CASE("speed: an assertion on a speed that is not known is undecided and says why") {
  const auto records = hundred(100);
  RunResult run;
  run.points.push_back(point_of(records));
  const std::vector<Threshold> asserts{parse_assertion("--assert", "tpot.p50 < 20ms"),
                                       parse_assertion("--assert", "itl.p95 < 20ms")};
  const auto verdict = judge_assertions(run, records, asserts, false);
  for (const auto& judgement : verdict.judgements) {
    CHECK(judgement.decision == Decision::undecided);
    CHECK(judgement.reason == "ITL, TPOT and TPS are left out: 100 of 100 answers came in one piece.");
  }
}

TEST_CASE("speed: an SLO on a speed that is not known counts nobody as good or missed") {
  auto load = closed(1);
  load.classes = {ClassLoad{}};
  load.classes[0].slos = {parse_slo("--slo", "tpot < 20ms")};
  const auto none = point_of(hundred(100), load).slo;
  REQUIRE(none);
  CHECK(none->requests == 0);
  CHECK_FALSE(none->each.front().second);
  CHECK(none->unjudged.front().second == 100);
  const auto some = point_of(hundred(40), load).slo;
  CHECK(some->requests == 60);
  CHECK(some->met == 60);
  CHECK(some->unjudged.front().second == 40);
}

TEST_CASE("speed: an assertion on the speed of a class says why it is not known") {
  auto load = closed(1);
  load.classes.resize(2);
  load.classes[0].name = "a";
  load.classes[1].name = "b";
  const auto records = hundred(100);
  RunResult run;
  run.points.push_back(point_of(records, load));
  const auto verdict = judge_assertions(
      run, records, std::vector{parse_assertion("--assert", "tps.p50 > 50 [class=a]")}, false);
  CHECK(verdict.judgements.front().decision == Decision::undecided);
  CHECK(verdict.judgements.front().reason.find("came in one piece") != std::string::npos);
}
