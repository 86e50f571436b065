// Progress of a long job: a bar on a terminal, a line every half minute in a log file, nothing on
// either with --quiet but in the file of --log.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace haplospin {

// A job is shown at once. The reading of a file is shown where no job is and no other file, and after two seconds.
enum class ProgressKind { kJob, kFile };

// How far a series of jobs is.
struct SeriesState {
  double done = 0;    // share of the expected time of all jobs
  double before = 0;  // the part of `done` that was done before these seconds
  double seconds = 0;
};

// The values that a display of progress shows.
struct ProgressState {
  std::string title;
  std::string unit;
  double done = 0;
  double total = 0;  // 0: not known
  double seconds = 0;
  std::string note;
  double before = 0;                                 // the part of `done` that was done before these seconds
  std::optional<SeriesState> series = std::nullopt;  // the series that the job is one of
};

// Jobs that follow each other, such as the contigs of a genome: while it lives, each job also shows how much of all
// jobs is done, and the time left for all instead of its own. There is one at a time.
class ProgressSeries {
 public:
  // `expected`: the time of each job, in any unit.
  explicit ProgressSeries(std::vector<double> expected);
  ~ProgressSeries();
  ProgressSeries(const ProgressSeries&) = delete;
  ProgressSeries& operator=(const ProgressSeries&) = delete;

  // The next job begins, or was done before and is left out. No job may be running.
  void Begin();
  void Skip();

  // How far all jobs are, where the present one is at `share`. A job may consist of several that show progress.
  SeriesState State(double share);

 private:
  double NextShare();

  const std::vector<double> expected_;
  const std::chrono::steady_clock::time_point start_;
  size_t next_ = 0;
  double ended_ = 0;    // share of the jobs before the present one
  double before_ = 0;   // the part of `ended_` that belongs to jobs which were left out
  double present_ = 0;  // share of the present job
  std::atomic<double> done_ = 0;
};

class Progress {
 public:
  // `title` names the job ("imputing chr20"), `unit` the unit of `total` ("Mb", "steps"). A log has a line at each
  // interval.
  Progress(std::string title, std::string unit, double total, ProgressKind kind = ProgressKind::kJob,
           std::chrono::milliseconds log_interval = std::chrono::seconds(30));

  // Removes the bar if Finish() was not called, so that an error message starts on a new line. A log that has a part of
  // a job that did not fail ends with the whole.
  ~Progress();

  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Says what an interrupted job had done before: it counts as done, but not for the rate and the time left.
  void StartAt(double done);

  // Thread-safe. `note` is shown after the figures ("loss 0.012") until the next one is given.
  void Set(double done);
  void Advance(double amount);
  void SetTotal(double total);
  void SetNote(std::string note);

  // Replaces the bar by one line with the total, the time taken and the rate.
  void Finish();

 private:
  using Clock = std::chrono::steady_clock;

  void Show();
  bool MayShow();
  void WriteLine() const;
  double Seconds() const;
  ProgressState State() const;

  const std::string title_;
  const std::string unit_;
  double total_;
  const ProgressKind kind_;
  const std::chrono::milliseconds log_interval_;
  const Clock::time_point start_;
  std::mutex mutex_;
  Clock::time_point shown_;
  Clock::time_point logged_;
  double done_ = 0, before_ = 0;
  std::string note_;
  bool is_finished_ = false;
};

// "0:07", "12:34", "1:02:03".
std::string FormatDuration(double seconds);

// "imputing chr20 [#####-----] 50 %, 31.5 of 63.0 Mb, 1.3 Mb/s, 0:24 left", at most `width` characters. In a series:
// "..., 1.3 Mb/s, all 12 %, 1:02:03 left".
std::string ProgressBarText(const ProgressState& state, int width);

// "imputing chr20: 50 %, 31.5 of 63.0 Mb, 1.3 Mb/s, 0:24 left".
std::string ProgressLineText(const ProgressState& state);

// "imputing chr20: 100 %, 63.0 Mb in 0:48, 1.3 Mb/s".
std::string ProgressSummaryText(const ProgressState& state);

}  // namespace haplospin
