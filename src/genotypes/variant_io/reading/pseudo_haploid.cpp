#include "genotypes/variant_io/reading/pseudo_haploid.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "genotypes/genomics/sites/sex_contigs.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/variant_file.h"

namespace haplospin {
namespace {

constexpr int64_t kPiece = 1 << 18;  // bp

// Homozygotes of either allele. One person may be without heterozygotes in a part of a chromosome, whose parents are
// relatives; many people are not.
constexpr size_t kMinHomozygotes = 1000, kMinHomozygotesOfMany = 100;
constexpr size_t kMaxHomozygotes = 100000;

constexpr size_t kPanelMarkers = 2000;
constexpr double kMinHeterozygous = 0.2;  // share of the heterozygotes that random pairs of haplotypes have

struct GenotypeCounts {
  size_t ref = 0, alt = 0, heterozygous = 0;

  void Add(const StudyGenotypes& study) {
    for (const StudyMarker& marker : study.markers) {
      for (size_t s = 0; s < study.samples.num_samples(); ++s) {
        if (study.samples.ploidy(s) != 2) continue;
        const size_t h = study.samples.first_haplotype[s];
        const uint8_t first = marker.genotypes.alleles[h], second = marker.genotypes.alleles[h + 1];
        if (first == kMissingAllele || second == kMissingAllele) continue;
        ++(first != second ? heterozygous : first == 1 ? alt : ref);
      }
    }
  }
};

GenotypeCounts CountGenotypes(StudyReader& reader) {
  GenotypeCounts counts;
  const auto is_done = [&] { return counts.heterozygous > 0 || std::min(counts.ref, counts.alt) >= kMaxHomozygotes; };
  for (auto contig = reader.NextContig(); contig && !is_done(); contig = reader.NextContig()) {
    if (IsSexOrMitochondrial(*contig)) {
      reader.SkipContig();
      continue;
    }
    StudyGenotypes study = reader.StartContig();
    for (bool has_more = true; has_more && !is_done(); study.markers.clear()) {
      has_more = reader.ReadUntil(reader.NextPosition().value_or(0) + kPiece, study);
      counts.Add(study);
    }
  }
  return counts;
}

// Returns whether people of the panel are about as often heterozygous as the frequencies of its alleles let expect.
bool HasHeterozygotes(const std::string& path, const std::vector<std::string>& samples) {
  const auto reader = OpenPanel(path, samples);
  if (!reader->NextContig()) return false;
  MutablePanel panel = reader->StartContig();
  for (bool has_more = true; has_more && panel.num_markers() < kPanelMarkers;) {
    has_more = reader->ReadUntil(*reader->NextPosition(), panel);
  }
  double heterozygous = 0, expected = 0;
  for (size_t m = 0; m < panel.num_markers(); ++m) {
    const double alt = static_cast<double>(panel.alt_count(m)) / static_cast<double>(panel.num_haplotypes());
    for (size_t s = 0; s < panel.samples().num_samples(); ++s) {
      if (panel.samples().ploidy(s) != 2) continue;
      const size_t h = panel.samples().first_haplotype[s];
      heterozygous += panel.allele(m, h) != panel.allele(m, h + 1) ? 1 : 0;
      expected += 2 * alt * (1 - alt);
    }
  }
  return heterozygous > kMinHeterozygous * expected;
}

}  // namespace

bool IsPseudoHaploid(const std::string& study, const StudyOptions& options, const std::optional<PloidyRegions>& regions,
                     const std::string& panel, const std::vector<std::string>& panel_samples) {
  if (!CanBeReadTwice(study) || !CanBeReadTwice(panel)) return false;
  StudyReader reader(study, options);
  if (regions) reader.DivideContigs(*regions);
  const size_t enough = std::max(kMinHomozygotesOfMany, kMinHomozygotes / reader.sample_names().size());
  const GenotypeCounts counts = CountGenotypes(reader);
  if (counts.heterozygous > 0 || std::min(counts.ref, counts.alt) < enough) return false;
  return HasHeterozygotes(panel, panel_samples);
}

}  // namespace haplospin
