#include "variant_io/joining/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"
#include "variant_io/joining/piece.h"
#include "variant_io/variant_file.h"

namespace haplospin {
namespace {

constexpr size_t kRecordsPerBatch = 256;  // that are written together

// The values of one FORMAT field of a record; `width` of them for each sample.
struct FormatFloats {
  FormatFloats() = default;
  FormatFloats(const FormatFloats&) = delete;
  FormatFloats& operator=(const FormatFloats&) = delete;
  ~FormatFloats() { std::free(values); }

  bool Read(const bcf_hdr_t* header, bcf1_t* record, const char* key) {
    const int count = bcf_get_format_float(header, record, key, &values, &capacity);
    width = count <= 0 ? 0 : static_cast<size_t>(count) / record->n_sample;
    return width > 0;
  }

  // Returns nothing where the sample has no such value.
  std::optional<float> Value(size_t sample, size_t i) const {
    if (i >= width) return std::nullopt;
    const float value = values[sample * width + i];
    const bool is_absent = bcf_float_is_vector_end(value) != 0 || bcf_float_is_missing(value) != 0;
    return is_absent ? std::nullopt : std::optional(value);
  }

  float* values = nullptr;
  int capacity = 0;
  size_t width = 0;
};

// A record of all samples, which owns what a DosageRecord refers to.
struct MergedRecord {
  Marker marker;
  bool in_panel = true;
  bool is_typed = false;
  bool has_left_out = true, has_phase = true;  // all batches have them
  std::vector<uint32_t> first_haplotype{0};    // [samples + 1]
  std::vector<float> dosages, left_out, phase;
  std::vector<uint8_t> alleles, unphased;

  DosageRecord View() const {
    DosageRecord record{.marker = &marker, .in_panel = in_panel};
    if (in_panel) record.dosages = dosages;
    if (is_typed || !in_panel) record.typed_alleles = alleles;
    if (is_typed && has_left_out) record.left_out = left_out;
    if (is_typed && has_phase) record.phase = phase;
    if (!in_panel) record.unphased = unphased;
    return record;
  }
};

// One of the files, and the values of its present record.
class Batch {
 public:
  explicit Batch(const std::string& path) : piece_(path) {}
  ~Batch() { std::free(genotypes_); }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  const std::string& path() const { return piece_.path(); }
  bcf_hdr_t* header() const { return piece_.header(); }

  // Returns whether there is a further record.
  bool Next() {
    record_ = piece_.Next();
    if (record_ != nullptr && bcf_unpack(record_, BCF_UN_ALL) != 0) piece_.FailDamaged();
    return record_ != nullptr;
  }

  std::string contig() const { return bcf_seqname_safe(header(), record_); }

  Marker ReadMarker() const {
    if (record_->n_allele > 2) Fail("several ALT alleles; merge files as haplospin impute writes them");
    Marker marker{record_->pos + 1, record_->d.id, record_->d.allele[0],
                  record_->n_allele == 2 ? record_->d.allele[1] : "."};
    marker.end = InfoNumber("END");
    marker.length = InfoNumber("SVLEN");
    return marker;
  }

  bool Has(const char* info) const { return bcf_get_info(header(), record_, info) != nullptr; }

  // Appends the samples of this file.
  void AppendTo(MergedRecord& merged) {
    const auto samples = static_cast<size_t>(record_->n_sample);
    const int count = bcf_get_genotypes(header(), record_, &genotypes_, &capacity_);
    const size_t width = count <= 0 ? 0 : static_cast<size_t>(count) / samples;
    if (width != 1 && width != 2) Fail("no GT of one or two alleles");
    const bool has_hds = hds_.Read(header(), record_, "HDS");
    const bool has_ap = !has_hds && ap1_.Read(header(), record_, "AP1") && ap2_.Read(header(), record_, "AP2");
    if (merged.in_panel && !has_hds && !has_ap) {
      Fail("neither HDS nor AP1 and AP2, from which DR2 is computed; impute with --format HDS");
    }
    merged.has_left_out = lds_.Read(header(), record_, "LDS") && merged.has_left_out;
    merged.has_phase = pp_.Read(header(), record_, "PP") && merged.has_phase;
    const bool is_typed = !merged.in_panel || Has("TYPED");
    for (size_t s = 0; s < samples; ++s) {
      const int32_t* genotype = genotypes_ + s * width;
      const size_t ploidy = width == 2 && genotype[1] != bcf_int32_vector_end ? 2 : 1;
      merged.first_haplotype.push_back(merged.first_haplotype.back() + static_cast<uint32_t>(ploidy));
      for (size_t i = 0; i < ploidy; ++i) AppendHaplotype(s, i, has_hds, is_typed, genotype[i], merged);
      merged.unphased.push_back(ploidy == 2 && bcf_gt_is_phased(genotype[1]) == 0 ? 1 : 0);
      merged.phase.push_back(pp_.Value(s, 0).value_or(0));
    }
  }

  [[noreturn]] void Fail(const std::string& what) const {
    throw InputError(fmt::format("{}: {}:{}: {}", path(), contig(), record_->pos + 1, what));
  }

 private:
  int64_t InfoNumber(const char* key) const {
    const bcf_info_t* info = bcf_get_info(header(), record_, key);
    return info == nullptr || info->len != 1 || info->type == BCF_BT_FLOAT || info->type == BCF_BT_CHAR ? 0
                                                                                                        : info->v1.i;
  }

  void AppendHaplotype(size_t s, size_t i, bool has_hds, bool is_typed, int32_t genotype, MergedRecord& merged) {
    const uint8_t called = bcf_gt_is_missing(genotype) != 0 ? kMissingAllele : bcf_gt_allele(genotype) == 0 ? 0 : 1;
    if (!merged.in_panel) {
      merged.alleles.push_back(called);
      return;
    }
    const auto p = has_hds ? hds_.Value(s, i) : (i == 0 ? ap1_ : ap2_).Value(s, 0);
    if (!p || !(*p >= 0 && *p <= 1))
      Fail(fmt::format("sample {} lacks a probability from 0 to 1", header()->samples[s]));
    merged.dosages.push_back(*p);
    // What was missing at a typed marker has the probability that it was imputed with.
    merged.alleles.push_back(is_typed && (*p == 0 || *p == 1) ? static_cast<uint8_t>(*p) : kMissingAllele);
    merged.left_out.push_back(lds_.Value(s, i).value_or(0));
  }

  Piece piece_;
  bcf1_t* record_ = nullptr;
  int32_t* genotypes_ = nullptr;
  int capacity_ = 0;
  FormatFloats hds_, ap1_, ap2_, lds_, pp_;
};

std::string SiteText(const std::string& contig, const Marker& marker) {
  return fmt::format("{}:{} {}>{}", contig, marker.position, marker.ref.substr(0, 20), marker.alt.substr(0, 20));
}

class Merger {
 public:
  explicit Merger(const MergeOptions& options) : options_(options) {
    std::unordered_map<std::string, std::string> paths;  // of samples
    for (const std::string& path : options.pieces) {
      CheckReadableTwice(path);
      const VariantFile file(path);  // says what is wrong with the file, and its sample names
      if (file.is_plink() || file.header_contigs().empty()) {
        throw InputError(path + ": not an imputed VCF or BCF file that declares its contigs; give those of impute");
      }
      for (const std::string& name : file.samples()) {
        const auto [other, is_new] = paths.emplace(name, path);
        if (!is_new) {
          throw InputError(
              fmt::format("{}: has sample {}, which {} has too; leave it out of one", path, name, other->second));
        }
        names_.push_back(name);
      }
      header_.AddContigs(file.header_contigs());
      batches_.push_back(std::make_unique<Batch>(path));
    }
    header_.lines = options.header_lines;
  }

  MergeCounts Run() {
    while (ReadRecord()) {
      if (records_.size() == kRecordsPerBatch) Write();
    }
    Write();
    if (!writer_) throw InputError(options_.pieces[0] + ": no records; give imputed files");
    writer_->Finish(options_.write_index);
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
    Batch& first = *batches_[0];
    MergedRecord merged;
    merged.marker = first.ReadMarker();
    merged.in_panel = !first.Has("NOT_IN_PANEL");
    for (const auto& batch : batches_) {
      CheckSite(*batch, first.contig(), merged);
      merged.is_typed = merged.is_typed || batch->Has("TYPED");
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

  void CheckSite(const Batch& batch, const std::string& contig, const MergedRecord& merged) const {
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
      writer_.emplace(options_.out, options_.type, header_, samples, Fields());
    }
    writer_->SetPloidy(samples);
    std::vector<DosageRecord> views;
    for (const MergedRecord& record : records_) views.push_back(record.View());
    writer_->Write(contig_, views);
    num_records_ += records_.size();
    records_.clear();
  }

  // The fields that the first file declares.
  OutputFields Fields() const {
    OutputFields fields = options_.fields;
    const auto has = [&](const char* key) {
      const int id = bcf_hdr_id2int(batches_[0]->header(), BCF_DT_ID, key);
      return id >= 0 && bcf_hdr_idinfo_exists(batches_[0]->header(), BCF_HL_FMT, id);
    };
    fields.gp = has("GP");
    fields.hds = has("HDS");
    fields.ap = has("AP1");
    fields.lds = has("LDS");
    fields.pp = has("PP");
    return fields;
  }

  static constexpr const char* kSameSites =
      "the files must have the same sites: impute all batches with the same panel, without --min-r2 and with "
      "--no-study-only";

  const MergeOptions& options_;
  std::vector<std::unique_ptr<Batch>> batches_;
  std::vector<std::string> names_;  // of the samples
  VariantHeader header_;
  std::optional<DosageWriter> writer_;
  std::string contig_;         // of the records
  int64_t last_position_ = 0;  // bp, on this contig
  std::vector<MergedRecord> records_;
  size_t num_records_ = 0;
};

}  // namespace

MergeCounts MergeSamples(const MergeOptions& options) { return Merger(options).Run(); }

}  // namespace haplospin
