#include "genotypes/imputation/self_test/held_out_reads.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/random.h"

namespace haplospin {
namespace {

constexpr int64_t kPiece = 1000;  // bp
constexpr uint64_t kOneOf = 10;   // pieces

void RemoveReads(const std::vector<bool>& is_hidden, ReadAlleleRow& reads) {
  ReadAlleleRow left;
  left.first.push_back(0);
  for (size_t s = 0; s < is_hidden.size(); ++s) {
    const std::span<const ReadAllele> own = reads.At(s);
    if (!is_hidden[s]) left.alleles.insert(left.alleles.end(), own.begin(), own.end());
    left.first.push_back(static_cast<uint32_t>(left.alleles.size()));
  }
  reads = std::move(left);
}

class HiddenSource : public RecordSource {
 public:
  HiddenSource(std::unique_ptr<RecordSource> source, std::shared_ptr<HeldOutReads> held_out)
      : RecordSource(source->header()), source_(std::move(source)), held_out_(std::move(held_out)) {}

  size_t Read() override { return Hold(source_->Read()); }
  ContigTable KnownContigs() const override { return source_->KnownContigs(); }
  std::optional<std::vector<std::string>> IndexedContigs() override { return source_->IndexedContigs(); }
  bool Seek(const Region& region) override { return source_->Seek(region); }
  std::string SortingRemedy() const override { return source_->SortingRemedy(); }

 private:
  void Decode(size_t i, const RecordFilter& filter, ParsedRecord& record) override {
    source_->Parse(i, filter);
    std::swap(record, source_->record(i));
    held_out_->Hide(record);
  }

  const std::unique_ptr<RecordSource> source_;
  const std::shared_ptr<HeldOutReads> held_out_;
};

}  // namespace

bool HeldOutReads::IsHidden(int64_t position, size_t column) const {
  return RandomStream(seed_, {static_cast<uint64_t>(position / kPiece), column}).UniformInt(kOneOf) == 0;
}

void HeldOutReads::Hide(ParsedRecord& record) {
  if (record.is_outside || !record.error.empty() || record.likelihoods.empty()) return;
  std::vector<bool> is_hidden(record.likelihoods[0].size());
  for (size_t s = 0; s < is_hidden.size(); ++s) is_hidden[s] = IsHidden(record.position, s);
  for (size_t a = 0; a < record.alts.size() && a < record.likelihoods.size(); ++a) {
    Alt alt{record.ref, record.alts[a], {}};
    for (size_t s = 0; s < is_hidden.size(); ++s) {
      GenotypeLikelihoods& own = record.likelihoods[a][s];
      if (!is_hidden[s] || own.IsFlat()) continue;
      alt.genotypes.push_back({static_cast<uint32_t>(s), std::exchange(own, {})});
    }
    if (!alt.genotypes.empty()) Keep(record.contig, record.position, std::move(alt));
  }
  if (!record.reads.empty()) RemoveReads(is_hidden, record.reads);
}

void HeldOutReads::Keep(const std::string& contig, int64_t position, Alt alt) {
  const std::scoped_lock lock(mutex_);
  std::vector<Alt>& alts = contigs_[contig][position];
  const auto known = std::ranges::find_if(alts, [&](const Alt& a) { return a.ref == alt.ref && a.alt == alt.alt; });
  if (known == alts.end()) {
    alts.push_back(std::move(alt));
  } else {
    *known = std::move(alt);
  }
}

std::vector<HeldOutGenotype> HeldOutReads::Take(const std::string& contig, const Marker& marker) {
  const std::scoped_lock lock(mutex_);
  auto& positions = contigs_[contig];
  positions.erase(positions.begin(), positions.lower_bound(marker.position));
  const auto at = positions.find(marker.position);
  if (at == positions.end()) return {};
  const auto found =
      std::ranges::find_if(at->second, [&](const Alt& alt) { return alt.ref == marker.ref && alt.alt == marker.alt; });
  return found == at->second.end() ? std::vector<HeldOutGenotype>() : std::exchange(found->genotypes, {});
}

std::unique_ptr<RecordSource> HideReads(std::unique_ptr<RecordSource> source, std::shared_ptr<HeldOutReads> held_out) {
  return std::make_unique<HiddenSource>(std::move(source), std::move(held_out));
}

}  // namespace haplospin
