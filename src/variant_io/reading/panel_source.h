// Where PanelReader reads from: records of VCF and BCF, or a panel file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "haplospin/haplotype_panel.h"
#include "variant_io/reading/variant_reader.h"

namespace haplospin {

// As the functions of PanelReader.
class PanelSource {
 public:
  virtual ~PanelSource() = default;
  virtual const std::vector<std::string>& sample_names() const = 0;
  virtual const std::vector<std::pair<std::string, int64_t>>& header_contigs() const = 0;
  virtual std::vector<std::string> Contigs() = 0;
  virtual std::optional<std::string> NextContig() = 0;
  virtual std::optional<int64_t> NextPosition() = 0;
  virtual HaplotypePanel StartContig() = 0;
  virtual bool ReadUntil(int64_t position, HaplotypePanel& panel) = 0;
  virtual void SkipContig() = 0;
  virtual void Seek(const Region& region) = 0;
};

std::unique_ptr<PanelSource> OpenVariantPanel(const std::string& path, int threads);
std::unique_ptr<PanelSource> OpenPanelFile(const std::string& path, int threads);

}  // namespace haplospin
