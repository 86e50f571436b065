#include "imputation/job/adapt_panel.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/counted.h"
#include "core/progress.h"
#include "genomics/sample_subset.h"
#include "genomics/sites/contig_names.h"
#include "genomics/windows.h"
#include "haplospin/errors.h"
#include "imputation/job/error_regression.h"
#include "variant_io/genetic_map_file.h"
#include "variant_io/reading/panel_reader.h"
#include "variant_io/writing/adapted_panel_file.h"

namespace haplospin {
namespace {

constexpr size_t kFolds = 10;
constexpr size_t kMaxLeftOut = 2500;     // samples
constexpr size_t kMinTypedToAdapt = 2;   // array sites of a window, without which it is not imputed
constexpr size_t kMarkersOfPiece = 512;  // markers whose probabilities are in memory as floats

// The probabilities of all left-out haplotypes at the markers of a window are in memory, so it is shorter than those
// of imputation.
constexpr double kAdaptWindowCm = 5, kAdaptOverlapCm = 2;

bool HasAlt(std::span<const uint64_t> bits, size_t haplotype) { return bits[haplotype / 64] >> haplotype % 64 & 1; }

MutablePanel PanelOf(const HaplotypePanel& all, const SampleSubset& subset) {
  MutablePanel panel(all.contig(), subset.samples());
  for (size_t m = 0; m < all.num_markers(); ++m) panel.Append(all.marker(m), subset.Bits(all, m).data());
  return panel;
}

// The haplotypes of some samples, as a study.
class LeftOutStudy {
 public:
  LeftOutStudy(const HaplotypePanel& panel, const SampleSubset& subset, const std::vector<uint32_t>& typed)
      : rows_(typed.size()), view_{.samples = &subset.samples(), .typed = typed, .rows = {}} {
    std::vector<uint64_t> bits(panel.words_per_marker());
    for (size_t j = 0; j < typed.size(); ++j) {
      panel.CopyBits(typed[j], bits.data());
      rows_[j].resize(subset.num_haplotypes());
      for (size_t h = 0; h < rows_[j].size(); ++h) rows_[j][h] = subset.Allele(bits, h);
      view_.rows.push_back(&rows_[j]);
    }
  }
  LeftOutStudy(const LeftOutStudy&) = delete;
  LeftOutStudy& operator=(const LeftOutStudy&) = delete;

  const WindowStudy& view() const { return view_; }

 private:
  std::vector<std::vector<uint8_t>> rows_;
  WindowStudy view_;
};

// The samples of a contig: who is imputed from whom.
class Folds {
 public:
  // Samples next to each other are often of one population, or related: they are in different folds.
  explicit Folds(const SampleTable& samples) {
    const size_t count = std::min(samples.num_samples(), kMaxLeftOut);
    std::vector<size_t> fold_of(samples.num_samples(), kFolds);
    for (size_t k = 0; k < count; ++k) fold_of[k * samples.num_samples() / count] = k % kFolds;
    for (size_t fold = 0; fold < kFolds; ++fold) {
      std::vector<uint32_t> inside, outside;
      for (uint32_t s = 0; s < fold_of.size(); ++s) (fold_of[s] == fold ? inside : outside).push_back(s);
      left_out_.emplace_back(samples, inside);
      others_.emplace_back(samples, outside);
      const std::vector<uint32_t>& added = left_out_.back().haplotypes();
      haplotypes_.insert(haplotypes_.end(), added.begin(), added.end());
    }
  }

  const SampleSubset& left_out(size_t fold) const { return left_out_[fold]; }
  const SampleSubset& others(size_t fold) const { return others_[fold]; }

  // The left-out haplotypes of all folds, one fold after the other, as indices in the panel.
  const std::vector<uint32_t>& haplotypes() const { return haplotypes_; }

 private:
  std::vector<SampleSubset> left_out_, others_;
  std::vector<uint32_t> haplotypes_;
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

// What was imputed in a window for the left-out haplotypes.
class LeftOutWindow {
 public:
  // Imputes the markers of `core` fold by fold. All arguments must outlive the window.
  LeftOutWindow(const HaplotypePanel& panel, const GeneticMap& map, const Folds& folds,
                const std::vector<uint32_t>& typed, MarkerRange core, const WindowModel& model)
      : panel_(panel), haplotypes_(folds.haplotypes()), typed_(typed), core_(core) {
    for (size_t fold = 0; fold < kFolds; ++fold) {
      const MutablePanel others = PanelOf(panel, folds.others(fold));
      const LeftOutStudy study(panel, folds.left_out(fold), typed);
      PanelWindow window(others, map, typed, core);
      found_.push_back(model.Impute(window, study.view(), core));
    }
  }

  // What is known of a marker.
  struct Result {
    std::optional<double> r2;
    std::optional<ErrorFunction> error;
  };

  // Returns that of each marker of a piece of the core.
  std::vector<Result> Measure(MarkerRange piece) const;

 private:
  std::vector<float> Alleles(size_t marker) const;
  std::vector<float> Probabilities(MarkerRange piece) const;
  std::array<std::vector<float>, kErrorSites> SitesAround(size_t interval) const;

  const HaplotypePanel& panel_;
  const std::vector<uint32_t>& haplotypes_;
  const std::vector<uint32_t>& typed_;
  const MarkerRange core_;
  std::vector<WindowDosages> found_;  // [folds]
};

std::vector<float> LeftOutWindow::Alleles(size_t marker) const {
  std::vector<uint64_t> bits(panel_.words_per_marker());
  panel_.CopyBits(marker, bits.data());
  std::vector<float> alleles;
  alleles.reserve(haplotypes_.size());
  for (const uint32_t h : haplotypes_) alleles.push_back(HasAlt(bits, h) ? 1 : 0);
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
    const std::vector<std::optional<ErrorFunction>> errors = FitErrors(sites, markers);
    for (size_t m = begin; m < end; ++m) {
      results[m - piece.begin] = {ExpectedR2(markers[m - begin]), errors[m - begin]};
    }
  });
  return results;
}

class PanelAdapter {
 public:
  PanelAdapter(const AdaptJob& job, const WindowModel& model) : job_(job), model_(model), file_(job.panel) {
    const size_t samples = file_.index().sample_names.size();
    if (samples < kMinSamplesToAdapt) {
      throw InputError(fmt::format("{}: {}, but adapting needs at least {}, which are imputed from each other",
                                   job.panel, Counted(samples, "sample"), kMinSamplesToAdapt));
    }
    counts_.samples = std::min(samples, kMaxLeftOut);
  }

  AdaptCounts Run() {
    const std::unique_ptr<PanelReader> reader = OpenPanelFile(job_.panel);
    if (!job_.map.empty()) CheckMapContigs(job_.map, reader->Contigs());
    while (reader->NextContig()) AdaptContig(*reader);
    CheckSites();
    if (counts_.common > 0) counts_.mean_r2 /= static_cast<double>(counts_.common);
    counts_.bytes = WriteAdaptedPanelFile(file_, job_.array, adaptations_, job_.out).bytes - file_.file_bytes();
    return counts_;
  }

 private:
  void AdaptContig(PanelReader& reader);
  void AdaptWindow(const Window& window, const GeneticMap& map, const HaplotypePanel& panel, const Folds& folds);
  void Add(const HaplotypePanel& panel, size_t marker, bool is_typed, const LeftOutWindow::Result& result);
  void CheckSites() const;

  const AdaptJob& job_;
  const WindowModel& model_;
  const PanelBlockReader file_;
  std::vector<PanelAdaptation> adaptations_;  // [contigs of the index, so far]
  AdaptCounts counts_;
};

// The windows follow each other as those of imputation (ContigRun), but are shorter.
void PanelAdapter::AdaptContig(PanelReader& reader) {
  const int64_t first_position = *reader.NextPosition(), last_position = *reader.LastPosition();
  MutablePanel panel = reader.StartContig();
  adaptations_.emplace_back();
  const Folds folds(panel.samples());
  const GeneticMap map = job_.map.empty() ? GeneticMap::Uniform() : LoadGeneticMap(job_.map, panel.contig());
  Progress progress("adapting " + panel.contig(), "Mb", 1e-6 * static_cast<double>(last_position - first_position));
  Window window = FirstWindow(map, first_position, kAdaptWindowCm, kAdaptOverlapCm);
  for (;;) {
    const bool has_more = reader.ReadUntil(window.end_bp, panel);
    if (!has_more) window.core_end_bp = window.end_bp = INT64_MAX;
    AdaptWindow(window, map, panel, folds);
    if (!has_more) break;
    progress.Set(1e-6 * static_cast<double>(window.core_end_bp - first_position));
    window = NextWindow(map, window, kAdaptWindowCm, kAdaptOverlapCm);
    panel.DropBefore(FirstMarkerAtOrAfter(panel, window.begin_bp));
  }
  progress.Finish();
}

void PanelAdapter::AdaptWindow(const Window& window, const GeneticMap& map, const HaplotypePanel& panel,
                               const Folds& folds) {
  const MarkerRange core = {
      FirstMarkerAtOrAfter(panel, window.core_begin_bp),
      window.core_end_bp == INT64_MAX ? panel.num_markers() : FirstMarkerAtOrAfter(panel, window.core_end_bp + 1)};
  std::vector<uint32_t> typed;
  for (size_t m = 0; m < panel.num_markers(); ++m) {
    if (job_.sites.Contains(panel.contig(), panel.marker(m).position)) typed.push_back(static_cast<uint32_t>(m));
  }
  const auto is_typed = [&](size_t m) { return std::ranges::binary_search(typed, m); };
  if (typed.size() < kMinTypedToAdapt || core.size() == 0) {
    for (size_t m = core.begin; m < core.end; ++m) Add(panel, m, is_typed(m), {});
    return;
  }
  const LeftOutWindow left_out(panel, map, folds, typed, core, model_);
  for (MarkerRange piece{core.begin, core.begin}; piece.begin < core.end; piece.begin = piece.end) {
    piece.end = std::min(piece.begin + kMarkersOfPiece, core.end);
    const std::vector<LeftOutWindow::Result> results = left_out.Measure(piece);
    for (size_t m = piece.begin; m < piece.end; ++m) Add(panel, m, is_typed(m), results[m - piece.begin]);
  }
}

void PanelAdapter::Add(const HaplotypePanel& panel, size_t marker, bool is_typed, const LeftOutWindow::Result& result) {
  const int64_t position = panel.marker(marker).position;
  if (is_typed) {
    ++counts_.typed;
    return adaptations_.back().AddArraySite(position);
  }
  ++counts_.imputed;
  adaptations_.back().AddMarker(position, result.r2, result.error ? &*result.error : nullptr);
  const double frequency = AltFrequency(panel, marker);
  if (!result.r2 || std::min(frequency, 1 - frequency) < AdaptCounts::kMinMaf) return;
  ++counts_.common;
  counts_.mean_r2 += *result.r2;
}

void PanelAdapter::CheckSites() const {
  if (counts_.typed > 0) return;
  throw InputError(fmt::format(
      "{}: has {}, but none in {}: contigs {} against {}; give the array's sites on the genome build of the "
      "panel",
      job_.array, Counted(job_.sites.size(), "site"), job_.panel, JoinNames(job_.sites.contigs()),
      JoinNames(file_.index().ContigNames())));
}

}  // namespace

AdaptCounts AdaptPanel(const AdaptJob& job, const WindowModel& model) { return PanelAdapter(job, model).Run(); }

}  // namespace haplospin
