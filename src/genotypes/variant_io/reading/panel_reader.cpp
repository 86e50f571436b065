#include "genotypes/variant_io/reading/panel_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>

#include "genotypes/genomics/sample_subset.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/site_relation.h"
#include "genotypes/genomics/sites/variant.h"
#include "genotypes/variant_io/panel_file/panel_file.h"
#include "genotypes/variant_io/reading/panel_source.h"
#include "genotypes/variant_io/reading/pieces.h"
#include "genotypes/variant_io/reading/record_stream.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Repeats the bits of haploid samples: [rows, haplotypes].
std::vector<uint64_t> DiploidBits(const std::vector<uint64_t>& from_bits, size_t num_rows,
                                  const std::vector<bool>& is_haploid) {
  const size_t from_words = from_bits.size() / num_rows, words = (2 * is_haploid.size() + 63) / 64;
  std::vector<uint64_t> bits(num_rows * words);
  for (size_t row = 0; row < num_rows; ++row) {
    size_t from = 0;
    for (size_t h = 0; h < 2 * is_haploid.size(); ++h) {
      const uint64_t bit = from_bits[row * from_words + from / 64] >> from % 64 & 1;
      bits[row * words + h / 64] |= bit << h % 64;
      from += h % 2 == 1 || !is_haploid[h / 2] ? 1 : 0;
    }
  }
  return bits;
}

// Gives samples of one allele two of it: plink2 writes males so in pseudo-autosomal regions.
void MakeDiploid(ParsedRecord& record) {
  record.bits = DiploidBits(record.bits, record.alts.size(), record.is_haploid);
  if (!record.missing.empty()) record.missing = DiploidBits(record.missing, 1, record.is_haploid);
  record.is_haploid.clear();
}

// A panel in records.
class RecordPanelReader : public PanelReader {
 public:
  RecordPanelReader(const std::string& path, PanelHaplotypes haplotypes)
      : reads_haplotypes_(haplotypes != PanelHaplotypes::kSkip),
        accepts_missing_(haplotypes == PanelHaplotypes::kReadMissing),
        stream_(OpenPanelRecords(path, reads_haplotypes_ ? RecordKind::kPanel : RecordKind::kSites),
                /*accepts_unphased=*/false) {
    header_ = stream_.header();
    if (!reads_haplotypes_) header_.samples.clear();
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
    if (record == nullptr) throw InputError(stream_.header().path + ": no record has an ALT allele; give a panel");
    const ContigPart part = regions_.PartAt(record->contig, record->position);
    is_haploid_ = record->is_haploid;
    makes_diploid_ = part.is_pseudo_autosomal && (is_haploid_.empty() || std::ranges::count(is_haploid_, false) > 0);
    if (makes_diploid_) is_haploid_.clear();
    phase_sets_.clear();
    first_position_ = record->position;
    last_position_ = part.end;
    SampleTable samples{sample_names(), {0}};
    for (size_t s = 0; s < samples.num_samples(); ++s) {
      const bool is_haploid = !is_haploid_.empty() && is_haploid_[s];
      samples.first_haplotype.push_back(samples.first_haplotype.back() + (is_haploid ? 1 : 2));
    }
    return {record->contig, std::move(samples)};
  }

  std::vector<MissingAtMarker> TakeMissing() override { return std::exchange(missing_, {}); }

  bool ReadUntil(int64_t position, MutablePanel& panel) override {
    missing_.clear();
    for (;;) {
      ParsedRecord* record = Peek();
      if (record == nullptr || record->contig != panel.contig() || record->position > last_position_) return false;
      if (record->position > position) return true;
      if (reads_haplotypes_) {
        if (makes_diploid_ && !record->is_haploid.empty()) MakeDiploid(*record);
        if (!accepts_missing_) CheckMissing(*record);
        CheckPloidy(*record);
        CheckPhaseSets(*record);
      }
      const size_t first = panel.num_markers();
      for (size_t a = 0; a < record->alts.size(); ++a) {
        const uint64_t* bits = reads_haplotypes_ ? record->bits.data() + a * panel.words_per_marker() : nullptr;
        if (IsUnspecifiedAlt(record->alts[a])) {
          CheckNotCarried(*record, a, {bits, panel.words_per_marker()});
          continue;
        }
        Marker marker = TakeMarker(described(), *record, a);
        marker.continues_record = panel.num_markers() > first;
        if (reads_haplotypes_) CheckNew(*record, marker, panel);
        if (!record->missing.empty()) missing_.push_back({panel.num_markers(), record->missing});
        panel.Append(std::move(marker), bits);
      }
      stream_.Pop();
    }
  }

  void SkipContig() override { stream_.SkipContig(); }

  void Seek(const Region& region) override { stream_.Seek(region); }

 private:
  // Returns the next record with an ALT.
  ParsedRecord* Peek() {
    ParsedRecord* record = stream_.Peek();
    while (record != nullptr && std::ranges::all_of(record->alts, IsUnspecifiedAlt)) {
      stream_.Pop();
      record = stream_.Peek();
    }
    return record;
  }

  // Looks for the marker among those of its position, which are read in one call. <DEL> and * may stand for several
  // different alleles, and markers with names of their own for alleles of a gene, as in HLA panels.
  void CheckNew(const ParsedRecord& record, const Marker& marker, const HaplotypePanel& panel) const {
    if (marker.IsSymbolic() || marker.alt == "*") return;
    for (size_t m = panel.num_markers(); m > 0 && panel.marker(m - 1).position == marker.position; --m) {
      const Marker& other = panel.marker(m - 1);
      const bool has_own_name = marker.id != "." && other.id != "." && marker.id != other.id;
      if (has_own_name || !SameVariant(other, marker)) continue;
      stream_.Fail(record, fmt::format("{} > {} occurs twice; remove one of them (bcftools norm --rm-dup exact)",
                                       marker.ref.substr(0, 20), marker.alt.substr(0, 20)));
    }
  }

  void CheckNotCarried(const ParsedRecord& record, size_t alt, std::span<const uint64_t> bits) const {
    if (std::ranges::all_of(bits, [](uint64_t word) { return word == 0; })) return;
    stream_.Fail(record, fmt::format("a haplotype has {}, which is no allele; remove the record, or give it the allele",
                                     record.alts[alt]));
  }

  void CheckMissing(const ParsedRecord& record) const {
    if (record.missing.empty()) return;
    size_t haplotype = 0, num_missing = 0, first_sample = 0;
    for (size_t s = 0; s < header_.samples.size(); ++s) {
      const size_t ploidy = !record.is_haploid.empty() && record.is_haploid[s] ? 1 : 2;
      for (size_t end = haplotype + ploidy; haplotype < end; ++haplotype) {
        if ((record.missing[haplotype / 64] >> haplotype % 64 & 1) == 0) continue;
        if (num_missing++ == 0) first_sample = s;
      }
    }
    stream_.Fail(record,
                 fmt::format("{} of {} alleles {} missing, the first of sample {}; a panel must not have missing "
                             "genotypes: impute them (haplospin panel build --impute-missing), or remove such records "
                             "(bcftools view -g ^miss)",
                             num_missing, haplotype, num_missing == 1 ? "is" : "are", header_.samples[first_sample]));
  }

  void CheckPloidy(const ParsedRecord& record) const {
    if (record.is_haploid == is_haploid_) return;
    const auto haploid = [](const std::vector<bool>& flags, size_t s) { return !flags.empty() && flags[s]; };
    size_t s = 0;
    while (haploid(record.is_haploid, s) == haploid(is_haploid_, s)) ++s;
    stream_.Fail(record, PloidyChange(header_.samples[s], haploid(record.is_haploid, s) ? 1 : 2, first_position_));
  }

  // A panel is phased throughout, so that a sample has one phase set.
  void CheckPhaseSets(const ParsedRecord& record) {
    const std::vector<uint32_t>& sets = record.calls.phase_sets;
    if (phase_sets_.empty()) phase_sets_.resize(sets.size());
    for (size_t s = 0; s < sets.size(); ++s) {
      if (sets[s] == 0) continue;
      if (phase_sets_[s] == 0) phase_sets_[s] = sets[s];
      if (phase_sets_[s] == sets[s]) continue;
      stream_.Fail(record,
                   fmt::format("sample {} has the phase sets (PS) {} and {}, and nothing tells the phase between "
                               "them; phase the panel (haplospin phase), or remove PS if it is phased "
                               "throughout (bcftools annotate -x FORMAT/PS)",
                               header_.samples[s], phase_sets_[s] - 1, sets[s] - 1));
    }
  }

  const bool reads_haplotypes_, accepts_missing_;
  RecordStream stream_;
  PloidyRegions regions_;
  std::vector<MissingAtMarker> missing_;  // of the markers that were read last
  std::vector<bool> is_haploid_;          // [samples] of the contig's first record, as in ParsedRecord
  bool makes_diploid_ = false;        // in a pseudo-autosomal region where a sample of its first record has two alleles
  std::vector<uint32_t> phase_sets_;  // [samples] PS + 1 of the first heterozygote with it, or 0; empty before PS
  int64_t first_position_ = 0;        // first position of the contig or its part, bp
  int64_t last_position_ = INT64_MAX;
};

// Some samples of a panel, in the order of the panel.
class PanelSubsetReader : public PanelReader {
 public:
  PanelSubsetReader(const std::string& path, const std::vector<std::string>& names) : reader_(OpenPanel(path)) {
    std::unordered_set<std::string> wanted(names.begin(), names.end());
    header_ = reader_->header();
    header_.samples.clear();
    const std::vector<std::string>& all = reader_->sample_names();
    for (uint32_t s = 0; s < all.size(); ++s) {
      if (wanted.erase(all[s]) == 0) continue;
      chosen_.push_back(s);
      header_.samples.push_back(all[s]);
    }
    if (wanted.empty()) return;
    std::vector<std::string> missing(wanted.begin(), wanted.end());
    std::ranges::sort(missing);
    throw InputError(fmt::format("{}: does not have {} of the samples to use: {}; give samples of the panel", path,
                                 missing.size(), JoinNames(missing, kSamplesShown)));
  }

  std::vector<std::string> Contigs() override { return reader_->Contigs(); }
  std::optional<std::string> NextContig() override { return reader_->NextContig(); }
  std::optional<int64_t> NextPosition() override { return reader_->NextPosition(); }
  std::optional<int64_t> LastPosition() override { return reader_->LastPosition(); }
  void DivideContigs(const PloidyRegions& regions) override { reader_->DivideContigs(regions); }
  void SkipContig() override { reader_->SkipContig(); }
  void Seek(const Region& region) override { reader_->Seek(region); }
  std::string AdaptedArray() const override { return reader_->AdaptedArray(); }

  MutablePanel StartContig() override {
    all_.emplace(reader_->StartContig());
    subset_.emplace(all_->samples(), chosen_);
    return {all_->contig(), subset_->samples()};
  }

  bool ReadUntil(int64_t position, MutablePanel& panel) override {
    return ForEachMarker(
        *reader_, *all_, [&](size_t m) { panel.Append(all_->marker(m), subset_->Bits(*all_, m).data()); }, position);
  }

 private:
  const std::unique_ptr<PanelReader> reader_;
  std::vector<uint32_t> chosen_;     // samples of the panel
  std::optional<MutablePanel> all_;  // markers that have been read but not appended
  std::optional<SampleSubset> subset_;
};

// The markers of a study as a panel without haplotypes. Those at position 0 are unmapped: nothing is next to them. VCF
// has no alleles I, D and "-".
class StudySitesReader : public PanelReader {
 public:
  StudySitesReader(const std::string& path, const StudyOptions& options) : reader_(path, options) {
    header_ = reader_.header();
    header_.samples.clear();
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
    const auto append = [&](size_t m) {
      Marker& marker = study_.markers[m].marker;
      if (marker.position > 0 && !IsCodedIndel(marker)) panel.Append(std::move(marker), nullptr);
    };
    return ForEachMarker(reader_, study_, append, position);
  }

 private:
  StudyReader reader_;
  StudyGenotypes study_;  // markers that have been read but not appended
};

}  // namespace

std::unique_ptr<PanelReader> OpenPanel(const std::string& path, const std::vector<std::string>& samples,
                                       PanelHaplotypes haplotypes) {
  if (!samples.empty()) return std::make_unique<PanelSubsetReader>(path, samples);
  if (IsPanelFile(path)) return OpenPanelFile(path, haplotypes);
  return std::make_unique<RecordPanelReader>(path, haplotypes);
}

std::unique_ptr<PanelReader> OpenStudySites(const std::string& path, const StudyOptions& options) {
  if (!options.open) CheckReadableTwice(path);
  StudyOptions sites = options;
  sites.sites_only = true;
  return std::make_unique<StudySitesReader>(path, sites);
}

PanelContigs::PanelContigs(const std::string& path, std::vector<std::string> samples)
    : PanelContigs(path, [path, names = std::move(samples)] { return OpenPanel(path, names); }) {}

PanelContigs::PanelContigs(std::string path, Opener open)
    : path_(std::move(path)), open_(std::move(open)), reader_(open_()), names_(reader_->Contigs()) {
  is_indexed_ = !names_.empty();
}

void PanelContigs::DivideContigs(const PloidyRegions& regions) {
  regions_ = regions;
  reader_->DivideContigs(regions_);
}

std::optional<std::string> PanelContigs::Find(const std::string& contig) {
  std::optional<std::string> name = FindContig(names_, contig);
  if (!name && !names_.empty()) return std::nullopt;
  if (is_indexed_) {
    reader_->Seek({.contig = *name});
    return name;
  }
  const bool is_at_beginning = !is_begun_;
  if (auto found = ReadOnTo(contig)) return found;
  if (is_at_beginning) {
    names_ = reader_->Contigs();
    return std::nullopt;
  }
  CheckReadableTwice(path_);
  reader_ = open_();
  reader_->DivideContigs(regions_);
  is_begun_ = false;
  return Find(contig);
}

std::vector<std::string> PanelContigs::KnownNames() {
  std::vector<std::string> names = NamesOfContigs(reader_->header_contigs());
  std::ranges::copy(Names(), std::back_inserter(names));
  return names;
}

std::optional<std::string> PanelContigs::ReadOnTo(const std::string& contig) {
  const ContigMatch is_found(contig, NamesOfContigs(reader_->header_contigs()));
  for (auto name = reader_->NextContig(); name; name = reader_->NextContig()) {
    is_begun_ = true;
    if (is_found(*name)) return name;
    reader_->SkipContig();
  }
  return std::nullopt;
}

}  // namespace haplospin
