#include "genotypes/imputation/checks/panel_overlap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/log.h"
#include "genotypes/variant_io/file_kind.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr double kMinMapShare = 0.9;     // share of the panel that the map must cover without a warning
constexpr double kExchangedShare = 0.9;  // share of the panel's markers in the study that suggests exchanged files

std::string Percent(double share) { return fmt::format("{:.2g} %", 100 * share); }

std::string Megabases(const Span& span) {
  return fmt::format("{:.3g}", static_cast<double>(span.last - span.first + 1) / 1e6);
}

std::string Reason(const AlignmentCounts& counts, const OverlapFiles& files) {
  const auto build = [](const std::string& name) { return name.empty() ? "not declared" : name; };
  const std::string builds = fmt::format("genome build by contig lengths: study {}, panel {}", build(files.study_build),
                                         build(files.panel_build));
  if (counts.same_position > kExchangedShare * static_cast<double>(counts.panel_markers)) {
    return fmt::format(
        "the study has nearly all of the panel's {} markers: check that --ref and --target are not exchanged",
        counts.panel_markers);
  }
  if (10 * counts.same_position > counts.study_markers) {
    return fmt::format("{} more are at a panel position with REF and ALT swapped, {} on the other strand: {} ({})",
                       counts.NumSwapped(), counts.NumFlipped(), AlleleRemedy(files.has_site_list), builds);
  }
  return fmt::format(
      "positions do not agree, probably because of different genome builds ({}): lift the study over (as VCF, "
      "with CrossMap vcf, bcftools +liftover, Picard LiftoverVcf)",
      builds);
}

// Small scaffolds are imputed all the same.
void Refuse(const PanelOverlap& overlap, const OverlapFiles& files, const std::string& what,
            const std::string& remedy) {
  if (!files.have_other_contigs || overlap.study_sites >= kManySites) throw InputError(what + remedy);
  LogWarning("{}; what is imputed on this contig is unreliable (INFO/DR2)", what);
}

}  // namespace

double PanelOverlap::SiteShare() const {
  return study_sites == 0 ? 1 : static_cast<double>(typed) / static_cast<double>(study_sites);
}

void CheckSiteShare(const PanelOverlap& overlap, const AlignmentCounts& counts, const OverlapFiles& files,
                    double min_ratio) {
  if (overlap.SiteShare() >= min_ratio) return;
  Refuse(
      overlap, files,
      fmt::format("{}: only {} of its {} sites on contig {} ({}) are in the panel {}", files.study, overlap.typed,
                  overlap.study_sites, files.contig, Percent(overlap.SiteShare()), files.panel),
      fmt::format("; {}; to impute nevertheless, give a lower --min-ratio (now {})", Reason(counts, files), min_ratio));
}

void CheckSpanShare(const PanelOverlap& overlap, const OverlapFiles& files, double min_ratio) {
  if (overlap.SpanShare() >= min_ratio) return;
  Refuse(overlap, files,
         fmt::format("{}: its sites in the panel ({}) span {} of the panel's {} Mb of contig {} ({}), so most markers "
                     "would be far from any typed site",
                     files.study, overlap.typed, Megabases(overlap.typed_span), Megabases(overlap.panel), files.contig,
                     Percent(overlap.SpanShare())),
         fmt::format("; impute --region {}:{}-{}, or give a lower --min-ratio (now {})", files.contig,
                     overlap.typed_span.first, overlap.typed_span.last, min_ratio));
}

void CheckOrderOfAlleles(const PanelOverlap& overlap, const AlignmentCounts& counts, const OverlapFiles& files,
                         double min_ratio) {
  constexpr int64_t kManyBlocks = 500'000;  // bp, where all ALT alleles cannot be linked
  if (min_ratio == 0 || !counts.AreAllExchanged() || overlap.typed_span.last - overlap.typed_span.first < kManyBlocks) {
    return;
  }
  const bool is_bed = IsBed(files.study);
  throw InputError(fmt::format(
      "{}: {} are REF and ALT of the panel {} at {} of its sites, so one of the two has ALT first; if plink2 --export "
      "haps or hapslegend wrote the panel, let it write ref-first; if it is the {}, make it anew (plink2 --ref-from-fa "
      "force --fa REF.fa {}); to impute nevertheless, give --min-ratio 0",
      files.study, is_bed ? "A1 and A2" : "ALT and REF", files.panel, counts.in_order == 0 ? "all" : "nearly all",
      is_bed ? ".bed" : "study, which PLINK made of a .bed (INFO/PR)", is_bed ? "--make-bed" : "--export vcf bgz"));
}

void CheckGenotypes(const GenotypeSigns& signs, const OverlapFiles& files, double min_ratio,
                    const std::string& reason) {
  const std::string obstacle = min_ratio > 0 ? signs.Obstacle() : "";
  if (obstacle.empty()) return;
  if (!reason.empty())
    throw InputError(fmt::format("{}: contig {}: {}; {}", files.study, files.contig, obstacle, reason));
  throw InputError(fmt::format(
      "{}: contig {}: {}{}; to impute nevertheless, give --min-ratio 0", files.study, files.contig, obstacle,
      signs.AreInverted() || signs.ArePartlyInverted() ? "; haplospin check --fix corrects them" : ""));
}

void CheckMapCoverage(const GeneticMap& map, const PanelOverlap& overlap, const std::string& map_path,
                      const OverlapFiles& files, const ContigPart& part) {
  const double share = CoveredShare(overlap.panel, {map.first_position(), map.last_position()});
  if (share >= kMinMapShare) return;
  const std::string extents = fmt::format("the map is of {}-{}, the panel {} of {}-{}", map.first_position(),
                                          map.last_position(), files.panel, overlap.panel.first, overlap.panel.last);
  if (share == 0 && part.IsWhole()) {
    throw InputError(
        fmt::format("{}: does not cover contig {}: {}; give the map of this contig and genome build, or omit "
                    "--map for 1 cM per Mb",
                    map_path, files.contig, extents));
  }
  LogWarning("{}: covers {} of contig {}: {}; the rest is taken as 1 cM per Mb", map_path, Percent(share),
             NameOfPart(files.contig, part), extents);
}

void WarnOfShiftedMap(const MapComparison::Shift& shift, const std::string& map_path, const OverlapFiles& files) {
  if (shift.distance == 0) return;
  LogWarning(
      "{}: on contig {} its recombination is about {} kb {} where the haplotypes of {} have it (correlation {:.2f} as "
      "it is, {:.2f} moved by that); give the map of the panel's genome build",
      map_path, files.contig, std::abs(shift.distance) / 1000, shift.distance > 0 ? "after" : "before", files.panel,
      shift.correlation, shift.correlation_shifted);
}

}  // namespace haplospin
