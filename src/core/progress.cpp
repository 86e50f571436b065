#include "core/progress.h"

#include <utility>

#include "core/log.h"
#include "core/progress_text.h"
#include "core/status_line.h"

namespace haplospin {
namespace {

constexpr std::chrono::milliseconds kBarInterval{100};
constexpr std::chrono::seconds kLogInterval{30};

}  // namespace

Progress::Progress(std::string title, std::string unit, double total)
    : title_(std::move(title)), unit_(std::move(unit)), total_(total), start_(Clock::now()), shown_(start_) {}

Progress::~Progress() {
  if (internal::StderrIsTerminal()) internal::SetStatusLine("");
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
