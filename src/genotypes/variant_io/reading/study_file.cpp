#include "genotypes/variant_io/reading/study_file.h"

#include "genotypes/variant_io/variant_file.h"

namespace haplospin {

bool StudyFile::CanBeReadTwice() const { return open_ || haplospin::CanBeReadTwice(path_); }

RecordStream StudyFile::OpenSites() const {
  if (!open_) CheckReadableTwice(path_);
  const RecordContent content{.kind = RecordKind::kSites};
  return {open_ ? open_(content) : OpenRecords(path_, content), /*accepts_unphased=*/true};
}

RecordStream& StudyFile::Sites() {
  if (!sites_) sites_.emplace(OpenSites());
  return *sites_;
}

std::vector<std::string> StudyFile::Contigs() {
  if (auto indexed = IndexedContigs()) return *std::move(indexed);
  if (contigs_.empty()) ReadContigs();
  return contigs_;
}

FirstSites StudyFile::FindFirstSites(const std::string& contig) {
  if (const auto known = first_sites_.find(contig); known != first_sites_.end()) return known->second;
  RecordStream& sites = Sites();
  if (IndexedContigs()) sites.Seek({.contig = contig});
  for (const ParsedRecord* record = sites.Peek(); record != nullptr && record->contig != contig;) {
    sites.SkipContig();
    record = sites.Peek();
  }
  return first_sites_.emplace(contig, ReadFirstSites(sites)).first->second;
}

// Reads the first sites of the next contig.
FirstSites StudyFile::ReadFirstSites(RecordStream& sites) const {
  FirstSites found;
  const ParsedRecord* record = sites.Peek();
  const std::string contig = record == nullptr ? "" : record->contig;
  for (; record != nullptr && record->contig == contig && found.sites < kFirstSites; record = sites.Peek()) {
    if (found.sites++ == 0) found.first = record->position;
    found.last = record->position;
    sites.Pop();
  }
  return found;
}

void StudyFile::ReadContigs() {
  RecordStream sites = OpenSites();
  while (const ParsedRecord* record = sites.Peek()) {
    contigs_.push_back(record->contig);
    first_sites_.insert_or_assign(contigs_.back(), ReadFirstSites(sites));
    record = sites.Peek();
    if (record != nullptr && record->contig == contigs_.back()) sites.SkipContig();
  }
}

}  // namespace haplospin
