#include "genotypes/imputation/backends/phase_average.h"

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Sums over versions: [haplotypes of the output].
class PhaseAverage {
 public:
  PhaseAverage(const PanelWindow& window, const WindowAlleles& alleles, size_t ploidy)
      : window_(window), alleles_(alleles), sums_(ploidy) {
    for (TargetProbabilities& sum : sums_) {
      sum.minor.assign(window.wanted().size(), 0);
      sum.left_out.assign(window.typed_markers().size(), 0);
    }
  }

  // Adds haplotype t of a version.
  void Add(const PhaseVersion& version, size_t t, const TargetProbabilities& target) {
    const auto weight = [&](size_t interval) { return version.weight.empty() ? 1.0f : version.weight[interval]; };
    const auto haplotype = [&](size_t interval) {
      return !version.swapped.empty() && version.swapped[interval] ? 1 - t : t;
    };
    for (const uint32_t anchor : window_.typed_panel().anchors()) {
      const float w = weight(anchor);
      std::vector<float>& sum = sums_[haplotype(anchor)].minor;
      for (size_t m = alleles_.first_marker(anchor); m < alleles_.first_marker(anchor + 1); ++m) {
        sum[m - alleles_.begin()] += w * target.minor[m - alleles_.begin()];
      }
    }
    for (size_t j = 0; j < target.left_out.size(); ++j) {
      sums_[haplotype(j)].left_out[j] += weight(j) * target.left_out[j];
    }
  }

  // Writes haplotype t as probabilities of ALT.
  void Write(const TargetHaplotype& target, size_t t, size_t row, WindowDosages& dosages) {
    std::vector<float>& p = sums_[t].minor;
    for (size_t m = alleles_.begin(); m < alleles_.end(); ++m) {
      const uint8_t given = alleles_.GivenAllele(target, m);
      float& alt = p[m - alleles_.begin()];
      if (!alleles_.minor_is_alt(m)) alt = 1 - alt;
      if (given != kMissingAllele) alt = given;
    }
    dosages.alt.SetRow(row, p);
    std::vector<float> left_out;
    left_out.reserve(dosages.typed->markers.size());
    for (const uint32_t m : dosages.typed->markers) left_out.push_back(sums_[t].left_out[alleles_.typed_index(m)]);
    dosages.typed->left_out.SetRow(row, left_out);
  }

 private:
  const PanelWindow& window_;
  const WindowAlleles& alleles_;
  std::vector<TargetProbabilities> sums_;
};

}  // namespace

void SetRows(const PanelWindow& window, const WindowAlleles& alleles, const SampleTargets& sample,
             std::span<const TargetProbabilities> targets, size_t first_haplotype, WindowDosages& dosages) {
  PhaseAverage average(window, alleles, sample.ploidy());
  for (size_t k = 0; k < sample.num_targets(); ++k) average.Add(sample.version(k), k % sample.ploidy(), targets[k]);
  for (size_t t = 0; t < sample.ploidy(); ++t) average.Write(sample.output()[t], t, first_haplotype + t, dosages);
}

}  // namespace haplospin
