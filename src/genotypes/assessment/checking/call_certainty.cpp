#include "genotypes/assessment/checking/call_certainty.h"

#include <algorithm>
#include <array>

#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_file.h"

namespace haplospin {
namespace {

constexpr size_t kMaxMarkers = 1000;
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

CallCertainty Measure(const StudyCheckOptions& options, LikelihoodField field) {
  StudyReader reader(options.study, {.likelihoods = field, .filters = options.filters, .males = options.males});
  if (options.regions) reader.DivideContigs(*options.regions);
  CallCertainty certainty{field};
  for (size_t markers = 0; markers < kMaxMarkers && reader.NextContig();) {
    StudyGenotypes study = reader.StartContig();
    for (bool has_more = true; has_more && markers < kMaxMarkers; study.markers.clear()) {
      has_more = reader.ReadUntil(reader.NextPosition().value_or(0) + kPiece, study);
      markers += study.markers.size();
      Count(study, certainty);
    }
    if (reader.NextContig() == study.contig) reader.SkipContig();
  }
  return certainty;
}

}  // namespace

std::optional<CallCertainty> MeasureCallCertainty(const StudyCheckOptions& options) {
  if (!CanBeReadTwice(options.study)) return std::nullopt;
  for (const LikelihoodField field : {LikelihoodField::kPl, LikelihoodField::kGl}) {
    if (const CallCertainty certainty = Measure(options, field); certainty.genotypes > 0) return certainty;
  }
  return std::nullopt;
}

}  // namespace haplospin
