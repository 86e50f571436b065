#include "genotypes/variant_io/reading/genotype_origin.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/variant_io/reading/autosomes.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/variant_file.h"

namespace haplospin {
namespace {

constexpr size_t kMaxMarkers = 5000;       // that are read
constexpr size_t kMinHeterozygotes = 200;  // that tell anything
constexpr double kMinMissing = 0.2;        // share of the genotypes of several samples

// Whether samples have phased and unphased heterozygotes is told by the first samples, with so many of them each.
constexpr size_t kSamplesOfBoth = 100, kHeterozygotesOfSample = 20, kManyHeterozygotes = 1000;
constexpr double kMinOfBoth = 0.02;  // share of each kind in a sample that has both

struct GenotypeCounts {
  size_t ref = 0, alt = 0, missing = 0, unphased = 0;
  size_t ref_first = 0, alt_first = 0;  // phased heterozygotes: 0|1 and 1|0

  void AddPhased(uint8_t first, uint8_t second) {
    first == second ? ++(first == 1 ? alt : ref) : ++(first == 1 ? alt_first : ref_first);
  }

  size_t Heterozygotes() const { return unphased + ref_first + alt_first; }
  bool IsSorted() const {
    return std::min(ref_first, alt_first) == 0 && std::max(ref_first, alt_first) >= kMinHeterozygotes;
  }
  bool LacksRef(size_t samples) const {
    const auto all = static_cast<double>(alt + missing + Heterozygotes());
    return ref == 0 && Heterozygotes() >= kMinHeterozygotes &&
           (samples == 1 || static_cast<double>(missing) >= kMinMissing * all);
  }
  bool AreOrdinary() const { return ref > 0 && (unphased > 0 || (ref_first > 0 && alt_first > 0)); }
};

// The heterozygotes of the first samples: those that are phased but in no phase set, and those that are not phased.
class PhasedBesideUnphased {
 public:
  explicit PhasedBesideUnphased(size_t samples) : counts_(std::min(samples, kSamplesOfBoth)) {}

  void Add(const SampleTable& samples, const GenotypeRow& row) {
    for (size_t s = 0; s < std::min(counts_.size(), samples.num_samples()); ++s) {
      if (samples.ploidy(s) != 2) continue;
      const uint8_t* alleles = &row.alleles[samples.first_haplotype[s]];
      if (alleles[0] + alleles[1] != 1) continue;  // a missing allele is neither 0 nor 1
      ++num_;
      if (row.IsUnphased(s)) ++counts_[s].unphased;
      if (!row.IsUnphased(s) && row.PhaseSet(s) == 0) ++counts_[s].phased;
    }
  }

  bool IsDone() const { return num_ >= kHeterozygotesOfSample * counts_.size() + kManyHeterozygotes; }

  // The share of the first kind in samples that have both.
  double Share() const {
    size_t phased = 0, all = 0;
    for (const Heterozygotes& sample : counts_) {
      const size_t both = sample.phased + sample.unphased;
      const auto fewer = static_cast<double>(std::min(sample.phased, sample.unphased));
      if (both < kHeterozygotesOfSample || fewer < kMinOfBoth * static_cast<double>(both)) continue;
      phased += sample.phased;
      all += both;
    }
    return all < kMinHeterozygotes ? 0 : static_cast<double>(phased) / static_cast<double>(all);
  }

 private:
  struct Heterozygotes {
    size_t phased = 0, unphased = 0;
  };

  std::vector<Heterozygotes> counts_;
  size_t num_ = 0;
};

void Add(const SampleTable& samples, const GenotypeRow& row, GenotypeCounts& counts) {
  for (size_t s = 0; s < samples.num_samples(); ++s) {
    if (samples.ploidy(s) != 2) continue;
    const size_t h = samples.first_haplotype[s];
    const uint8_t first = row.alleles[h], second = row.alleles[h + 1];
    if (first == kMissingAllele || second == kMissingAllele) {
      ++counts.missing;
    } else if (first != second && row.IsUnphased(s)) {
      ++counts.unphased;
    } else {
      counts.AddPhased(first, second);
    }
  }
}

}  // namespace

GenotypeOrigin FindStudyOrigin(const std::string& study, StudyOptions options,
                               const std::optional<PloidyRegions>& regions) {
  if (!CanBeReadTwice(study)) return {};
  options.phase_sets = true;
  StudyReader reader(study, options);
  if (regions) reader.DivideContigs(*regions);
  const size_t samples = reader.sample_names().size();
  GenotypeCounts counts;
  PhasedBesideUnphased phased(samples);
  size_t markers = 0;
  ReadAutosomes(reader, [&](const StudyGenotypes& piece) {
    markers += piece.markers.size();
    for (const StudyMarker& marker : piece.markers) {
      Add(piece.samples, marker.genotypes, counts);
      phased.Add(piece.samples, marker.genotypes);
    }
    return markers < kMaxMarkers && !(counts.AreOrdinary() && phased.IsDone());
  });
  return {
      .lacks_ref = counts.LacksRef(samples), .is_sorted = counts.IsSorted(), .phased_beside_unphased = phased.Share()};
}

GenotypeOrigin FindPanelOrigin(const std::string& path, const std::vector<std::string>& samples) {
  if (!CanBeReadTwice(path)) return {};
  const auto reader = OpenPanel(path, samples);
  const auto contig = reader->NextContig();
  PloidyRegions regions;
  regions.KeepRomanTen(reader->header_contigs());
  if (!contig || regions.IsSexOrMitochondrial(*contig)) return {};
  MutablePanel panel = reader->StartContig();
  GenotypeCounts counts;
  size_t next = 0;
  const auto is_done = [&] { return std::min(counts.ref_first, counts.alt_first) > 0 || next >= kMaxMarkers; };
  for (bool has_more = true; has_more && !is_done();) {
    has_more = reader->ReadUntil(reader->NextPosition().value_or(0), panel);
    for (; next < panel.num_markers(); ++next) {
      for (size_t s = 0; s < panel.samples().num_samples(); ++s) {
        if (panel.samples().ploidy(s) != 2) continue;
        const size_t h = panel.samples().first_haplotype[s];
        counts.AddPhased(panel.allele(next, h) ? 1 : 0, panel.allele(next, h + 1) ? 1 : 0);
      }
    }
  }
  return {.is_sorted = counts.IsSorted()};
}

}  // namespace haplospin
