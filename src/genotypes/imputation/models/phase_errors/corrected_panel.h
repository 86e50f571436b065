// A panel whose errors of phase are corrected while it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/imputation/models/phase_errors/panel_phase_errors.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "haplospin/genetic_map.h"

namespace haplospin {

// Diploid samples whose two haplotypes are exchanged; none at the start.
class HaplotypeExchange {
 public:
  explicit HaplotypeExchange(const SampleTable& samples);

  // Exchanges the haplotypes of a diploid sample, or exchanges them back.
  void Toggle(size_t sample);

  // Appends marker m of a panel to another of the same samples, with the alleles exchanged.
  void Append(const HaplotypePanel& from, size_t m, MutablePanel& to);

 private:
  void ExchangeBits(std::span<uint64_t> bits) const;
  uint32_t Exchanged(std::span<const uint32_t> carriers, size_t k) const;

  const std::vector<uint32_t> first_haplotype_;  // [samples + 1]
  std::vector<uint64_t> first_;                  // bit h: haplotype h is exchanged with h + 1
  std::vector<uint64_t> bits_;                   // workspace
  std::vector<uint32_t> carriers_;
};

// Reads ahead by a window of a few cM, in which each sample is compared with all others (panel_phase_errors.h).
class CorrectedPanel : public ForwardingPanelReader {
 public:
  // `map` is the path of a genetic map; if empty, 1 cM is 1 Mb.
  CorrectedPanel(std::unique_ptr<PanelReader> panel, std::string map);

  std::optional<std::string> NextContig() override;
  std::optional<int64_t> NextPosition() override;
  MutablePanel StartContig() override;
  bool ReadUntil(int64_t position, MutablePanel& panel) override;
  void SkipContig() override;
  void Seek(const Region& region) override;

  // Returns the number of errors in what was read, and perhaps in a few cM more.
  const PhaseErrorCounts& counts() const { return counts_; }

 private:
  // A contig, or a part of it, from the first record that is in memory.
  struct Contig {
    Contig(MutablePanel empty, GeneticMap genetic_map)
        : markers(std::move(empty)), map(std::move(genetic_map)), exchange(markers.samples()) {}

    bool HasNext() const { return next < markers.num_markers(); }

    MutablePanel markers;  // markers with the phase of the file
    GeneticMap map;
    HaplotypeExchange exchange;
    size_t next = 0;           // marker to pass on
    size_t corrected_end = 0;  // the markers before it can be passed on
    bool is_read = false;      // the contig has been read to its end
    std::vector<PhaseExchange> exchanges;
    size_t next_exchange = 0;
  };

  void ReadWindow();  // reads and corrects the next window that has markers
  void Fill(int64_t position);
  void ExchangeUntil(int64_t position);

  const std::string map_;
  std::optional<Contig> contig_;
  PhaseErrorCounts counts_;
};

}  // namespace haplospin
