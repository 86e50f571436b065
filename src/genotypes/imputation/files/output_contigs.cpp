#include "genotypes/imputation/files/output_contigs.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/writing/output_type.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// A table without two contigs that differ by "chr" alone.
class ContigList {
 public:
  explicit ContigList(ContigTable contigs) : contigs_(std::move(contigs)) {
    for (size_t i = 0; i < contigs_.size(); ++i) index_.emplace(CanonicalContig(contigs_[i].first), i);
  }

  // Adds a contig, or its length if it is there already.
  void Add(const std::string& name, int64_t length) {
    const auto [entry, is_new] = index_.emplace(CanonicalContig(name), contigs_.size());
    if (is_new) {
      contigs_.emplace_back(name, length);
    } else if (contigs_[entry->second].second == 0) {
      contigs_[entry->second].second = length;
    }
  }

  // Adds a contig, or gives the one that is there this name.
  void Name(const std::string& name) {
    if (std::ranges::find(contigs_, name, &ContigTable::value_type::first) != contigs_.end()) return;
    Add(name, 0);
    contigs_[index_.at(std::string(CanonicalContig(name)))].first = name;
  }

  const ContigTable& contigs() const { return contigs_; }

 private:
  ContigTable contigs_;
  std::unordered_map<std::string, size_t> index_;  // canonical name to index of the contig
};

}  // namespace

ContigTable OutputContigs(StudyFile& file, const StudyReader& study, const PanelReader& panel, const std::string& first,
                          bool is_only_one) {
  ContigList list(study.header().contigs);
  for (const auto& [name, length] : panel.header_contigs()) list.Add(name, length);
  list.Name(first);
  if (is_only_one || file.has_all_contigs() || !file.CanBeReadTwice()) return list.contigs();
  for (const std::string& name : file.Contigs()) list.Name(name);
  return list.contigs();
}

ContigTable JoinContigTables(std::span<const ContigTable> studies, std::span<const ContigTable> panels,
                             std::span<const std::string> imputed) {
  VariantHeader declared;
  for (const ContigTable& contigs : studies) declared.AddContigs(contigs);
  ContigList list(declared.contigs);
  for (const ContigTable& contigs : panels) {
    for (const auto& [name, length] : contigs) list.Add(name, length);
  }
  for (const std::string& name : imputed) list.Name(name);
  return list.contigs();
}

int64_t ContigLength(const ContigTable& contigs, const std::string& study_path, const std::string& contig) {
  const auto known = std::ranges::find(contigs, contig, &ContigTable::value_type::first);
  if (known != contigs.end()) return known->second;
  throw InputError(
      fmt::format("{}: the header does not declare contig {}; add a ##contig line for each contig (bcftools reheader "
                  "--fai), or give a file instead of a pipe",
                  study_path, contig));
}

}  // namespace haplospin
