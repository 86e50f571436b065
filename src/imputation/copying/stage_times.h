// Where the time of an imputation goes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace haplospin {

// Nanoseconds of all threads together. What all of them wait for counts once for each.
struct StageTimes {
  std::atomic<int64_t> states = 0;      // the search for matches, errors of phase, and the states of each target
  std::atomic<int64_t> recursions = 0;  // the candidates of each target
  std::atomic<int64_t> alleles = 0;     // their features, the networks, and the probability of each allele
};

// Adds the time from its construction to its destruction.
class StageTimer {
 public:
  explicit StageTimer(std::atomic<int64_t>& total, int threads = 1) : total_(total), threads_(threads) {}
  ~StageTimer() {
    total_ += threads_ * std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count();
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;

  std::atomic<int64_t>& total_;
  int threads_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace haplospin
