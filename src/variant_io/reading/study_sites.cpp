#include "variant_io/reading/study_sites.h"

#include <utility>

#include "variant_io/reading/pieces.h"
#include "variant_io/variant_file.h"

namespace haplospin {
namespace {

class StudySitesReader : public PanelReader {
 public:
  StudySitesReader(const std::string& path, const StudyOptions& options) : reader_(path, options) {}

  const std::vector<std::string>& sample_names() const override { return no_names_; }
  const std::vector<std::pair<std::string, int64_t>>& header_contigs() const override {
    return reader_.header_contigs();
  }
  std::vector<std::string> Contigs() override { return reader_.Contigs(); }
  std::optional<std::string> NextContig() override { return reader_.NextContig(); }
  std::optional<int64_t> NextPosition() override { return reader_.NextPosition(); }
  void DivideContigs(const PloidyRegions& regions) override { reader_.DivideContigs(regions); }
  void SkipContig() override { reader_.SkipContig(); }
  void Seek(const Region& region) override { reader_.Seek(region); }

  MutablePanel StartContig() override {
    study_ = reader_.StartContig();
    return {study_.contig, SampleTable::Diploid({})};
  }

  bool ReadUntil(int64_t position, MutablePanel& panel) override {
    return ForEachMarker(
        reader_, study_, [&](size_t m) { panel.Append(std::move(study_.markers[m]), nullptr); }, position);
  }

 private:
  StudyReader reader_;
  const std::vector<std::string> no_names_;
  StudyGenotypes study_;  // markers that have been read but not appended
};

}  // namespace

std::unique_ptr<PanelReader> OpenStudySites(const std::string& path, const StudyOptions& options) {
  CheckReadableTwice(path);
  return std::make_unique<StudySitesReader>(path, options);
}

}  // namespace haplospin
