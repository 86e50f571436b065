// Calibration: how often a predicted event is true, compared with its probability.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace haplospin {

// Pairs of a predicted probability and the truth (0 or 1, or a fraction), in bins of equal width of the probability.
class Calibration {
 public:
  static constexpr size_t kBins = 20;
  struct Bin {
    double count = 0;
    double predicted = 0, observed = 0;  // sums

    double MeanPredicted() const { return predicted / count; }  // NaN without pairs
    double MeanObserved() const { return observed / count; }
  };

  // `predicted` beyond 0 to 1 falls into the first or last bin.
  void Add(double predicted, double observed) {
    const double place = predicted * double{kBins};
    Bin& bin = bins_[place < 1 ? 0 : place >= kBins ? kBins - 1 : static_cast<size_t>(place)];
    bin.count += 1;
    bin.predicted += predicted;
    bin.observed += observed;
  }

  const std::array<Bin, kBins>& bins() const { return bins_; }

  // Mean over the pairs of the difference between their bin's means; NaN without pairs.
  double MeanError() const {
    double count = 0, error = 0;
    for (const Bin& bin : bins_) {
      count += bin.count;
      error += std::abs(bin.predicted - bin.observed);
    }
    return error / count;
  }

 private:
  std::array<Bin, kBins> bins_;
};

}  // namespace haplospin
