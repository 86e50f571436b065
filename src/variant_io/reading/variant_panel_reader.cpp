#include "variant_io/reading/variant_panel_reader.h"

#include <fmt/format.h>

#include <utility>

#include "haplospin/errors.h"
#include "variant_io/reading/variant_stream.h"

namespace haplospin {
namespace {

class VariantPanelReader : public PanelReader {
 public:
  explicit VariantPanelReader(const std::string& path) : stream_(path, RecordParser::Kind::kPanel, Unphased::kReject) {}

  const std::vector<std::string>& sample_names() const override { return stream_.file().samples(); }

  const std::vector<std::pair<std::string, int64_t>>& header_contigs() const override {
    return stream_.file().header_contigs();
  }

  std::vector<std::string> Contigs() override { return stream_.Contigs(); }

  std::optional<std::string> NextContig() override {
    const ParsedRecord* record = Peek();
    return record == nullptr ? std::nullopt : std::optional(record->contig);
  }

  std::optional<int64_t> NextPosition() override {
    const ParsedRecord* record = Peek();
    return record == nullptr ? std::nullopt : std::optional(record->position);
  }

  void DivideContigs(const PloidyRegions& regions) override { regions_ = regions; }

  MutablePanel StartContig() override {
    const ParsedRecord* record = Peek();
    if (record == nullptr) throw InputError(stream_.file().path() + ": no record has an ALT allele; give a panel");
    is_haploid_ = record->is_haploid;
    first_position_ = record->position;
    last_position_ = regions_.PartAt(record->contig, record->position).end;
    SampleTable samples{sample_names(), {0}};
    for (size_t s = 0; s < samples.num_samples(); ++s) {
      const bool is_haploid = !record->is_haploid.empty() && record->is_haploid[s];
      samples.first_haplotype.push_back(samples.first_haplotype.back() + (is_haploid ? 1 : 2));
    }
    return {record->contig, std::move(samples)};
  }

  bool ReadUntil(int64_t position, MutablePanel& panel) override {
    for (;;) {
      ParsedRecord* record = Peek();
      if (record == nullptr || record->contig != panel.contig() || record->position > last_position_) return false;
      if (record->position > position) return true;
      CheckPloidy(*record);
      for (size_t a = 0; a < record->alts.size(); ++a) {
        Marker marker{record->position, record->id, record->ref, std::move(record->alts[a])};
        if (marker.IsSymbolic()) marker.end = record->end;
        CheckNew(*record, marker, panel);
        panel.Append(std::move(marker), record->bits.data() + a * panel.words_per_marker());
      }
      stream_.Pop();
    }
  }

  void SkipContig() override { stream_.SkipContig(); }

  void Seek(const Region& region) override { stream_.Seek(region); }

 private:
  // The next record with an ALT.
  ParsedRecord* Peek() {
    ParsedRecord* record = stream_.Peek();
    while (record != nullptr && record->alts.empty()) {
      stream_.Pop();
      record = stream_.Peek();
    }
    return record;
  }

  // All markers of a position are read in one call. <DEL> and * may stand for several different alleles.
  void CheckNew(const ParsedRecord& record, const Marker& marker, const HaplotypePanel& panel) const {
    if (marker.IsSymbolic() || marker.alt == "*") return;
    for (size_t m = panel.num_markers(); m > 0 && panel.marker(m - 1).position == marker.position; --m) {
      if (!panel.marker(m - 1).SameAlleles(marker)) continue;
      stream_.Fail(record, fmt::format("{} > {} occurs twice; remove one of them (bcftools norm --rm-dup exact)",
                                       marker.ref.substr(0, 20), marker.alt.substr(0, 20)));
    }
  }

  void CheckPloidy(const ParsedRecord& record) const {
    if (record.is_haploid == is_haploid_) return;
    const auto haploid = [](const std::vector<bool>& flags, size_t s) { return !flags.empty() && flags[s]; };
    size_t s = 0;
    while (haploid(record.is_haploid, s) == haploid(is_haploid_, s)) ++s;
    stream_.Fail(record,
                 PloidyChange(stream_.file().samples()[s], haploid(record.is_haploid, s) ? 1 : 2, first_position_));
  }

  VariantStream stream_;
  PloidyRegions regions_;
  std::vector<bool> is_haploid_;  // of the contig's first record, as in ParsedRecord
  int64_t first_position_ = 0;    // of the contig or its part, bp
  int64_t last_position_ = INT64_MAX;
};

}  // namespace

std::unique_ptr<PanelReader> OpenVariantPanel(const std::string& path) {
  return std::make_unique<VariantPanelReader>(path);
}

}  // namespace haplospin
