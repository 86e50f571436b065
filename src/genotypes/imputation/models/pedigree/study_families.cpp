#include "genotypes/imputation/models/pedigree/study_families.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/counted.h"
#include "genotypes/imputation/models/pedigree/spaced_genotypes.h"
#include "genotypes/variant_io/genetic_map_file.h"
#include "haplospin/genetic_map.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr int64_t kPiece = 200000;  // bp that are read at once
constexpr uint8_t kNoGenotype = 3;

std::vector<uint8_t> CountAlts(const StudyMarker& marker, size_t samples) {
  std::vector<uint8_t> alts(samples);
  const std::vector<uint8_t>& alleles = marker.genotypes.alleles;
  for (size_t s = 0; s < samples; ++s) {
    const uint8_t a = alleles[2 * s], b = alleles[2 * s + 1];
    alts[s] = a == kMissingAllele || b == kMissingAllele ? kNoGenotype : static_cast<uint8_t>(a + b);
  }
  return alts;
}

void OfferContig(StudyReader& reader, size_t contig, const GeneticMap& map, StudyGenotypes& study,
                 MarkerChoice& choice) {
  const size_t samples = study.samples.num_samples();
  for (bool has_more = true; has_more;) {
    const auto next = reader.NextPosition();
    if (!next) return;
    has_more = reader.ReadUntil(*next + kPiece, study);
    for (const StudyMarker& marker : study.markers) {
      choice.Offer(contig, map.Centimorgans(marker.marker.position), CountAlts(marker, samples));
    }
    study.markers.clear();
  }
}

void OfferContigs(StudyReader& reader, const MapOfContig& map, double max_centimorgans, size_t& contig,
                  MarkerChoice& choice) {
  for (; choice.Span() < max_centimorgans; ++contig) {
    const auto name = reader.NextContig();
    if (!name) return;
    if (reader.IsSexOrMitochondrial(*name)) {
      reader.SkipContig();
      continue;
    }
    StudyGenotypes genotypes = reader.StartContig();
    if (genotypes.samples.num_haplotypes() != 2 * reader.sample_names().size()) {
      reader.SkipContig();
      continue;
    }
    const std::string path = map(*name);
    OfferContig(reader, contig, path.empty() ? GeneticMap::Uniform() : LoadGeneticMap(path, *name), genotypes, choice);
  }
}

}  // namespace

std::optional<SpacedGenotypes> ReadSpacedGenotypes(std::span<const std::string> studies, const StudyOptions& options,
                                                   const MapOfContig& map, double max_centimorgans) {
  StudyOptions reading = options;
  reading.phase_sets = false;
  std::vector<std::string> samples;
  std::optional<MarkerChoice> choice;
  size_t contig = 0;
  for (const std::string& study : studies) {
    StudyReader reader(study, reading);
    if (!choice) {
      samples = reader.sample_names();
      choice.emplace(samples.size());
    }
    if (reader.sample_names() != samples) return std::nullopt;
    OfferContigs(reader, map, max_centimorgans, contig, *choice);
  }
  return choice ? std::optional(choice->Finish()) : std::nullopt;
}

FoundFamilies FindStudyFamilies(std::span<const std::string> studies, const StudyOptions& options,
                                const MapOfContig& map) {
  const auto genotypes = ReadSpacedGenotypes(studies, options, map);
  return genotypes ? FindFamilies(*genotypes) : FoundFamilies();
}

std::string Describe(const FoundFamilies& found) {
  return fmt::format("{} with both parents and {} with one",
                     found.trios == 1 ? "1 child" : GroupDigits(found.trios) + " children", GroupDigits(found.duos));
}

}  // namespace haplospin
