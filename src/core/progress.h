// How far a long job is: a bar on a terminal, a plain line now and then in a log, nothing with --quiet.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace haplospin {

class Progress {
 public:
  // `title` is what is being done ("imputing chr20"), `unit` what `total` is counted in ("Mb", "steps").
  Progress(std::string title, std::string unit, double total);

  // Takes the bar off the terminal where Finish() was not reached, so that an error message starts on a clean line.
  ~Progress();

  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Any thread may call these. `note` is shown behind the figures ("loss 0.012") and kept until the next one.
  void Set(double done);
  void Advance(double amount);
  void SetNote(std::string note);

  // Replaces the bar by one line with the total, the time taken and the rate.
  void Finish();

 private:
  using Clock = std::chrono::steady_clock;

  void Show();
  double Seconds() const;

  const std::string title_;
  const std::string unit_;
  const double total_;
  const Clock::time_point start_;
  std::mutex mutex_;
  Clock::time_point shown_;
  double done_ = 0;
  std::string note_;
};

}  // namespace haplospin
