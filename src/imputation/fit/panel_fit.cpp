#include "imputation/fit/panel_fit.h"

#include <algorithm>

#include "genomics/sites/contig_names.h"
#include "imputation/contig_buffer.h"
#include "variant_io/reading/panel_contigs.h"
#include "variant_io/reading/pieces.h"

namespace haplospin {
namespace {

constexpr size_t kMinSites = 100, kMaxSites = 2000;
constexpr int64_t kPiece = 1 << 20;  // bp

// Moves both to the first part of a contig that both have.
bool GoToSharedContig(const PloidyRegions& regions, StudyReader& study, PanelContigs& panel) {
  while (study.NextContig() && !panel.Find(*study.NextContig())) study.SkipContig();
  const auto contig = study.NextContig();
  if (!contig) return false;
  const ContigPart part = regions.PartAt(*contig, *study.NextPosition());
  PanelReader& reader = panel.reader();
  const auto is_in_contig = [&] { return reader.NextContig() && SameContig(*reader.NextContig(), *contig); };
  while (is_in_contig() && *reader.NextPosition() < part.begin) SkipPart(reader);
  return is_in_contig() && *reader.NextPosition() <= part.end;
}

void ReadSites(PanelReader& panel, ContigBuffer& buffer) {
  while (!buffer.panel_ended() && buffer.NumTyped() < kMaxSites) {
    const int64_t next = panel.NextPosition().value_or(INT64_MAX - kPiece);
    buffer.ReadUntil(std::min(next, INT64_MAX - kPiece) + kPiece);
  }
}

}  // namespace

std::optional<StudyFit> MeasurePanelFit(const PanelFitOptions& options) {
  PanelContigs panel(options.panel, options.threads);
  StudyReader study(options.study, options.threads, {.unphased = Unphased::kAccept, .males = options.males});
  study.DivideContigs(options.regions);
  panel.DivideContigs(options.regions);
  if (!GoToSharedContig(options.regions, study, panel)) return std::nullopt;
  ContigBuffer buffer(panel.reader(), study);
  ReadSites(panel.reader(), buffer);
  if (study.has_unphased() || buffer.NumTyped() < kMinSites) return std::nullopt;

  const WindowStudy typed = buffer.Typed(INT64_MAX, 0, 0, 0);
  std::vector<TargetHaplotype> haplotypes;
  for (const size_t h : HaplotypesToFit(buffer.study().samples.num_haplotypes())) {
    std::vector<uint8_t> alleles;
    alleles.reserve(typed.rows.size());
    for (const std::vector<uint8_t>* row : typed.rows) alleles.push_back((*row)[h]);
    haplotypes.emplace_back(std::move(alleles));
  }
  std::vector<const TargetHaplotype*> pointers;
  pointers.reserve(haplotypes.size());
  for (const TargetHaplotype& haplotype : haplotypes) pointers.push_back(&haplotype);
  const TypedPanel array(buffer.panel(), typed.typed, GeneticMap::Uniform());
  const CopyingOptions copying;
  return FitHaplotypes(array, EstimatePanelCopying(array, copying), pointers, copying.states);
}

}  // namespace haplospin
