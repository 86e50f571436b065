#include "genotypes/imputation/contig/contig_progress.h"

#include <algorithm>
#include <atomic>
#include <memory>

namespace haplospin {
namespace {

constexpr double kMegabase = 1e6;

}  // namespace

ContigProgress::ContigProgress(const std::string& title, int64_t first) : first_(first) {
  if (!title.empty()) bar_.emplace(title, "Mb", 0);
}

void ContigProgress::SetLast(int64_t last) {
  if (bar_ && last < INT64_MAX) bar_->SetTotal(static_cast<double>(last - first_) / kMegabase);
}

void ContigProgress::Show(int64_t position) {
  if (bar_) bar_->Set(static_cast<double>(std::max<int64_t>(0, position - first_)) / kMegabase);
}

void ContigProgress::StartAt(int64_t position) {
  if (bar_) bar_->StartAt(static_cast<double>(position - first_) / kMegabase);
}

void ContigProgress::SetNote(const std::string& note) {
  if (bar_) bar_->SetNote(note);
}

std::function<void(double)> ContigProgress::OnWork(int64_t first, int64_t last, size_t samples) {
  const auto done = std::make_shared<std::atomic<double>>(0);
  return [this, first, last, samples, done](double work) {
    const double share = (*done += work) / static_cast<double>(samples);
    Show(first + static_cast<int64_t>(std::min(share, 1.0) * static_cast<double>(last - first)));
  };
}

}  // namespace haplospin
