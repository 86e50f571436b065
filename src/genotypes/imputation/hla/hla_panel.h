// A panel to which HLA genes are added while it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/genomics/hla/hla_genes.h"
#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/variant_io/hla/hla_types.h"
#include "genotypes/variant_io/reading/panel_reader.h"

namespace haplospin {

// What was added for a gene.
struct AddedGene {
  std::string gene;
  size_t typed;    // people with a type
  size_t alleles;  // that haplotypes of the panel have
};

// Adds a record for each typed gene: ID HLA_A, REF N and the ALTs <HLA_A*01:01>, one of which every haplotype has
// (gene_alleles.h). Markers of alleles of these genes that the panel has already are left out. Of chromosome 6, the
// markers from 2 Mb before the first gene to 2 Mb after the last are in memory together.
class HlaPanel : public ForwardingPanelReader {
 public:
  // `places` has all genes of `types`, whose people are the samples of the panel. `map` is the path of a genetic map;
  // if empty, 1 cM is 1 Mb.
  HlaPanel(std::unique_ptr<PanelReader> panel, HlaTypes types, const HlaGenes& places, std::string map);

  // Throws InputError at the end of a panel without chromosome 6.
  std::optional<std::string> NextContig() override;
  std::optional<int64_t> NextPosition() override;
  MutablePanel StartContig() override;

  // Throws InputError if the panel has no markers around any of the genes.
  bool ReadUntil(int64_t position, MutablePanel& panel) override;
  void SkipContig() override;
  void Seek(const Region& region) override;

  const std::vector<AddedGene>& added() const { return added_; }

 private:
  // A gene as a record: its place, and the allele of each haplotype.
  struct Record {
    const HlaGeneTypes* types;
    int64_t position;               // bp
    std::vector<uint32_t> alleles;  // [haplotypes]
  };

  // The part of chromosome 6 that is in memory.
  struct Ahead {
    MutablePanel markers;
    std::vector<Record> records;  // ascending by position
    size_t next_marker = 0, next_record = 0;
    bool has_more = true;    // markers of the contig after these
    bool is_filled = false;  // the markers around the genes have been read

    bool IsEmpty() const { return next_marker == markers.num_markers() && next_record == records.size(); }
    bool IsRecordNext() const;
    int64_t NextPosition() const;
  };

  bool IsPending() const { return ahead_ && !ahead_->IsEmpty(); }
  void ReadAhead();
  void FillAhead(int64_t last);
  void PlaceGenes();
  bool HasMarkersAround(int64_t position) const;
  bool IsReplaced(const Marker& marker) const;
  void AppendRecord(const Record& record, MutablePanel& panel);

  const HlaTypes types_;
  const std::string map_;
  std::vector<std::pair<int64_t, const HlaGeneTypes*>> genes_;  // ascending by position
  bool is_found_ = false;                                       // chromosome 6
  std::optional<std::string> contig_;                           // chromosome 6, while it is read
  std::optional<Ahead> ahead_;
  std::vector<AddedGene> added_;
};

}  // namespace haplospin
