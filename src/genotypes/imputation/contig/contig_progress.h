// The progress bar of a contig, in Mb from the first position that is written to the last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/progress.h"

namespace haplospin {

class ContigProgress {
 public:
  // Shows nothing if the title is empty. `first`: position, bp.
  ContigProgress(const std::string& title, int64_t first);

  // Sets the last position, bp, once it is known.
  void SetLast(int64_t last);

  // Shows that all markers up to a position, bp, are done, in this run or in the one that it goes on after.
  void Show(int64_t position);
  void StartAt(int64_t position);

  void SetNote(const std::string& note);

  // Returns a function that moves the bar from `first` to `last`, bp, with the number of samples that are done.
  std::function<void(double)> OnWork(int64_t first, int64_t last, size_t samples);

 private:
  const int64_t first_;
  std::optional<Progress> bar_;
};

}  // namespace haplospin
