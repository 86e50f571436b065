// A panel whose errors of phase are corrected while it is read.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "haplospin/genetic_map.h"
#include "imputation/phasing/haplotype_exchange.h"
#include "imputation/phasing/panel_phase_errors.h"
#include "variant_io/reading/panel_reader.h"

namespace haplospin {

// Reads ahead by a window of a few cM, in which each sample is compared with all others (panel_phase_errors.h).
class CorrectedPanel : public PanelReader {
 public:
  // `map` is the path of a genetic map; if empty, 1 cM is 1 Mb.
  CorrectedPanel(std::unique_ptr<PanelReader> panel, std::string map);

  const std::vector<std::string>& sample_names() const override { return panel_->sample_names(); }
  const std::vector<std::pair<std::string, int64_t>>& header_contigs() const override {
    return panel_->header_contigs();
  }
  std::vector<std::string> Contigs() override { return panel_->Contigs(); }
  std::optional<std::string> NextContig() override;
  std::optional<int64_t> NextPosition() override;
  void DivideContigs(const PloidyRegions& regions) override { panel_->DivideContigs(regions); }
  MutablePanel StartContig() override;
  bool ReadUntil(int64_t position, MutablePanel& panel) override;
  void SkipContig() override;
  void Seek(const Region& region) override;

  // Of what was read, and perhaps of a few cM more.
  const PhaseErrorCounts& counts() const { return counts_; }

 private:
  // A contig, or a part of it, from the first record that is in memory.
  struct Contig {
    Contig(MutablePanel empty, GeneticMap genetic_map)
        : markers(std::move(empty)), map(std::move(genetic_map)), exchange(markers.samples()) {}

    bool HasNext() const { return next < markers.num_markers(); }

    MutablePanel markers;  // as they are in the file
    GeneticMap map;
    HaplotypeExchange exchange;
    size_t next = 0;           // marker to pass on
    size_t corrected_end = 0;  // the markers before it can be passed on
    bool is_read = false;      // to its end
    std::vector<PhaseExchange> exchanges;
    size_t next_exchange = 0;
  };

  void ReadWindow();
  void Fill(int64_t position);
  void ExchangeUntil(int64_t position);

  const std::unique_ptr<PanelReader> panel_;
  const std::string map_;
  std::optional<Contig> contig_;
  PhaseErrorCounts counts_;
};

}  // namespace haplospin
