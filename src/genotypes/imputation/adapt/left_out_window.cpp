#include "genotypes/imputation/adapt/left_out_window.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <span>
#include <utility>

#include "genotypes/genomics/bits.h"
#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/imputation/adapt/error_regression.h"

namespace haplospin {
namespace {

MutablePanel SubsetPanel(const HaplotypePanel& all, const SampleSubset& subset) {
  MutablePanel panel(all.contig(), subset.samples());
  for (size_t m = 0; m < all.num_markers(); ++m) panel.Append(all.marker(m), subset.Bits(all, m).data());
  return panel;
}

// The haplotypes of some samples, as a study.
class LeftOutStudy {
 public:
  LeftOutStudy(const HaplotypePanel& panel, const SampleSubset& subset, const std::vector<uint32_t>& typed)
      : samples_(subset.samples()), typed_(typed), rows_(typed.size()) {
    std::vector<uint64_t> bits(panel.words_per_marker());
    for (size_t j = 0; j < typed.size(); ++j) {
      panel.CopyBits(typed[j], bits.data());
      std::vector<uint8_t>& alleles = rows_[j].alleles;
      alleles.resize(subset.num_haplotypes());
      for (size_t h = 0; h < alleles.size(); ++h) alleles[h] = subset.Allele(bits, h);
    }
  }

  WindowStudy View() const {
    std::vector<WindowStudy::Site> sites;
    for (size_t j = 0; j < typed_.size(); ++j) sites.push_back({typed_[j], &rows_[j]});
    return {samples_, std::move(sites)};
  }

 private:
  const SampleTable& samples_;
  const std::vector<uint32_t>& typed_;
  std::vector<GenotypeRow> rows_;  // [typed]
};

// Returns the r2 that is expected in other haplotypes, or nothing where all probabilities are equal. The squared
// correlation of alleles and probabilities is unreliable for a rare marker: it is shrunk towards DR2, which follows
// from the probabilities alone.
std::optional<double> ExpectedR2(const LeftOutMarker& marker) {
  constexpr double kCarriersOfDr2 = 40;  // minor alleles that DR2 counts as much as
  double y = 0, p = 0, yp = 0, pp = 0;
  const auto n = static_cast<double>(marker.alleles.size());
  for (size_t h = 0; h < marker.alleles.size(); ++h) {
    const double allele = marker.alleles[h], probability = marker.probability[h];
    y += allele;
    p += probability;
    yp += allele * probability;
    pp += probability * probability;
  }
  const double variance = pp - p * p / n, covariance = yp - y * p / n;
  if (!(variance > 0)) return std::nullopt;
  const double dr2 = variance / (p - p * p / n), carriers = std::min(y, n - y);
  const double r2 = carriers > 0 ? covariance * covariance / (variance * (y - y * y / n)) : 0;
  return (carriers * r2 + kCarriersOfDr2 * dr2) / (carriers + kCarriersOfDr2);
}

}  // namespace

// Samples next to each other are often of one population, or related: they are in different folds.
Folds::Folds(const SampleTable& samples) {
  const size_t count = std::min(samples.num_samples(), kMaxLeftOut);
  std::vector<size_t> fold_of(samples.num_samples(), kCount);
  for (size_t k = 0; k < count; ++k) fold_of[k * samples.num_samples() / count] = k % kCount;
  for (size_t fold = 0; fold < kCount; ++fold) {
    std::vector<uint32_t> inside, outside;
    for (uint32_t s = 0; s < fold_of.size(); ++s) (fold_of[s] == fold ? inside : outside).push_back(s);
    left_out_.emplace_back(samples, inside);
    others_.emplace_back(samples, outside);
    const std::vector<uint32_t>& added = left_out_.back().haplotypes();
    haplotypes_.insert(haplotypes_.end(), added.begin(), added.end());
  }
}

LeftOutWindow::LeftOutWindow(const HaplotypePanel& panel, const GeneticMap& map, const Folds& folds,
                             const std::vector<uint32_t>& typed, MarkerRange core, const WindowPlan& plan)
    : panel_(panel), haplotypes_(folds.haplotypes()), typed_(typed), core_(core) {
  for (size_t fold = 0; fold < Folds::kCount; ++fold) {
    const MutablePanel others = SubsetPanel(panel, folds.others(fold));
    const LeftOutStudy study(panel, folds.left_out(fold), typed);
    const PanelWindow window(others, map, typed, core);
    const WindowStudy view = study.View();
    WindowState state(window, view, core);
    plan.Run(state);
    found_.push_back(*std::move(state.dosages));
  }
}

std::vector<float> LeftOutWindow::Alleles(size_t marker) const {
  std::vector<uint64_t> bits(panel_.words_per_marker());
  panel_.CopyBits(marker, bits.data());
  std::vector<float> alleles;
  alleles.reserve(haplotypes_.size());
  for (const uint32_t h : haplotypes_) alleles.push_back(HasBit(bits, h) ? 1 : 0);
  return alleles;
}

// [markers of the piece, left-out haplotypes].
std::vector<float> LeftOutWindow::Probabilities(MarkerRange piece) const {
  std::vector<float> all(piece.size() * haplotypes_.size()), columns;
  size_t first = 0;
  for (const WindowDosages& found : found_) {
    const size_t n = found.num_haplotypes();
    found.alt.CopyColumns(piece.begin - core_.begin, piece.end - core_.begin, columns);
    for (size_t m = 0; m < piece.size(); ++m) {
      std::copy_n(&columns[m * n], n, &all[m * haplotypes_.size() + first]);
    }
    first += n;
  }
  return all;
}

// The sites around the markers that have so many typed markers before them.
std::array<std::vector<float>, kErrorSites> LeftOutWindow::SitesAround(size_t interval) const {
  std::array<std::vector<float>, kErrorSites> sites;
  for (size_t k = 0; k < kErrorSites; ++k) {
    const size_t j = interval + k;
    if (j < kErrorSites / 2 || j - kErrorSites / 2 >= typed_.size()) continue;
    const uint32_t marker = typed_[j - kErrorSites / 2];
    sites[k] = Alleles(marker);
    for (float& allele : sites[k]) allele -= AltFrequency(panel_, marker);
  }
  return sites;
}

std::vector<LeftOutWindow::Result> LeftOutWindow::Measure(MarkerRange piece) const {
  const std::vector<float> probabilities = Probabilities(piece);
  const auto interval_of = [&](size_t m) {
    return static_cast<size_t>(std::ranges::lower_bound(typed_, m) - typed_.begin());
  };
  std::vector<Result> results(piece.size());
  const size_t first_interval = interval_of(piece.begin);
  tbb::parallel_for(first_interval, interval_of(piece.end - 1) + 1, [&](size_t interval) {
    const size_t begin = interval == first_interval ? piece.begin : typed_[interval - 1] + size_t{1};
    const size_t end = interval < typed_.size() ? std::min<size_t>(typed_[interval], piece.end) : piece.end;
    std::vector<std::vector<float>> alleles;
    std::vector<LeftOutMarker> markers;
    for (size_t m = begin; m < end; ++m) alleles.push_back(Alleles(m));
    for (size_t m = begin; m < end; ++m) {
      markers.push_back(
          {.alleles = alleles[m - begin],
           .probability = std::span(probabilities).subspan((m - piece.begin) * haplotypes_.size(), haplotypes_.size()),
           .frequency = AltFrequency(panel_, m)});
    }
    const std::array<std::vector<float>, kErrorSites> sites = SitesAround(interval);
    const std::vector<std::optional<ErrorFunction>> errors = RegressErrors(sites, markers);
    for (size_t m = begin; m < end; ++m) {
      results[m - piece.begin] = {ExpectedR2(markers[m - begin]), errors[m - begin]};
    }
  });
  return results;
}

}  // namespace haplospin
