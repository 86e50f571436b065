#include "genotypes/variant_io/reading/panel_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>

#include "core/counted.h"
#include "genotypes/genomics/sample_subset.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/site_relation.h"
#include "genotypes/genomics/sites/variant.h"
#include "genotypes/variant_io/panel_file/panel_file.h"
#include "genotypes/variant_io/reading/panel_source.h"
#include "genotypes/variant_io/reading/pieces.h"
#include "genotypes/variant_io/reading/record_ploidy.h"
#include "genotypes/variant_io/reading/record_stream.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Up to so many alleles are counted for the message on missing ones, which takes seconds.
constexpr size_t kMaxCountedAlleles = 1'000'000'000;

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
    is_haploid_ = FindHaploid(*record, part);
    makes_diploid_ = part.is_pseudo_autosomal && (is_haploid_.empty() || std::ranges::count(is_haploid_, false) > 0);
    if (makes_diploid_) is_haploid_.clear();
    phase_sets_.clear();
    first_position_ = record->position;
    last_position_ = part.end;
    SampleTable samples{{}, {0}};
    for (size_t s = 0; s < num_samples(); ++s) samples.Add(sample_names()[s], IsHaploid(is_haploid_, s) ? 1 : 2);
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
        if (!record->missing.empty() && !accepts_missing_) FailMissing(*record);
        if (makes_diploid_ && !record->is_haploid.empty()) SetPloidy({}, num_samples(), *record);
        if (!record->missing.empty()) SetPloidyWithoutAlleles(is_haploid_, num_samples(), *record);
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
      ++num_read_;
    }
  }

  void SkipContig() override { stream_.SkipContig(); }

  void Seek(const Region& region) override { stream_.Seek(region); }

 private:
  size_t num_samples() const { return header_.samples.size(); }

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

  // A missing genotype may be written "." or ".|.", so that records after the first are looked at where there are any.
  std::vector<bool> FindHaploid(const ParsedRecord& first, const ContigPart& part) const {
    HaploidSamples samples(num_samples());
    samples.Add(first);
    if (samples.IsComplete()) return first.is_haploid;
    stream_.ForEachParsed([&](const ParsedRecord& record) {
      const bool is_of_part = record.contig == first.contig && record.position <= part.end;
      if (is_of_part && record.error.empty() && !record.is_outside) samples.Add(record);
    });
    return samples.Take();
  }

  struct MissingCounts {
    size_t records = 0, with_missing = 0;
    size_t alleles = 0, missing = 0;
    bool is_whole = false;  // all records of the file were counted
  };

  // Counts on from the next record.
  void CountOn(MissingCounts& counts) {
    for (const ParsedRecord* record = Peek(); record != nullptr; record = Peek()) {
      if (counts.alleles >= kMaxCountedAlleles) return;
      ++counts.records;
      counts.with_missing += record->missing.empty() ? 0 : 1;
      counts.alleles += CountHaplotypes(record->is_haploid, num_samples());
      counts.missing += CountMissing(*record);
      stream_.Pop();
    }
    counts.is_whole = true;
  }

  // The number of all missing alleles tells whether the panel has a few or many.
  [[noreturn]] void FailMissing(const ParsedRecord& record) {
    ParsedRecord first;
    SetPlace(record.contig, record.position, {}, first);
    const std::string& sample = header_.samples[FirstSampleWithMissing(record, num_samples())];
    MissingCounts counts{.records = num_read_, .alleles = num_read_ * CountHaplotypes(is_haploid_, num_samples())};
    try {
      CountOn(counts);
    } catch (const InputError&) {
      counts.is_whole = false;  // the error of a later record is told when this one is mended
    }
    stream_.Fail(
        first,
        fmt::format("sample {} has a missing allele, the first of {} ({:.2g} % of the alleles, at {} of {}{}); a panel "
                    "must not have missing genotypes: impute them (haplospin panel build --impute-missing), or remove "
                    "such records (bcftools view -g ^miss)",
                    sample, counts.missing, PercentageOf(counts.missing, counts.alleles), counts.with_missing,
                    counts.is_whole ? "" : "the first ", Counted(counts.records, "record")));
  }

  void CheckPloidy(const ParsedRecord& record) const {
    if (record.is_haploid == is_haploid_) return;
    size_t s = 0;
    while (IsHaploid(record.is_haploid, s) == IsHaploid(is_haploid_, s)) ++s;
    stream_.Fail(record, PloidyChange(header_.samples[s], IsHaploid(record.is_haploid, s) ? 1 : 2, first_position_));
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
  size_t num_read_ = 0;                   // records
  std::vector<MissingAtMarker> missing_;  // of the markers that were read last
  std::vector<bool> is_haploid_;          // [samples] of the contig's first record, as in ParsedRecord
  bool makes_diploid_ = false;        // in a pseudo-autosomal region where a sample of its first record has two alleles
  std::vector<uint32_t> phase_sets_;  // [samples] PS + 1 of the first heterozygote with it, or 0; empty before PS
  int64_t first_position_ = 0;        // first position of the contig or its part, bp
  int64_t last_position_ = INT64_MAX;
};

// Some samples of a panel, in the order of the panel.
class PanelSubsetReader : public ForwardingPanelReader {
 public:
  PanelSubsetReader(const std::string& path, const std::vector<std::string>& names)
      : ForwardingPanelReader(OpenPanel(path)) {
    std::unordered_set<std::string> wanted(names.begin(), names.end());
    header_.samples.clear();
    const std::vector<std::string>& all = panel_->sample_names();
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

  std::optional<int64_t> LastPosition() override { return panel_->LastPosition(); }
  std::string AdaptedArray() const override { return panel_->AdaptedArray(); }

  MutablePanel StartContig() override {
    all_.emplace(panel_->StartContig());
    subset_.emplace(all_->samples(), chosen_);
    return {all_->contig(), subset_->samples()};
  }

  bool ReadUntil(int64_t position, MutablePanel& panel) override {
    return ForEachMarker(
        *panel_, *all_, [&](size_t m) { panel.Append(all_->marker(m), subset_->Bits(*all_, m).data()); }, position);
  }

 private:
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

std::unique_ptr<PanelReader> OpenPanel(const std::string& path, PanelHaplotypes haplotypes) {
  if (IsPanelFile(path)) return OpenPanelFile(path, haplotypes);
  return std::make_unique<RecordPanelReader>(path, haplotypes);
}

std::unique_ptr<PanelReader> OpenPanel(const std::string& path, const std::vector<std::string>& samples) {
  if (samples.empty()) return OpenPanel(path);
  return std::make_unique<PanelSubsetReader>(path, samples);
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
