#include "genotypes/imputation/stages/clusters_stage.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/threads.h"
#include "genotypes/imputation/models/clusters/ancestral_imputation.h"
#include "genotypes/imputation/models/phasing/sample_genotypes.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr double kErrorCorrelation = 2.0 / 3;

// The share of the weight that is used, because both errors are estimates: with all of the weight, three real sets had
// 4 to 7 % less error, but two simulated herds 1 and 2 % more; with this share, 3 to 6 % less, and 0.4 % less and 0.5 %
// more.
constexpr double kWeightShare = 0.75;

constexpr double kMaxStretch = 1.2;
constexpr size_t kStarts = 6;
constexpr size_t kMinHaplotypes = 2 * kAncestors;  // of a panel: with fewer, each would be an ancestor

struct Mean {
  void Add(double value) {
    sum += value;
    ++count;
  }
  double value() const { return count == 0 ? 0 : sum / static_cast<double>(count); }

  double sum = 0;
  size_t count = 0;
};

// Returns the given alleles of a sample at a panel marker; an empty span where it lacks some.
class GivenAlleles {
 public:
  explicit GivenAlleles(const WindowStudy& study) : study_(study) {}

  bool IsTyped(size_t m) {
    const auto at = std::ranges::lower_bound(study_.typed(), static_cast<uint32_t>(m));
    typed_ = static_cast<size_t>(at - study_.typed().begin());
    return at != study_.typed().end() && *at == m;
  }

  // At the marker that IsTyped() was asked about.
  std::span<const uint8_t> Alleles(size_t sample) const {
    const std::span<const uint8_t> alleles = study_.Genotype(typed_, sample);
    return HasMissing(alleles) ? std::span<const uint8_t>() : alleles;
  }

 private:
  const WindowStudy& study_;
  size_t typed_ = 0;
};

class AncestralAverage {
 public:
  AncestralAverage(const PanelWindow& window, const WindowStudy& study, WindowDosages& dosages)
      : panel_(window.panel()),
        study_(study),
        dosages_(dosages),
        markers_(WithTyped(study, dosages.range)),
        inbreeding_(study.IsOutbred() ? 0 : 1) {
    dosages_.alt.CopyColumns(0, dosages_.range.size(), before_);
  }

  void Run(const GeneticMap& map, uint64_t seed);

 private:
  double Weight(const std::vector<float>& ancestral) const;
  double Variance(double frequency, size_t sample) const;
  double ExpectedError() const;
  double LeftOutError(const std::vector<float>& ancestral) const;
  double LeftOutSlope(const std::vector<float>& ancestral) const;
  double Stretch(const std::vector<float>& ancestral, double weight) const;
  void Average(const std::vector<float>& ancestral, double weight);
  void AverageSample(const std::vector<float>& ancestral, double weight, double stretch, size_t sample);

  const float* Before(size_t m, size_t sample) const {
    return &before_[(m - dosages_.range.begin) * dosages_.num_haplotypes() + study_.samples().first_haplotype[sample]];
  }
  double Sum(const std::vector<float>& ancestral, size_t m, size_t sample) const;

  const HaplotypePanel& panel_;
  const WindowStudy& study_;
  WindowDosages& dosages_;
  const MarkerRange markers_;
  const double inbreeding_;
  std::vector<float> before_;  // [markers of dosages_, haplotypes]
};

void AncestralAverage::Run(const GeneticMap& map, uint64_t seed) {
  const AncestorData data(panel_, map, markers_);
  std::vector<AncestralHaplotypes> models = {AncestralHaplotypes(data, seed, 0)};
  std::vector<float> ancestral = LeaveOneOutFromAncestors(models, study_, markers_);
  // The mean of several starts is better than one, but not so much that it is worth the time if one is of no use.
  if (Weight(ancestral) == 0) return;
  std::vector<std::optional<AncestralHaplotypes>> others(kStarts - 1);
  tbb::parallel_for(size_t{0}, others.size(), [&](size_t i) { others[i].emplace(data, seed, i + 1); });
  models.clear();
  for (std::optional<AncestralHaplotypes>& other : others) models.push_back(*std::move(other));
  const std::vector<float> rest = LeaveOneOutFromAncestors(models, study_, markers_);
  for (size_t i = 0; i < rest.size(); ++i) ancestral[i] += (rest[i] - ancestral[i]) * (1 - 1.0f / kStarts);
  Average(ancestral, Weight(ancestral));
}

double AncestralAverage::Weight(const std::vector<float>& ancestral) const {
  return kWeightShare * WeightOfSecond(ExpectedError(), LeftOutError(ancestral));
}

// Returns the variance of a sample's dosage whose alleles are ALT with probability `frequency`.
double AncestralAverage::Variance(double frequency, size_t sample) const {
  const int ploidy = study_.samples().ploidy(sample);
  return ploidy * frequency * (1 - frequency) * (ploidy == 2 ? 1 + inbreeding_ : 1);
}

double AncestralAverage::ExpectedError() const {
  GivenAlleles given(study_);
  Mean error;
  for (size_t m = dosages_.range.begin; m < dosages_.range.end; ++m) {
    if (given.IsTyped(m)) continue;
    for (size_t s = 0; s < study_.samples().num_samples(); ++s) {
      const int ploidy = study_.samples().ploidy(s);
      double variance = 0;
      for (int c = 0; c < ploidy; ++c) variance += Variance(Before(m, s)[c], s) / ploidy;
      error.Add(variance);
    }
  }
  return error.value();
}

double AncestralAverage::Sum(const std::vector<float>& ancestral, size_t m, size_t sample) const {
  double sum = 0;
  for (uint32_t h = study_.samples().first_haplotype[sample]; h < study_.samples().first_haplotype[sample + 1]; ++h) {
    sum += ancestral[h * markers_.size() + m - markers_.begin];
  }
  return sum;
}

double AncestralAverage::LeftOutError(const std::vector<float>& ancestral) const {
  GivenAlleles given(study_);
  Mean error, unexplained_typed, unexplained_untyped;
  for (size_t m = markers_.begin; m < markers_.end; ++m) {
    const bool is_typed = given.IsTyped(m);
    if (!is_typed && !dosages_.range.Contains(m)) continue;
    const double frequency = AltFrequency(panel_, m);
    for (size_t s = 0; s < study_.samples().num_samples(); ++s) {
      const double dosage = Sum(ancestral, m, s);
      const double explained = std::pow(dosage - study_.samples().ploidy(s) * frequency, 2);
      (is_typed ? unexplained_typed : unexplained_untyped).Add(Variance(frequency, s) - explained);
      if (!is_typed || given.Alleles(s).empty()) continue;
      double alts = 0;
      for (const uint8_t allele : given.Alleles(s)) alts += allele;
      error.Add(std::pow(dosage - alts, 2));
    }
  }
  if (unexplained_typed.value() <= 0) return error.value();
  return error.value() * std::clamp(unexplained_untyped.value() / unexplained_typed.value(), 0.0, 1.0);
}

// How much the left-out genotypes differ from their mean if the dosage differs by 1.
double AncestralAverage::LeftOutSlope(const std::vector<float>& ancestral) const {
  GivenAlleles given(study_);
  double with_genotypes = 0, with_dosages = 0;
  for (const uint32_t m : study_.typed()) {
    given.IsTyped(m);
    const double frequency = AltFrequency(panel_, m);
    for (size_t s = 0; s < study_.samples().num_samples(); ++s) {
      if (given.Alleles(s).empty()) continue;
      const double expected = study_.samples().ploidy(s) * frequency, dosage = Sum(ancestral, m, s) - expected;
      double alts = -expected;
      for (const uint8_t allele : given.Alleles(s)) alts += allele;
      with_genotypes += dosage * alts;
      with_dosages += dosage * dosage;
    }
  }
  return with_dosages > 0 ? with_genotypes / with_dosages : 1;
}

// A mean of two estimates with different errors differs too little from the frequency. Returns the regression of the
// genotypes on it, if that on the first estimate is 1, and that on the second one is the one of the left-out genotypes.
double AncestralAverage::Stretch(const std::vector<float>& ancestral, double weight) const {
  GivenAlleles given(study_);
  double first = 0, second = 0, both = 0;
  for (size_t m = dosages_.range.begin; m < dosages_.range.end; ++m) {
    if (given.IsTyped(m)) continue;
    for (size_t s = 0; s < study_.samples().num_samples(); ++s) {
      const int ploidy = study_.samples().ploidy(s);
      const double expected = ploidy * AltFrequency(panel_, m);
      const double a = std::accumulate(Before(m, s), Before(m, s) + ploidy, -expected);
      const double b = Sum(ancestral, m, s) - expected;
      first += a * a;
      second += b * b;
      both += std::pow(a + weight * (b - a), 2);
    }
  }
  if (both <= 0) return 1;
  return std::clamp(((1 - weight) * first + weight * LeftOutSlope(ancestral) * second) / both, 1.0, kMaxStretch);
}

void AncestralAverage::Average(const std::vector<float>& ancestral, double weight) {
  if (weight == 0) return;
  const double stretch = Stretch(ancestral, weight);
  dosages_.alt = ProbabilityTable(dosages_.num_haplotypes(), dosages_.range.size());
  tbb::parallel_for(size_t{0}, study_.samples().num_samples(),
                    [&](size_t s) { AverageSample(ancestral, weight, stretch, s); });
}

void AncestralAverage::AverageSample(const std::vector<float>& ancestral, double weight, double stretch,
                                     size_t sample) {
  const auto ploidy = static_cast<size_t>(study_.samples().ploidy(sample));
  const uint32_t first = study_.samples().first_haplotype[sample];
  const bool is_phased = HasPhase(study_, sample);
  GivenAlleles given(study_);
  std::vector<float> rows[2];
  for (size_t m = dosages_.range.begin; m < dosages_.range.end; ++m) {
    const float* before = Before(m, sample);
    const bool is_given = given.IsTyped(m) && !given.Alleles(sample).empty();
    const double dosage = std::accumulate(before, before + ploidy, 0.0), size = static_cast<double>(ploidy);
    const double frequency = AltFrequency(panel_, m);
    const auto mean = [&](double first, double second, double expected) {
      return expected + stretch * (first + weight * (second - first) - expected);
    };
    const double sum = std::clamp(mean(dosage, Sum(ancestral, m, sample), size * frequency), 0.0, size);
    for (size_t c = 0; c < ploidy; ++c) {
      double p = before[c];
      if (!is_given && is_phased) p = mean(p, ancestral[(first + c) * markers_.size() + m - markers_.begin], frequency);
      // Without phase, nothing tells which haplotype it is: both come closer to REF, or both to ALT.
      if (!is_given && !is_phased && sum < dosage) p *= sum / dosage;
      if (!is_given && !is_phased && sum > dosage) p = 1 - (1 - p) * (size - sum) / (size - dosage);
      rows[c].push_back(static_cast<float>(std::clamp(p, 0.0, 1.0)));
    }
  }
  for (size_t c = 0; c < ploidy; ++c) dosages_.alt.SetRow(first + c, rows[c]);
}

}  // namespace

double WeightOfSecond(double first_error, double second_error) {
  const double covariance = kErrorCorrelation * std::sqrt(first_error * second_error);
  const double gain = first_error - covariance, total = first_error + second_error - 2 * covariance;
  return gain <= 0 || total <= 0 ? 0 : std::min(1.0, gain / total);
}

AncestorMemory EstimateAncestorMemory(size_t panel_haplotypes, size_t study_haplotypes, size_t markers, size_t typed) {
  constexpr size_t kRow = kAncestors * sizeof(float);
  constexpr size_t kTablesOfModel = 2, kTablesOfStops = 2, kTablesOfFit = 4, kDosageTables = 3;
  const size_t marker = (kStarts * kTablesOfModel + kTablesOfStops) * kRow + panel_haplotypes +
                        kDosageTables * sizeof(float) * study_haplotypes;
  // A thread fits a model, or has the pairs of ancestors at the typed markers and both ends.
  return {markers * marker, std::max(markers * kTablesOfFit * kRow, (typed + 2) * kAncestors * kRow)};
}

bool ClustersStage::Applies(const WindowState& window) const {
  return window.panel.panel().num_haplotypes() >= kMinHaplotypes && IsSmallHerd(window, options_);
}

void ClustersStage::Run(WindowState& window) const {
  const WindowStudy& study = window.study;
  const AncestorMemory memory =
      EstimateAncestorMemory(window.panel.panel().num_haplotypes(), study.samples().num_haplotypes(),
                             WithTyped(study, window.dosages->range).size(), study.num_typed());
  if (memory.shared + memory.thread > max_bytes_) return;
  const size_t threads = std::min(static_cast<size_t>(Threads()), (max_bytes_ - memory.shared) / memory.thread);
  tbb::task_arena(static_cast<int>(threads)).execute([&] {
    AncestralAverage(window.panel, study, *window.dosages).Run(window.panel.map(), options_.seed);
  });
}

}  // namespace haplospin
