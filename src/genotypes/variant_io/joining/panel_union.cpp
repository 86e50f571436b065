#include "genotypes/variant_io/joining/panel_union.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "genotypes/genomics/sites/site_relation.h"
#include "genotypes/genomics/sites/variant.h"

namespace haplospin {
namespace {

bool Has(const std::vector<UnionAlt>& alts, const Marker& marker) {
  return std::ranges::any_of(alts, [&](const UnionAlt& alt) { return IsSameAlt(alt.marker, marker); });
}

}  // namespace

bool IsSameAlt(const Marker& a, const Marker& b) { return a.ref == b.ref && MayBeSameVariant(a, b); }

ImputedRecord& UnionAlt::First() {
  ImputedRecord* first = nullptr;
  for (auto& record : in_files) {
    if (record && (first == nullptr || (record->in_panel && !first->in_panel))) first = &*record;
  }
  return *first;
}

bool UnionAlt::IsInPanel() const {
  return std::ranges::any_of(in_files, [](const auto& record) { return record && record->in_panel; });
}

bool UnionAlt::IsTyped() const {
  return std::ranges::any_of(in_files, [](const auto& record) { return record && record->IsKnown(); });
}

bool UnionRecord::IsWithout(size_t file, const UnionAlt& alt) const {
  if (alt.in_files[file] || alt.IsTyped()) return false;
  return std::ranges::any_of(
      alts, [file](const UnionAlt& other) { return other.in_files[file] && other.in_files[file]->in_panel; });
}

// Of several ALTs with the alleles, as of HLA genes, it is the one with the ID.
UnionAlt* PanelUnion::Find(size_t file, const Marker& marker, std::vector<UnionAlt>& alts) {
  UnionAlt* found = nullptr;
  for (UnionAlt& alt : alts) {
    if (alt.in_files[file] || !IsSameAlt(alt.marker, marker)) continue;
    if (found == nullptr || (found->marker.id != marker.id && alt.marker.id == marker.id)) found = &alt;
  }
  return found;
}

bool PanelUnion::AddToOther(size_t file, ImputedRecord& alt) {
  UnionAlt* found = nullptr;
  for (UnionRecord& record : records_) {
    UnionAlt* other = Find(file, alt.marker, record.alts);
    if (other == nullptr) continue;
    if (found == nullptr || (found->marker.id != alt.marker.id && other->marker.id == alt.marker.id)) found = other;
  }
  if (found == nullptr) {
    const auto exchanged = std::ranges::find_if(records_, [&](const UnionRecord& record) {
      return record.alts.size() == 1 && !record.alts[0].in_files[file] &&
             RelateAlleles(record.alts[0].marker, alt.marker) == SiteRelation::kSwapped;
    });
    if (exchanged == records_.end()) return false;
    found = &exchanged->alts[0];
    alt.Mirror();
  }
  found->in_files[file] = std::move(alt);
  return true;
}

UnionRecord& PanelUnion::RecordFor(size_t file, const std::vector<ImputedRecord>& alts) {
  UnionRecord* found = nullptr;
  const auto is_part = [&](UnionRecord& other) {
    if (!IsPart(file, alts, other)) return false;
    return found == nullptr ||
           std::ranges::none_of(other.alts, [&](const auto& alt) { return Has(found->alts, alt.marker); });
  };
  for (auto other = records_.begin(); other != records_.end();) {
    if (!is_part(*other)) {
      ++other;
      continue;
    }
    if (found == nullptr) {
      found = &*other++;
      continue;
    }
    // What another file has split is one record here.
    std::ranges::move(other->alts, std::back_inserter(found->alts));
    other = records_.erase(other);
  }
  return found != nullptr ? *found : records_.emplace_back();
}

bool PanelUnion::IsPart(size_t file, const std::vector<ImputedRecord>& alts, UnionRecord& other) {
  const Marker &marker = other.alts[0].marker, &own = alts[0].marker;
  if (marker.ref != own.ref || (alts.size() == 1 && other.alts.size() == 1)) return false;
  const bool is_again = std::ranges::any_of(other.alts, [&](const UnionAlt& alt) {
    return alt.in_files[file] &&
           std::ranges::any_of(alts, [&](const auto& a) { return IsSameAlt(a.marker, alt.marker); });
  });
  if (is_again) return false;
  if (own.id != "." && marker.id == own.id) return true;
  return std::ranges::any_of(alts, [&](const auto& alt) { return Has(other.alts, alt.marker); });
}

void PanelUnion::Add(size_t file, std::vector<ImputedRecord> alts) {
  if (alts.size() == 1 && AddToOther(file, alts[0])) return;
  UnionRecord& record = RecordFor(file, alts);
  for (ImputedRecord& alt : alts) {
    UnionAlt* own = Find(file, alt.marker, record.alts);
    if (own == nullptr) own = &record.alts.emplace_back(UnionAlt{alt.marker, decltype(own->in_files)(num_files_)});
    own->in_files[file] = std::move(alt);
  }
}

}  // namespace haplospin
