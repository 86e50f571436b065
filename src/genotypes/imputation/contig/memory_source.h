// Markers that are in memory already, as a run reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "genotypes/variant_io/reading/marker_source.h"
#include "haplospin/haplotype_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// Copies the markers of a panel, which must outlive the source, one after the other.
class MemoryPanel : public PanelMarkerSource {
 public:
  explicit MemoryPanel(const HaplotypePanel& panel) : panel_(panel) {}

  const std::vector<std::string>& sample_names() const override { return panel_.samples().names; }
  std::optional<int64_t> NextPosition() override;
  std::optional<int64_t> LastPosition() override;
  MutablePanel StartContig() override { return MutablePanel(panel_.contig(), panel_.samples()); }
  bool ReadUntil(int64_t position, MutablePanel& panel) override;
  void Seek(const Region& region) override { next_ = FirstMarkerAtOrAfter(panel_, region.begin); }

 private:
  const HaplotypePanel& panel_;
  size_t next_ = 0;
};

// Does the same with the markers of a study.
class MemoryStudy : public StudyMarkerSource {
 public:
  explicit MemoryStudy(const StudyGenotypes& study) : study_(study) {}

  std::optional<int64_t> NextPosition() override;
  StudyGenotypes StartContig() override;
  bool ReadUntil(int64_t position, StudyGenotypes& study) override;
  void Seek(const Region& region) override;

 private:
  const StudyGenotypes& study_;
  size_t next_ = 0;
};

}  // namespace haplospin
