#include "core/progress/progress.h"

#include <atomic>
#include <utility>

#include "core/log.h"
#include "core/progress/progress_text.h"
#include "core/status_line.h"

namespace haplospin {
namespace {

constexpr std::chrono::milliseconds kBarInterval{100};
constexpr std::chrono::seconds kLogInterval{30};

constexpr double kFileSeconds = 2;  // the reading of a file that takes less is not shown

std::atomic<int> jobs = 0;
std::atomic<const Progress*> shown_file = nullptr;

}  // namespace

Progress::Progress(std::string title, std::string unit, double total, ProgressOf kind)
    : title_(std::move(title)),
      unit_(std::move(unit)),
      total_(total),
      kind_(kind),
      start_(Clock::now()),
      shown_(start_) {
  if (kind_ == ProgressOf::kJob) ++jobs;
}

Progress::~Progress() {
  const Progress* self = this;
  const bool is_shown = kind_ == ProgressOf::kJob || shown_file.compare_exchange_strong(self, nullptr);
  if (kind_ == ProgressOf::kJob) --jobs;
  if (is_shown && internal::StderrIsTerminal()) internal::SetStatusLine("");
}

bool Progress::MayShow() {
  if (kind_ == ProgressOf::kJob) return true;
  if (jobs > 0 || Seconds() < kFileSeconds) return false;
  const Progress* none = nullptr;
  return shown_file == this || shown_file.compare_exchange_strong(none, this);
}

double Progress::Seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void Progress::Set(double done) {
  std::lock_guard lock(mutex_);
  done_ = done;
  Show();
}

void Progress::Advance(double amount) {
  std::lock_guard lock(mutex_);
  done_ += amount;
  Show();
}

void Progress::SetTotal(double total) {
  std::lock_guard lock(mutex_);
  total_ = total;
}

void Progress::SetNote(std::string note) {
  std::lock_guard lock(mutex_);
  note_ = std::move(note);
  Show();
}

void Progress::Show() {
  if (IsQuiet()) return;
  const bool terminal = internal::StderrIsTerminal();
  const auto now = Clock::now();
  if (now - shown_ < (terminal ? std::chrono::milliseconds(kBarInterval) : std::chrono::milliseconds(kLogInterval))) {
    return;
  }
  if (!MayShow()) return;
  shown_ = now;
  const ProgressState state{title_, unit_, done_, total_, Seconds(), note_};
  if (terminal) {
    internal::SetStatusLine(ProgressBarText(state, internal::TerminalWidth() - 1));
  } else {
    LogInfo("{}", ProgressLineText(state));
  }
}

void Progress::Finish() {
  std::lock_guard lock(mutex_);
  internal::SetStatusLine("");
  LogInfo("{}", ProgressSummaryText({title_, unit_, done_, total_, Seconds(), note_}));
}

}  // namespace haplospin
