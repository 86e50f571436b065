// Counters of the time that parts of the program take, off unless they are asked for.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace haplospin {

// The time that all threads together spent under the timers of one stage. A counter is a global variable of the module
// whose stage it measures. Timers do not count until EnableTimers(true), and cost one load of a variable until then.
class TimeCounter {
 public:
  double Seconds() const { return 1e-9 * static_cast<double>(nanoseconds_.load()); }
  void Reset() { nanoseconds_ = 0; }

 private:
  friend class ScopedTimer;
  std::atomic<int64_t> nanoseconds_ = 0;
};

namespace internal {
inline std::atomic<bool> timers_are_on = false;
}

// Switches all timers that begin from now on.
inline void EnableTimers(bool on) { internal::timers_are_on.store(on, std::memory_order_relaxed); }

// Adds the time from its construction to its destruction to a counter, once for each of `threads` that wait for it.
class ScopedTimer {
 public:
  explicit ScopedTimer(TimeCounter& counter, int threads = 1)
      : counter_(internal::timers_are_on.load(std::memory_order_relaxed) ? &counter : nullptr), threads_(threads) {
    if (counter_ != nullptr) start_ = Clock::now();
  }
  ~ScopedTimer() {
    if (counter_ == nullptr) return;
    counter_->nanoseconds_ += threads_ * std::chrono::nanoseconds(Clock::now() - start_).count();
  }
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;

  TimeCounter* const counter_;  // null while timers are off
  const int threads_;
  Clock::time_point start_;
};

}  // namespace haplospin
