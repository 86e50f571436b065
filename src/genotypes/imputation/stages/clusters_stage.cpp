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

#include "core/random.h"
#include "core/threads.h"
#include "genotypes/imputation/models/clusters/cluster_model.h"
#include "genotypes/imputation/models/clusters/left_out_alleles.h"
#include "genotypes/imputation/models/phasing/sample_genotypes.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr double kErrorCorrelation = 2.0 / 3;

// The share of the weight that is used, because both errors are estimates: with all of the weight, three real sets had
// 4 to 7 % less error, but two simulated herds 1 and 2 % more; with this share, 3 to 6 % less, and 0.4 % less and 0.5 %
// more.
constexpr double kWeightShare = 0.75;

constexpr uint64_t kClusterKey = 0x616E6365;  // of random streams
constexpr float kSpread = 0.3f;               // of the first probabilities of ALT around the frequency
constexpr float kMinFirst = 0.02f;            // of these probabilities

constexpr double kMaxStretch = 1.2;
constexpr size_t kStarts = 6;
constexpr size_t kMinHaplotypes = 2 * kManyClusters;  // of a panel: with fewer, each would be a cluster

// Fits clusters that begin at random around the frequency. With many switches at first they stay short, so they begin
// with next to none.
ClusterModel FitModel(const ClusterEvidence& panel, uint64_t seed, uint64_t start) {
  constexpr ClusterFit kFit = {.clusters = kManyClusters, .steps = 5, .first_rate = 0.05};
  RandomStream random(seed, {kClusterKey, start});
  std::vector<float> alt;
  for (const float frequency : panel.frequency) {
    for (size_t k = 0; k < kManyClusters; ++k) {
      const float first = frequency + kSpread * (static_cast<float>(random.Uniform()) - 0.5f);
      alt.push_back(std::clamp(first, kMinFirst, 1 - kMinFirst));
    }
  }
  return {panel, kFit, std::move(alt)};
}

struct Mean {
  void Add(double value) {
    sum += value;
    ++count;
  }
  double value() const { return count == 0 ? 0 : sum / static_cast<double>(count); }

  double sum = 0;
  size_t count = 0;
};

// What is measured of two estimates of dosages: the first is what is imputed, the second is by clusters.
struct Measured {
  double Weight() const;
  double Stretch(double weight) const;

  Mean first_error;                             // expected at untyped markers
  Mean left_out_error;                          // of the second, at genotypes that were left out
  Mean unexplained_typed, unexplained_untyped;  // variance, by the second
  double genotypes = 0, dosages = 0;            // sums of products of the left-out dosages, and those with genotypes
  double first = 0, second = 0, product = 0;    // sums of squares at untyped markers, and of products
};

double Measured::Weight() const {
  double second_error = left_out_error.value();
  if (unexplained_typed.value() > 0) {
    second_error *= std::clamp(unexplained_untyped.value() / unexplained_typed.value(), 0.0, 1.0);
  }
  return kWeightShare * WeightOfSecond(first_error.value(), second_error);
}

// A mean of two estimates with different errors differs too little from the frequency. Returns the regression of the
// genotypes on it, if that on the first estimate is 1, and that on the second one is the one of the left-out genotypes.
double Measured::Stretch(double weight) const {
  const double rest = 1 - weight, slope = dosages > 0 ? genotypes / dosages : 1;
  const double mean = rest * rest * first + 2 * rest * weight * product + weight * weight * second;
  return mean <= 0 ? 1 : std::clamp((rest * first + weight * slope * second) / mean, 1.0, kMaxStretch);
}

class ClusterAverage {
 public:
  ClusterAverage(const PanelWindow& window, const WindowStudy& study, WindowDosages& dosages)
      : panel_(window.panel()),
        study_(study),
        dosages_(dosages),
        markers_(WithTyped(study, dosages.range)),
        inbreeding_(study.IsOutbred() ? 0 : 1),
        typed_(markers_.size()) {
    dosages_.alt.CopyColumns(0, dosages_.range.size(), before_);
    for (size_t j = 0; j < study.num_typed(); ++j) typed_[study.typed()[j] - markers_.begin] = j;
  }

  void Run(const GeneticMap& map, uint64_t seed);

 private:
  Measured Measure() const;
  void MeasureUntyped(size_t m, size_t sample, Measured& measured) const;
  void Average();
  void AverageSample(double weight, double stretch, size_t sample);

  // Returns the variance of a sample's dosage whose alleles are ALT with probability `frequency`.
  double Variance(double frequency, size_t sample) const {
    const int ploidy = study_.samples().ploidy(sample);
    return ploidy * frequency * (1 - frequency) * (ploidy == 2 ? 1 + inbreeding_ : 1);
  }

  const float* Before(size_t m, size_t sample) const {
    return &before_[(m - dosages_.range.begin) * dosages_.num_haplotypes() + study_.samples().first_haplotype[sample]];
  }
  float ByClusters(size_t m, size_t haplotype) const {
    return by_clusters_[haplotype * markers_.size() + m - markers_.begin];
  }
  double Dosage(size_t m, size_t sample) const;
  bool IsTyped(size_t m) const { return typed_[m - markers_.begin].has_value(); }

  // Returns the given alleles of a sample; an empty span where it lacks some.
  std::span<const uint8_t> Given(size_t m, size_t sample) const {
    if (!IsTyped(m)) return {};
    const std::span<const uint8_t> alleles = study_.Genotype(*typed_[m - markers_.begin], sample);
    return HasMissing(alleles) ? std::span<const uint8_t>() : alleles;
  }

  const HaplotypePanel& panel_;
  const WindowStudy& study_;
  WindowDosages& dosages_;
  const MarkerRange markers_;
  const double inbreeding_;
  std::vector<std::optional<size_t>> typed_;  // [markers_] row of the study
  std::vector<float> before_;                 // [markers of dosages_, haplotypes]
  std::vector<float> by_clusters_;            // [haplotypes, markers_]
};

void ClusterAverage::Run(const GeneticMap& map, uint64_t seed) {
  const ClusterEvidence panel = PanelHaplotypes(panel_, map, markers_);
  std::vector<ClusterModel> models = {FitModel(panel, seed, 0)};
  by_clusters_ = LeaveOneOut(models, study_, markers_);
  // The mean of several starts is better than one, but not so much that it is worth the time if one is of no use.
  if (Measure().Weight() == 0) return;
  std::vector<std::optional<ClusterModel>> others(kStarts - 1);
  tbb::parallel_for(size_t{0}, others.size(), [&](size_t i) { others[i].emplace(FitModel(panel, seed, i + 1)); });
  models.clear();
  for (std::optional<ClusterModel>& other : others) models.push_back(*std::move(other));
  const std::vector<float> rest = LeaveOneOut(models, study_, markers_);
  for (size_t i = 0; i < rest.size(); ++i) by_clusters_[i] += (rest[i] - by_clusters_[i]) * (1 - 1.0f / kStarts);
  Average();
}

double ClusterAverage::Dosage(size_t m, size_t sample) const {
  double sum = 0;
  const std::vector<uint32_t>& first = study_.samples().first_haplotype;
  for (uint32_t h = first[sample]; h < first[sample + 1]; ++h) sum += ByClusters(m, h);
  return sum;
}

Measured ClusterAverage::Measure() const {
  Measured measured;
  for (size_t m = markers_.begin; m < markers_.end; ++m) {
    if (!IsTyped(m) && !dosages_.range.Contains(m)) continue;
    const double frequency = AltFrequency(panel_, m);
    for (size_t s = 0; s < study_.samples().num_samples(); ++s) {
      const double expected = study_.samples().ploidy(s) * frequency, dosage = Dosage(m, s);
      const double difference = dosage - expected, unexplained = Variance(frequency, s) - difference * difference;
      (IsTyped(m) ? measured.unexplained_typed : measured.unexplained_untyped).Add(unexplained);
      if (!IsTyped(m)) MeasureUntyped(m, s, measured);
      const std::span<const uint8_t> given = Given(m, s);
      if (given.empty()) continue;
      const double alts = std::accumulate(given.begin(), given.end(), 0.0);
      measured.left_out_error.Add((dosage - alts) * (dosage - alts));
      measured.genotypes += difference * (alts - expected);
      measured.dosages += difference * difference;
    }
  }
  return measured;
}

void ClusterAverage::MeasureUntyped(size_t m, size_t sample, Measured& measured) const {
  const int ploidy = study_.samples().ploidy(sample);
  const double expected = ploidy * AltFrequency(panel_, m);
  double variance = 0;
  for (int c = 0; c < ploidy; ++c) variance += Variance(Before(m, sample)[c], sample) / ploidy;
  measured.first_error.Add(variance);
  const double first = std::accumulate(Before(m, sample), Before(m, sample) + ploidy, -expected);
  const double second = Dosage(m, sample) - expected;
  measured.first += first * first;
  measured.second += second * second;
  measured.product += first * second;
}

void ClusterAverage::Average() {
  const Measured measured = Measure();
  const double weight = measured.Weight();
  if (weight == 0) return;
  const double stretch = measured.Stretch(weight);
  dosages_.alt = ProbabilityTable(dosages_.num_haplotypes(), dosages_.range.size());
  tbb::parallel_for(size_t{0}, study_.samples().num_samples(), [&](size_t s) { AverageSample(weight, stretch, s); });
}

void ClusterAverage::AverageSample(double weight, double stretch, size_t sample) {
  const auto ploidy = static_cast<size_t>(study_.samples().ploidy(sample));
  const uint32_t first = study_.samples().first_haplotype[sample];
  const bool is_phased = HasPhase(study_, sample);
  std::vector<float> rows[2];
  for (size_t m = dosages_.range.begin; m < dosages_.range.end; ++m) {
    const float* before = Before(m, sample);
    const bool is_given = !Given(m, sample).empty();
    const double dosage = std::accumulate(before, before + ploidy, 0.0), size = static_cast<double>(ploidy);
    const double frequency = AltFrequency(panel_, m);
    const auto mean = [&](double imputed, double by_clusters, double expected) {
      return expected + stretch * (imputed + weight * (by_clusters - imputed) - expected);
    };
    const double sum = std::clamp(mean(dosage, Dosage(m, sample), size * frequency), 0.0, size);
    for (size_t c = 0; c < ploidy; ++c) {
      double p = before[c];
      if (!is_given && is_phased) p = mean(p, ByClusters(m, first + c), frequency);
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

ClusterMemory EstimateClusterMemory(size_t panel_haplotypes, size_t study_haplotypes, size_t markers, size_t typed) {
  constexpr size_t kRow = kManyClusters * sizeof(float);
  constexpr size_t kTablesOfModel = 2, kTablesOfStops = 2, kTablesOfFit = 4, kDosageTables = 3;
  const size_t marker = (kStarts * kTablesOfModel + kTablesOfStops) * kRow + panel_haplotypes +
                        kDosageTables * sizeof(float) * study_haplotypes;
  // A thread fits a model, or has the pairs of clusters at the typed markers and both ends.
  return {markers * marker, std::max(markers * kTablesOfFit * kRow, (typed + 2) * kManyClusters * kRow)};
}

bool ClustersStage::Applies(const WindowState& window) const {
  return window.panel.panel().num_haplotypes() >= kMinHaplotypes && IsSmallHerd(window, options_);
}

void ClustersStage::Run(WindowState& window) const {
  const WindowStudy& study = window.study;
  const ClusterMemory memory =
      EstimateClusterMemory(window.panel.panel().num_haplotypes(), study.samples().num_haplotypes(),
                            WithTyped(study, window.dosages->range).size(), study.num_typed());
  if (memory.shared + memory.thread > max_bytes_) return;
  const size_t threads = std::min(static_cast<size_t>(Threads()), (max_bytes_ - memory.shared) / memory.thread);
  tbb::task_arena(static_cast<int>(threads)).execute([&] {
    ClusterAverage(window.panel, study, *window.dosages).Run(window.panel.map(), options_.seed);
  });
}

}  // namespace haplospin
