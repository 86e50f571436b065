#include "genomics/sites/allele_relation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace haplospin {
namespace {

bool SameAllele(const std::string& a, const std::string& b) {
  return a == b ||
         std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::toupper(x) == std::toupper(y); });
}

}  // namespace

std::string ReverseComplement(const std::string& allele) {
  std::string other;
  for (auto base = allele.rbegin(); base != allele.rend(); ++base) {
    switch (std::toupper(static_cast<unsigned char>(*base))) {
      case 'A':
        other += 'T';
        break;
      case 'C':
        other += 'G';
        break;
      case 'G':
        other += 'C';
        break;
      case 'T':
        other += 'A';
        break;
      default:
        return "";
    }
  }
  return other;
}

AlleleRelation RelateAlleles(const Marker& study, const Marker& panel) {
  if (SameAllele(study.ref, panel.ref) && SameAllele(study.alt, panel.alt)) return AlleleRelation::kSame;
  if (SameAllele(study.ref, panel.alt) && SameAllele(study.alt, panel.ref)) return AlleleRelation::kSwapped;
  const std::string ref = ReverseComplement(study.ref), alt = ReverseComplement(study.alt);
  if (SameAllele(ref, panel.ref) && SameAllele(alt, panel.alt)) return AlleleRelation::kFlipped;
  if (SameAllele(ref, panel.alt) && SameAllele(alt, panel.ref)) return AlleleRelation::kFlippedAndSwapped;
  return AlleleRelation::kOther;
}

AlleleRelation RelateMonomorphic(const Marker& study, const Marker& panel) {
  if (study.ref.size() == 1 && !IsSnv(panel)) return AlleleRelation::kOther;
  if (SameAllele(study.ref, panel.ref)) return AlleleRelation::kSame;
  if (SameAllele(study.ref, panel.alt)) return AlleleRelation::kSwapped;
  const std::string ref = ReverseComplement(study.ref);
  if (SameAllele(ref, panel.ref)) return AlleleRelation::kFlipped;
  if (SameAllele(ref, panel.alt)) return AlleleRelation::kFlippedAndSwapped;
  return AlleleRelation::kOther;
}

bool IsSnv(const Marker& marker) {
  return marker.ref.size() == 1 && marker.alt.size() == 1 && !ReverseComplement(marker.ref).empty() &&
         !ReverseComplement(marker.alt).empty();
}

bool IsStrandAmbiguous(const Marker& marker) {
  return IsSnv(marker) && SameAllele(marker.alt, ReverseComplement(marker.ref));
}

std::string SiteName(const std::string& contig, const Marker& marker) {
  return fmt::format("{}:{} {}>{}", contig, marker.position, marker.ref, marker.alt);
}

std::string SiteNameWithPanel(const std::string& contig, const Marker& study, const Marker& panel) {
  return fmt::format("{}, panel has {}>{}", SiteName(contig, study), panel.ref, panel.alt);
}

}  // namespace haplospin
