#include "genotypes/variant_io/joining/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/open_files.h"
#include "genotypes/variant_io/joining/imputed_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kRecordsPerBatch = 256;  // that are written together

std::string SiteText(const std::string& contig, const Marker& marker) {
  return fmt::format("{}:{} {}>{}", contig, marker.position, marker.ref.substr(0, 20), marker.alt.substr(0, 20));
}

// A file, read position by position.
class Batch {
 public:
  explicit Batch(const std::string& path) : file_(path), has_more_(file_.Next()) {}

  const ImputedFile& file() const { return file_; }
  const std::string& contig() const { return contig_; }
  std::vector<ImputedRecord>& records() { return records_; }  // of the position

  // Reads the records of the next position. Returns false at the end of the file.
  bool Next() {
    records_.clear();
    if (!has_more_) return false;
    contig_ = file_.contig();
    position_ = file_.position();
    while (has_more_ && file_.position() == position_ && file_.contig() == contig_) {
      std::ranges::move(file_.ReadAlts(), std::back_inserter(records_));
      has_more_ = file_.Next();
    }
    return true;
  }

  // Takes the record of a marker, which may be at another place among those of its position: of several with its
  // alleles, the one with its ID.
  std::optional<ImputedRecord> Take(const std::string& contig, const ImputedRecord& like) {
    if (contig != contig_) return std::nullopt;
    auto found = records_.end();
    for (auto record = records_.begin(); record != records_.end(); ++record) {
      const Marker &marker = record->marker, &wanted = like.marker;
      if (marker.position != wanted.position || record->in_panel != like.in_panel) continue;
      if (marker.ref != wanted.ref || marker.alt != wanted.alt) continue;
      if (found == records_.end() || (found->marker.id != wanted.id && marker.id == wanted.id)) found = record;
    }
    if (found == records_.end()) return std::nullopt;
    ImputedRecord record = std::move(*found);
    records_.erase(found);
    return record;
  }

  [[noreturn]] void Fail(const std::string& what) const {
    throw InputError(fmt::format("{}: {}:{}: {}", file_.path(), contig_, position_, what));
  }

 private:
  ImputedFile file_;
  bool has_more_;
  std::string contig_;
  int64_t position_ = 0;  // bp
  std::vector<ImputedRecord> records_;
};

bool HasHaploids(const ImputedRecord& record) {
  for (size_t s = 1; s < record.first_haplotype.size(); ++s) {
    if (record.first_haplotype[s] == record.first_haplotype[s - 1] + 1) return true;
  }
  return false;
}

class Merger {
 public:
  explicit Merger(const MergeOptions& options) : options_(options) {
    AllowOpenFiles(options.pieces.size(), "merge them in groups, and then the merged files");
    std::unordered_map<std::string, std::string> paths;  // of samples
    for (const std::string& path : options.pieces) {
      batches_.push_back(std::make_unique<Batch>(path));
      const ImputedFile& file = batches_.back()->file();
      for (const std::string& name : file.samples()) {
        const auto [other, is_new] = paths.emplace(name, path);
        if (!is_new) {
          throw InputError(fmt::format(
              "{}: has sample {}, which {} has too; leave it out of one, or give --meta to combine what several panels "
              "impute for the same samples",
              path, name, other->second));
        }
        names_.push_back(name);
      }
      header_.AddContigs(file.header_contigs());
      header_.described.Add(file.described());
      if (file.DoublesHaploids()) doubled_ = batches_.back().get();
    }
    header_.lines = options.header_lines;
  }

  MergeCounts Run() {
    while (ReadPosition()) {
      if (records_.size() >= kRecordsPerBatch) Write();
    }
    Write();
    if (!writer_) throw InputError(options_.pieces[0] + ": no records; give imputed files");
    writer_->Finish(options_.index);
    for (const auto& batch : batches_) batch->file().Tell();
    return {names_.size(), num_records_, writer_->mean_dr2()};
  }

 private:
  // Returns false at the end of all files.
  bool ReadPosition() {
    Batch& first = *batches_[0];
    const bool has_more = first.Next();
    for (size_t b = 1; b < batches_.size(); ++b) {
      if (batches_[b]->Next() == has_more) continue;
      throw InputError(fmt::format("{}: has {} records than {}; {}", batches_[b]->file().path(),
                                   has_more ? "fewer" : "more", first.file().path(), kSameSites));
    }
    if (!has_more) return false;
    for (ImputedRecord& record : first.records()) {
      CheckOrder(record);
      Merge(record);
      records_.push_back(std::move(record));
    }
    for (size_t b = 1; b < batches_.size(); ++b) {
      if (!batches_[b]->records().empty()) FailSite(*batches_[b], records_.back());
    }
    return true;
  }

  // Writes the records before this one where it begins a contig or a part of another ploidy.
  void CheckOrder(const ImputedRecord& record) {
    const Batch& first = *batches_[0];
    if (contig_ != first.contig()) {
      Write();
    } else if (record.marker.position < last_position_) {
      first.Fail(fmt::format("comes after position {}; sort the file (bcftools sort)", last_position_));
    }
    contig_ = first.contig();
    last_position_ = record.marker.position;
  }

  // Adds the samples of the other files to the first one's.
  void Merge(ImputedRecord& record) {
    CheckCounting(*batches_[0], record);
    for (size_t b = 1; b < batches_.size(); ++b) {
      const auto other = batches_[b]->Take(contig_, record);
      if (!other) FailSite(*batches_[b], record);
      CheckCounting(*batches_[b], *other);
      record.Append(*other);
    }
    if (!records_.empty() && records_[0].first_haplotype != record.first_haplotype) Write();
  }

  // The dosages of men must be of one scale.
  void CheckCounting(const Batch& batch, const ImputedRecord& record) const {
    if (doubled_ == nullptr || batch.file().DoublesHaploids() || !HasHaploids(record)) return;
    batch.Fail(fmt::format(
        "haploid samples have one allele here, but two in {}; impute all batches with the same --male-dosage",
        doubled_->file().path()));
  }

  [[noreturn]] void FailSite(Batch& batch, const ImputedRecord& expected) const {
    for (const ImputedRecord& record : batch.records()) {
      const bool is_same = record.marker.position == expected.marker.position &&
                           record.marker.ref == expected.marker.ref && record.marker.alt == expected.marker.alt;
      if (is_same && record.in_panel != expected.in_panel) FailOrigin(batch, record);
    }
    const std::string own = batch.records().empty() ? fmt::format("{}, without that marker", batch.contig())
                                                    : SiteText(batch.contig(), batch.records().front().marker);
    batch.Fail(fmt::format("the site is {}, but {} in {}; {}", own, SiteText(contig_, expected.marker),
                           batches_[0]->file().path(), kSameSites));
  }

  // A batch without missing genotypes at a marker that the panel lacks keeps them; another one imputes those missing.
  [[noreturn]] void FailOrigin(const Batch& batch, const ImputedRecord& record) const {
    const std::string& first = batches_[0]->file().path();
    batch.Fail(fmt::format(
        "{}>{} is {} here, but {} in {}; impute all batches with the same panel and with --no-study-only, which leaves "
        "out markers that the panel lacks",
        record.marker.ref.substr(0, 20), record.marker.alt.substr(0, 20), record.in_panel ? "imputed" : "NOT_IN_PANEL",
        record.in_panel ? "NOT_IN_PANEL" : "imputed", first));
  }

  void Write() {
    if (records_.empty()) return;
    const SampleTable samples = PresentSamples(names_, records_[0].first_haplotype);
    if (!writer_) {
      OutputFields fields = CommonFields(batches_[0]->file(), options_.fields);
      fields.r2p = batches_[0]->file().Declares(BCF_HL_INFO, "R2P");
      fields.doubles_haploids = doubled_ != nullptr;
      writer_.emplace(options_.out, options_.type, header_, SampleTable::Diploid(names_), fields);
    }
    WriteRecords(contig_, samples, records_, *writer_);
    num_records_ += records_.size();
    records_.clear();
  }

  static constexpr const char* kSameSites =
      "the files must have the same sites: impute all batches with the same panel, without --min-r2 and with "
      "--no-study-only";

  const MergeOptions& options_;
  std::vector<std::unique_ptr<Batch>> batches_;
  const Batch* doubled_ = nullptr;  // one whose haploid samples are written as diploid
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
