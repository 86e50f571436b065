#include "genotypes/variant_io/reading/call_certainty.h"

#include <algorithm>
#include <array>

#include "genotypes/variant_io/variant_file.h"

namespace haplospin {
namespace {

constexpr size_t kMaxMarkers = 1000, kMaxGenotypes = size_t{1} << 20;
constexpr size_t kMarkersWithout = 100;  // without likelihoods, after which none are expected
constexpr int64_t kPiece = 1 << 18;      // bp
constexpr uint8_t kUncertainPhred = 13;  // the second genotype is at least a twentieth as likely as the first

bool IsUncertain(const GenotypeLikelihoods& genotype) {
  return std::ranges::count_if(genotype.phred, [](uint8_t phred) { return phred < kUncertainPhred; }) > 1;
}

void Count(const StudyGenotypes& study, CallCertainty& certainty) {
  for (const StudyMarker& marker : study.markers) {
    for (const GenotypeLikelihoods& genotype : marker.genotypes.likelihoods) {
      if (genotype.IsFlat()) continue;
      ++certainty.genotypes;
      certainty.uncertain += IsUncertain(genotype) ? 1 : 0;
    }
  }
}

CallCertainty Measure(const std::string& path, const StudyOptions& options,
                      const std::optional<PloidyRegions>& regions) {
  StudyReader reader(path, options);
  if (regions) reader.DivideContigs(*regions);
  const size_t samples = std::max<size_t>(reader.sample_names().size(), 1);
  const size_t enough = std::clamp<size_t>(kMaxGenotypes / samples, kMarkersWithout, kMaxMarkers);
  CallCertainty certainty{options.likelihoods};
  size_t markers = 0;
  const auto is_done = [&] {
    return markers >= enough || (markers >= kMarkersWithout && reader.Reading().with_likelihoods == 0);
  };
  while (!is_done() && reader.NextContig()) {
    StudyGenotypes study = reader.StartContig();
    for (bool has_more = true; has_more && !is_done(); study.markers.clear()) {
      has_more = reader.ReadUntil(reader.NextPosition().value_or(0) + kPiece, study);
      markers += study.markers.size();
      Count(study, certainty);
    }
    if (reader.NextContig() == study.contig) reader.SkipContig();
  }
  return certainty;
}

}  // namespace

std::optional<CallCertainty> MeasureCallCertainty(const std::string& study, StudyOptions options,
                                                  const std::optional<PloidyRegions>& regions) {
  if (!CanBeReadTwice(study)) return std::nullopt;
  for (const LikelihoodField field : {LikelihoodField::kPl, LikelihoodField::kGl, LikelihoodField::kAd}) {
    options.likelihoods = field;
    if (const CallCertainty certainty = Measure(study, options, regions); certainty.genotypes > 0) return certainty;
  }
  return std::nullopt;
}

}  // namespace haplospin
