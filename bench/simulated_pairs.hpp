// Gates in virtual time: runs of a server that consists only of figures, drawn from a noise model with a
// fixed seed, and judged by the gate itself. Units as in results: milliseconds, tokens per second.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/random.hpp"
#include "infermeter/analysis/gate.hpp"

namespace infermeter::bench {

struct RunFigures {
  double ttft_p50 = 400, ttft_p95 = 800, ttft_p99 = 1000, tpot_p50 = 10, output_throughput = 1000;
};

/// A good run of 300 requests with these figures.
PointResult point_with(const RunFigures& figures);

/// How much a server is really worse: 0.2 is 20 % more of a time, and with `rest` a throughput of 1/1.2.
struct Effect {
  double ttft_p50 = 0, ttft_tail = 0, rest = 0;
};

/// The next run of one job, of a server that is worse by this much.
using DrawRun = std::function<RunFigures(const Effect&)>;

/// How runs vary: coefficients of variation of a run's figures around the server's own. The share `common` of
/// each variance comes from the machine at that time, and is the same for all figures of the run; the rest is
/// per figure.
struct FigureNoise {
  double ttft_p50 = 0.05, ttft_p95 = 0.05, tpot = 0.05, throughput = 0.05;
  double common = 0;
  double tail = 0;  // one run in twenty is slower by this much in all figures
};
DrawRun figure_noise(const FigureNoise& noise, Random& random);

/// METHOD 5.5: figures of 300 requests each, lognormal with sigma 0.5 and an autocorrelation of 0.5, of a run
/// that is off by 2.7 %, in a session that is off by 5 %, on a machine that drifts.
class RequestNoise {
 public:
  explicit RequestNoise(Random& random);
  RunFigures run(const Effect& effect);
  /// The requests' TTFT of the last run, in order.
  const std::vector<double>& ttfts() const { return ttfts_; }

 private:
  std::vector<double> requests(double median);
  Random& random_;
  double session_, drift_;
  std::vector<double> ttfts_;
};

struct GateEnd {
  Decision decision = Decision::undecided;
  std::uint32_t pairs = 0;
};

/// One complete gate: pairs in turn (AB BA AB …), a judgement at each look.
GateEnd simulate_gate(const GateRule& rule, const DrawRun& draw, const Effect& effect);

/// A quantile of the values, which it reorders.
double sample_quantile(std::vector<double>& values, double q);

}  // namespace infermeter::bench
