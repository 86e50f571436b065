#include "genotypes/assessment/checking/checked_sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace haplospin {
namespace {

struct SiteReason {
  const char* action;  // what `check --fix` and `impute` do
  const char* reason;
};

// [SiteRelation]
constexpr SiteReason kReasons[kNumSiteRelations] = {
    {"kept", "as in the panel"},
    {"changed", "REF and ALT are swapped: exchanged, with the genotypes"},
    {"changed", "alleles of the other strand: complemented"},
    {"changed", "alleles of the other strand, and swapped: complemented and exchanged"},
    {"changed", "0 and 1 are exchanged in its genotypes: exchanged back"},
    {"dropped",
     "A/T or C/G of unknown strand, an indel without REF, or perhaps inverted: removed, unless --keep-ambiguous"},
    {"dropped", "repeats another site"},
    {"typed_only", "the panel has other alleles at the position: not used, written as it is"},
    {"typed_only", "no ALT allele: used if REF is an allele of the panel"},
    {"typed_only", "not in the panel: not used, written as it is"},
};

constexpr SiteReason kCoded = {"changed", "coded as I, D or -: the alleles of the panel's only such indel"};

bool IsInverted(const StudyCheck& check, const std::string& contig) {
  const auto found = std::ranges::find(check.contigs, contig, &ContigCheck::name);
  return found != check.contigs.end() && found->signs.AreInverted();
}

}  // namespace

std::string CheckedSitesTsv(const StudyCheck& check) {
  std::string text = "contig\tposition\tid\tref\talt\taction\treason\n";
  StudyReader reader = OpenCheckedStudy(check);
  ForEachCheckedSite(check, reader, [&](const StudyGenotypes& study, size_t s, size_t index) {
    SiteRelation relation = check.site_relations[index];
    if (relation == SiteRelation::kSame && IsInverted(check, study.contig)) relation = SiteRelation::kInverted;
    const bool is_coded = check.coded_indels.contains(index);
    if (relation == SiteRelation::kSame && !is_coded) return;
    const Marker& marker = study.markers[s].marker;
    const SiteReason& reason = is_coded ? kCoded : kReasons[static_cast<size_t>(relation)];
    fmt::format_to(std::back_inserter(text), "{}\t{}\t{}\t{}\t{}\t{}\t{}\n", study.contig, marker.position, marker.id,
                   marker.ref, marker.alt, reason.action, reason.reason);
  });
  return text;
}

}  // namespace haplospin
