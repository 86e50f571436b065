#include "core/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <numeric>
#include <utility>

#include "core/log.h"

namespace haplospin {
namespace {

constexpr std::chrono::milliseconds kBarInterval{100};

constexpr double kFileSeconds = 2;  // the reading of a file that takes less is not shown

std::atomic<int> jobs = 0;
std::atomic<const Progress*> shown_file = nullptr;
std::atomic<ProgressSeries*> series = nullptr;

constexpr double kMinFraction = 0.005;  // the time left is not told before this

double Fraction(const ProgressState& state) {
  return state.total > 0 ? std::clamp(state.done / state.total, 0.0, 1.0) : 0.0;
}

// Three significant digits, but all digits of a whole number: "1.30", "48.2", "12345".
std::string FormatAmount(double value) {
  if (value == std::floor(value) || value >= 100) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value, value >= 10 ? 1 : 2);
}

std::string Rate(const ProgressState& state) {
  const double done = state.done - state.before;
  if (state.seconds <= 0 || done <= 0) return "";
  return fmt::format(", {} {}/s", FormatAmount(done / state.seconds), state.unit);
}

// Nothing as long as too little was done to tell it.
std::string TimeLeft(double done, double before, double total, double seconds) {
  const double now = done - before;
  if (total <= 0 || now <= 0 || now < kMinFraction * (total - before)) return "";
  return fmt::format(", {} left", FormatDuration(seconds * std::max(0.0, total - done) / now));
}

std::string Figures(const ProgressState& state) {
  std::string text;
  if (state.total > 0) {
    text = fmt::format("{:.0f} %, {} of {} {}", std::floor(100 * Fraction(state)), FormatAmount(state.done),
                       FormatAmount(state.total), state.unit);
  } else {
    text = fmt::format("{} {}", FormatAmount(state.done), state.unit);
  }
  text += Rate(state);
  if (state.series) {
    text += fmt::format(", all {:.0f} %", std::floor(100 * state.series->done));
    text += TimeLeft(state.series->done, state.series->before, 1, state.series->seconds);
  } else {
    text += TimeLeft(state.done, state.before, state.total, state.seconds);
  }
  if (!state.note.empty()) text += ", " + state.note;
  return text;
}

}  // namespace

Progress::Progress(std::string title, std::string unit, double total, ProgressKind kind,
                   std::chrono::milliseconds log_interval)
    : title_(std::move(title)),
      unit_(std::move(unit)),
      total_(total),
      kind_(kind),
      log_interval_(log_interval),
      start_(Clock::now()),
      shown_(start_),
      logged_(start_) {
  if (kind_ == ProgressKind::kJob) ++jobs;
}

Progress::~Progress() {
  const Progress* self = this;
  const bool is_shown = kind_ == ProgressKind::kJob || shown_file.compare_exchange_strong(self, nullptr);
  if (kind_ == ProgressKind::kJob) --jobs;
  if (is_shown && internal::StderrIsTerminal()) internal::SetStatusLine("");
  if (!is_shown || logged_ == start_ || is_finished_ || std::uncaught_exceptions() > 0) return;
  done_ = std::max(done_, total_);
  note_ = "";
  WriteLine();
}

bool Progress::MayShow() {
  if (kind_ == ProgressKind::kJob) return true;
  if (jobs > 0 || Seconds() < kFileSeconds) return false;
  const Progress* none = nullptr;
  return shown_file == this || shown_file.compare_exchange_strong(none, this);
}

double Progress::Seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void Progress::StartAt(double done) {
  std::lock_guard lock(mutex_);
  done_ = before_ = done;
}

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
  const auto now = Clock::now();
  if (now - shown_ < kBarInterval || !MayShow()) return;
  shown_ = now;
  if (!IsQuiet() && internal::StderrIsTerminal()) {
    internal::SetStatusLine(ProgressBarText(State(), internal::TerminalWidth() - 1));
  }
  if (now - logged_ >= log_interval_) {
    logged_ = now;
    WriteLine();
  }
}

// A terminal has the bar, but a file of --log gets the line.
void Progress::WriteLine() const {
  const std::string line = ProgressLineText(State());
  internal::StderrIsTerminal() ? LogToFile(line) : LogMessage(LogLevel::kInfo, line);
}

ProgressState Progress::State() const {
  ProgressState state{title_, unit_, done_, total_, Seconds(), note_, before_};
  if (series != nullptr && kind_ == ProgressKind::kJob) state.series = series.load()->State(Fraction(state));
  return state;
}

void Progress::Finish() {
  std::lock_guard lock(mutex_);
  is_finished_ = true;
  internal::SetStatusLine("");
  LogInfo("{}", ProgressSummaryText(State()));
}

ProgressSeries::ProgressSeries(std::vector<double> expected)
    : expected_(std::move(expected)), start_(std::chrono::steady_clock::now()) {
  series = this;
}

ProgressSeries::~ProgressSeries() { series = nullptr; }

double ProgressSeries::NextShare() {
  const double total = std::accumulate(expected_.begin(), expected_.end(), 0.0);
  const double expected = expected_.at(next_++);
  return total > 0 ? expected / total : 1.0 / static_cast<double>(expected_.size());
}

void ProgressSeries::Begin() {
  ended_ += present_;
  present_ = NextShare();
  done_ = ended_;
}

void ProgressSeries::Skip() {
  const double share = NextShare();
  ended_ += present_ + share;
  before_ += share;
  present_ = 0;
  done_ = ended_;
}

SeriesState ProgressSeries::State(double share) {
  done_ = std::max(done_.load(), ended_ + share * present_);
  return {done_, before_, std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count()};
}

std::string FormatDuration(double seconds) {
  const auto whole = static_cast<long long>(std::llround(std::clamp(seconds, 0.0, 3.6e9)));
  const long long hours = whole / 3600;
  const long long minutes = whole / 60 % 60;
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
  return fmt::format("{}:{:02}", minutes, whole % 60);
}

std::string ProgressBarText(const ProgressState& state, int width) {
  const std::string figures = Figures(state);
  std::string text = state.title + " ";
  // The width that the rest of the line leaves, minus two brackets and a space; a bar that is too short is omitted.
  const int room = std::min(30, width - static_cast<int>(text.size() + figures.size()) - 3);
  if (state.total > 0 && room >= 5) {
    const int filled = static_cast<int>(Fraction(state) * room);
    text += "[" + std::string(filled, '#') + std::string(room - filled, '-') + "] ";
  }
  text += figures;
  return text.substr(0, static_cast<size_t>(std::max(width, 0)));
}

std::string ProgressLineText(const ProgressState& state) { return state.title + ": " + Figures(state); }

std::string ProgressSummaryText(const ProgressState& state) {
  const char* whole = state.total > 0 && state.done >= state.total ? "100 %, " : "";
  std::string text = fmt::format("{}: {}{} {} in {}", state.title, whole, FormatAmount(state.done), state.unit,
                                 FormatDuration(state.seconds)) +
                     Rate(state);
  if (!state.note.empty()) text += ", " + state.note;
  return text;
}

}  // namespace haplospin
