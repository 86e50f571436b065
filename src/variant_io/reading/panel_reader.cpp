#include "variant_io/panel_file/panel_file.h"
#include "variant_io/reading/panel_source.h"
#include "variant_io/reading/variant_reader.h"

namespace haplospin {

struct PanelReader::Impl {
  std::unique_ptr<PanelSource> source;
};

PanelReader::PanelReader(const std::string& path, int threads)
    : impl_(new Impl{IsPanelFile(path) ? OpenPanelFile(path, threads) : OpenVariantPanel(path, threads)}) {}
PanelReader::~PanelReader() = default;
PanelReader::PanelReader(PanelReader&&) noexcept = default;

const std::vector<std::string>& PanelReader::sample_names() const { return impl_->source->sample_names(); }

const std::vector<std::pair<std::string, int64_t>>& PanelReader::header_contigs() const {
  return impl_->source->header_contigs();
}

std::vector<std::string> PanelReader::contigs() const { return impl_->source->Contigs(); }

std::optional<std::string> PanelReader::NextContig() { return impl_->source->NextContig(); }

std::optional<int64_t> PanelReader::NextPosition() { return impl_->source->NextPosition(); }

HaplotypePanel PanelReader::StartContig() { return impl_->source->StartContig(); }

bool PanelReader::ReadUntil(int64_t position, HaplotypePanel& panel) {
  return impl_->source->ReadUntil(position, panel);
}

void PanelReader::SkipContig() { impl_->source->SkipContig(); }

void PanelReader::Seek(const Region& region) { impl_->source->Seek(region); }

}  // namespace haplospin
