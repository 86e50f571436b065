#include "genotypes/variant_io/joining/merge.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "genotypes/variant_io/joining/imputed_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kRecordsPerBatch = 256;  // that are written together

std::string SiteText(const std::string& contig, const Marker& marker) {
  return fmt::format("{}:{} {}>{}", contig, marker.position, marker.ref.substr(0, 20), marker.alt.substr(0, 20));
}

class Merger {
 public:
  explicit Merger(const MergeOptions& options) : options_(options) {
    std::unordered_map<std::string, std::string> paths;  // of samples
    for (const std::string& path : options.pieces) {
      batches_.push_back(std::make_unique<ImputedFile>(path));
      for (const std::string& name : batches_.back()->samples()) {
        const auto [other, is_new] = paths.emplace(name, path);
        if (!is_new) {
          throw InputError(fmt::format(
              "{}: has sample {}, which {} has too; leave it out of one, or give --meta to combine what several panels "
              "impute for the same samples",
              path, name, other->second));
        }
        names_.push_back(name);
      }
      header_.AddContigs(batches_.back()->header_contigs());
    }
    header_.lines = options.header_lines;
  }

  MergeCounts Run() {
    while (ReadRecord()) {
      if (records_.size() == kRecordsPerBatch) Write();
    }
    Write();
    if (!writer_) throw InputError(options_.pieces[0] + ": no records; give imputed files");
    writer_->Finish(options_.index);
    return {names_.size(), num_records_, writer_->mean_dr2()};
  }

 private:
  // Returns false at the end of all files.
  bool ReadRecord() {
    const bool has_more = batches_[0]->Next();
    for (size_t b = 1; b < batches_.size(); ++b) {
      if (batches_[b]->Next() == has_more) continue;
      throw InputError(fmt::format("{}: has {} records than {}; {}", batches_[b]->path(), has_more ? "fewer" : "more",
                                   batches_[0]->path(), kSameSites));
    }
    if (!has_more) return false;
    ImputedFile& first = *batches_[0];
    ImputedRecord merged;
    merged.marker = first.ReadMarker();
    merged.in_panel = !first.Has("NOT_IN_PANEL");
    merged.panel_r2 = first.ReadPanelR2();
    for (const auto& batch : batches_) {
      CheckSite(*batch, first.contig(), merged);
      merged.is_typed = merged.is_typed || batch->Has("TYPED");
      // Batches of one array have the same R2P; of several arrays, none is that of all samples.
      if (batch->ReadPanelR2() != merged.panel_r2) merged.panel_r2.reset();
      batch->AppendTo(merged);
    }
    if (contig_ != first.contig() || (!records_.empty() && records_[0].first_haplotype != merged.first_haplotype))
      Write();
    if (contig_ == first.contig() && merged.marker.position < last_position_) {
      first.Fail(fmt::format("comes after position {}; sort the file (bcftools sort)", last_position_));
    }
    contig_ = first.contig();
    last_position_ = merged.marker.position;
    records_.push_back(std::move(merged));
    return true;
  }

  void CheckSite(const ImputedFile& batch, const std::string& contig, const ImputedRecord& merged) const {
    const Marker marker = batch.ReadMarker();
    const bool is_same = batch.contig() == contig && marker.position == merged.marker.position &&
                         marker.ref == merged.marker.ref && marker.alt == merged.marker.alt &&
                         batch.Has("NOT_IN_PANEL") != merged.in_panel;
    if (is_same) return;
    batch.Fail(fmt::format("the site is {}, but {} in {}; {}", SiteText(batch.contig(), marker),
                           SiteText(contig, merged.marker), batches_[0]->path(), kSameSites));
  }

  void Write() {
    if (records_.empty()) return;
    const SampleTable samples{names_, records_[0].first_haplotype};
    if (!writer_) {
      OutputFields fields = CommonFields(*batches_[0], options_.fields);
      fields.r2p = batches_[0]->Declares(BCF_HL_INFO, "R2P");
      writer_.emplace(options_.out, options_.type, header_, samples, fields);
    }
    WriteRecords(contig_, samples, records_, *writer_);
    num_records_ += records_.size();
    records_.clear();
  }

  static constexpr const char* kSameSites =
      "the files must have the same sites: impute all batches with the same panel, without --min-r2 and with "
      "--no-study-only";

  const MergeOptions& options_;
  std::vector<std::unique_ptr<ImputedFile>> batches_;
  std::vector<std::string> names_;  // of the samples
  VariantHeader header_;
  std::optional<DosageWriter> writer_;
  std::string contig_;         // of the records
  int64_t last_position_ = 0;  // bp, on this contig
  std::vector<ImputedRecord> records_;
  size_t num_records_ = 0;
};

}  // namespace

MergeCounts MergeSamples(const MergeOptions& options) { return Merger(options).Run(); }

}  // namespace haplospin
