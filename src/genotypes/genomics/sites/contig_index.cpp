#include "genotypes/genomics/sites/contig_index.h"

#include "genotypes/genomics/sites/contig_names.h"

namespace haplospin {

ContigIndex::ContigIndex(ContigTable contigs) : contigs_(std::move(contigs)) {
  for (size_t i = 0; i < contigs_.size(); ++i) {
    const std::string_view name = contigs_[i].first;
    own_.emplace(name, i);
    bare_.emplace(BareContig(name), i);
    canonical_.emplace(CanonicalContig(name), i);
  }
}

std::optional<size_t> ContigIndex::Find(std::string_view name) const {
  if (const auto found = own_.find(name); found != own_.end()) return found->second;
  if (const auto found = bare_.find(BareContig(name)); found != bare_.end()) return found->second;
  const auto found = canonical_.find(CanonicalContig(name));
  return found == canonical_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace haplospin
