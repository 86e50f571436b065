// A panel whose missing alleles are imputed from its own haplotypes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/variant_io/reading/panel_reader.h"

namespace haplospin {

// A missing allele is that of most haplotypes among those that match longest around it: they have the same alleles at
// the next marker on either side, and the next, as long as kMinMatches of them do, up to kFlank markers on a side. It
// is REF where none is known.
class CompletedPanel : public ForwardingPanelReader {
 public:
  static constexpr size_t kMinMatches = 5;
  static constexpr size_t kFlank = 200;

  // `panel` was opened with PanelHaplotypes::kReadMissing.
  explicit CompletedPanel(std::unique_ptr<PanelReader> panel) : ForwardingPanelReader(std::move(panel)) {}

  std::optional<std::string> NextContig() override;
  std::optional<int64_t> NextPosition() override;
  void SkipContig() override;
  void Seek(const Region& region) override;
  MutablePanel StartContig() override;
  bool ReadUntil(int64_t position, MutablePanel& panel) override;

  // What has been read so far.
  struct Counts {
    size_t alleles = 0, missing = 0;  // alleles of all haplotypes and markers
    size_t markers = 0;               // with a missing allele
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Row {
    Marker marker;
    std::vector<uint64_t> bits, missing;  // [haplotypes]; missing: empty where none is
  };

  void ReadAhead();
  bool HasNext() const { return next_ < rows_.size(); }
  void Complete(size_t row);
  bool ImputedAllele(size_t row, size_t haplotype);
  bool Keep(const Row& neighbor, size_t haplotype);

  std::optional<MutablePanel> read_;  // the contig, and what has just been read
  bool has_more_ = false;             // of the contig
  std::deque<Row> rows_;              // kFlank that were given, and those after them
  size_t next_ = 0;                   // the first row that was not given
  size_t num_haplotypes_ = 0;
  std::vector<uint64_t> matching_, kept_;  // [haplotypes] for one missing allele
  Counts counts_;
};

}  // namespace haplospin
