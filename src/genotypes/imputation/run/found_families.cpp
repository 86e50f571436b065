#include "genotypes/imputation/run/found_families.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "genotypes/imputation/families/relatives.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_file.h"

namespace haplospin {
namespace {

constexpr size_t kEnoughMarkers = 10'000;
constexpr int64_t kLeastGap = 20'000;       // bp between two markers that are compared
constexpr int64_t kLeastSpan = 30'000'000;  // bp of all contigs
constexpr int64_t kPiece = 1'000'000;       // bp that are read at a time

// The markers of a study that tell relatives.
struct ComparedMarkers {
  explicit ComparedMarkers(size_t samples) : finder(samples) {}

  bool AreEnough() const { return finder.num_markers() >= kEnoughMarkers; }

  // Adds the markers of a contig.
  void Read(StudyReader& study) {
    StudyGenotypes genotypes = study.StartContig();
    std::optional<int64_t> first, last;
    bool goes_on = true;
    while (goes_on && !AreEnough()) {
      genotypes.markers.clear();
      goes_on = study.ReadUntil(*study.NextPosition() + kPiece, genotypes);
      if (genotypes.samples.num_haplotypes() != 2 * genotypes.samples.num_samples()) break;  // a sex chromosome
      for (const StudyMarker& marker : genotypes.markers) {
        const int64_t position = marker.marker.position;
        if (last && position < *last + kLeastGap) continue;
        const size_t before = finder.num_markers();
        finder.Add(marker.genotypes);
        if (finder.num_markers() == before) continue;
        if (!first) first = position;
        last = position;
      }
    }
    if (first) span += *last - *first;
    if (goes_on) study.SkipContig();
  }

  RelativeFinder finder;
  int64_t span = 0;
};

}  // namespace

std::optional<Pedigree> FindFamilies(const ImputeJob& job, const RunPlan& plan) {
  const bool is_asked = plan.reference == Reference::kStudy && plan.genotypes == GenotypeSource::kCalls;
  if (!is_asked || job.study.options.lines.sites || !CanBeReadTwice(job.study.path)) return std::nullopt;
  StudyReader study(job.study.path, plan.study);
  ComparedMarkers markers(study.sample_names().size());
  while (!markers.AreEnough() && study.NextContig()) markers.Read(study);
  if (markers.span < kLeastSpan || !study.has_unphased()) return std::nullopt;
  Pedigree pedigree = markers.finder.Find();
  return pedigree.trios.empty() ? std::nullopt : std::optional(std::move(pedigree));
}

}  // namespace haplospin
