#include "genotypes/imputation/run/window_writer.h"

#include <oneapi/tbb/parallel_invoke.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/genomics/genotype_call.h"
#include "genotypes/genomics/quantized_probability.h"
#include "genotypes/genomics/sites/panel_alignment.h"
#include "genotypes/imputation/run/impute_job.h"
#include "genotypes/imputation/window/allele_sums.h"
#include "genotypes/variant_io/writing/dosage_writer.h"
#include "genotypes/variant_io/writing/genotype_writer.h"

namespace haplospin {
namespace {

// Records that are formatted in parallel, of which two pieces are in memory; fewer in a large study.
constexpr size_t kMinRecordsAtATime = 64, kMaxRecordsAtATime = 512;
constexpr size_t kHaplotypesOfPiece = size_t{1} << 22;

size_t RecordsAtATime(size_t num_haplotypes) {
  return std::clamp(kHaplotypesOfPiece / std::max<size_t>(1, num_haplotypes), kMinRecordsAtATime, kMaxRecordsAtATime);
}

// Returns the study's alleles at each panel marker of `range`, or null at untyped markers.
std::vector<const std::vector<uint8_t>*> TypedAlleles(const ContigBuffer& buffer, MarkerRange range) {
  std::vector<const std::vector<uint8_t>*> typed(range.size());
  for (size_t s = 0; s < buffer.panel_marker().size(); ++s) {
    const uint32_t m = buffer.panel_marker()[s];
    if (IsTyped(m) && range.Contains(m)) typed[m - range.begin] = buffer.Row(s).alleles;
  }
  return typed;
}

// Returns the indices of the ascending `markers` that are in `range`.
MarkerRange Within(const std::vector<uint32_t>& markers, MarkerRange range) {
  const auto index = [&](size_t marker) {
    return static_cast<size_t>(std::ranges::lower_bound(markers, marker) - markers.begin());
  };
  return {index(range.begin), index(range.end)};
}

// Changes the ALT probabilities of a marker, of which `known` alleles may be null, where they break Mendel's laws.
void CompleteFamilies(const ContigBuffer& buffer, const std::vector<uint8_t>* known, std::span<float> alt) {
  const TransmissionPhaser* families = buffer.phase().families();
  if (families != nullptr) families->completion().Complete(buffer.study().samples, buffer.study().contig, known, alt);
}

// Returns alleles for those that are missing of a marker: for each haplotype the more probable one, or for each diploid
// sample those of the most probable genotype.
std::vector<uint8_t> CallMissing(const SampleTable& samples, const std::vector<uint8_t>& known,
                                 std::span<const float> alt, bool calls_genotypes) {
  std::vector<uint8_t> alleles = known;
  for (size_t s = 0; s < samples.num_samples(); ++s) {
    const uint32_t first = samples.first_haplotype[s], end = samples.first_haplotype[s + 1];
    std::array<uint8_t, 2> called{};
    for (uint32_t h = first; h < end; ++h) called[h - first] = CallsAlt(alt[h]) ? 1 : 0;
    if (calls_genotypes && end - first == 2) called = CallGenotype(alt[first], alt[first + 1]);
    for (uint32_t h = first; h < end; ++h) {
      if (known[h] == kMissingAllele) alleles[h] = called[h - first];
    }
  }
  return alleles;
}

// Counts a marker that the panel does not have and that is written as it is.
void CountAsGiven(const Marker& marker, const StudyRow& row, ImputeCounts& counts) {
  counts.unphased += std::ranges::count(*row.unphased, uint8_t{1}) > 0;
  counts.incomplete += marker.HasAlt() && HasMissing(*row.alleles);
}

// The dosages of study markers that the panel does not have.
class StudyOnlyColumns {
 public:
  // May be null, and must outlive the object.
  explicit StudyOnlyColumns(const StudyOnlyDosages* dosages) : dosages_(dosages) {
    if (dosages != nullptr) columns_.emplace(dosages->dosages.alt);
  }

  bool Has(size_t s) const { return dosages_ != nullptr && dosages_->dosages.range.Contains(dosages_->marker[s]); }
  bool CallsGenotypes() const { return dosages_->dosages.calls_genotypes; }

  // [haplotypes] of a marker that it has; valid until the next call.
  std::span<const float> At(size_t s) { return columns_->At(dosages_->marker[s] - dosages_->dosages.range.begin); }

 private:
  const StudyOnlyDosages* dosages_;
  std::optional<ColumnReader> columns_;
};

// Writes the panel markers of a window with their dosages, and between them the study markers that the panel does not
// have.
class RecordMerger : public WindowWriter {
 public:
  RecordMerger(std::string contig, int64_t begin, DosageWriter& writer)
      : contig_(std::move(contig)), writer_(writer), next_(begin) {}

  void Write(const ContigBuffer& buffer, const WindowDosages& dosages, const StudyOnlyDosages* study_only,
             int64_t last) override;

  const ImputeCounts& counts() const override { return counts_; }

 private:
  // Records that are not yet written, with pointers into the tables.
  struct Piece {
    std::vector<DosageRecord> records;
    std::vector<float> alt;                   // [markers, haplotypes]
    std::vector<float> left_out;              // [typed markers, haplotypes]
    std::vector<float> phase;                 // [typed markers, samples]
    std::deque<std::vector<float>> of_study;  // [haplotypes] of each record that the panel does not have
    std::deque<std::vector<uint8_t>> calls;   // [haplotypes] of each record whose genotypes are called
  };

  void AddPanelMarkers(const ContigBuffer& buffer, const WindowDosages& dosages, MarkerRange markers, Piece& piece);
  void AddStudyMarkers(const ContigBuffer& buffer, int64_t end, Piece& piece);
  void SetCalls(const ContigBuffer& buffer, const std::vector<uint8_t>& known, Piece& piece, DosageRecord& record);
  void WriteRecords(Piece& piece);

  const std::string contig_;
  DosageWriter& writer_;
  int64_t next_;  // bp: study markers before it have been written
  ImputeCounts counts_;

  Piece piece_, next_piece_;

  std::optional<StudyOnlyColumns> study_only_;
  std::vector<const std::vector<uint8_t>*> rows_;  // [panel markers] alleles of the study, of a panel with an array
};

void RecordMerger::Write(const ContigBuffer& buffer, const WindowDosages& dosages, const StudyOnlyDosages* study_only,
                         int64_t last) {
  study_only_.emplace(study_only);
  writer_.SetPloidy(buffer.study().samples);
  if (dosages.array) rows_ = TypedAlleles(buffer, {0, buffer.panel().num_markers()});
  const MarkerRange range = dosages.range;
  const size_t at_a_time = RecordsAtATime(dosages.num_haplotypes());
  for (size_t begin = range.begin, end; begin < range.end; begin = end) {
    end = EndOfPosition(buffer.panel(), std::min(begin + at_a_time, range.end));
    // The next piece is made while this one is written.
    tbb::parallel_invoke([&] { WriteRecords(piece_); },
                         [&] {
                           AddPanelMarkers(buffer, dosages, {begin, end}, next_piece_);
                         });
    std::swap(piece_, next_piece_);
  }
  AddStudyMarkers(buffer, last == INT64_MAX ? last : last + 1, piece_);
  WriteRecords(piece_);
}

void RecordMerger::AddPanelMarkers(const ContigBuffer& buffer, const WindowDosages& dosages, MarkerRange markers,
                                   Piece& piece) {
  const size_t n = dosages.num_haplotypes();
  dosages.alt.CopyColumns(markers.begin - dosages.range.begin, markers.end - dosages.range.begin, piece.alt);
  const MarkerRange left_out = Within(dosages.left_out_markers, markers);
  dosages.left_out.CopyColumns(left_out.begin, left_out.end, piece.left_out);
  dosages.phase.CopyColumns(left_out.begin, left_out.end, piece.phase);
  const size_t phased_samples = dosages.phase.num_haplotypes();
  const std::vector<const std::vector<uint8_t>*> typed = TypedAlleles(buffer, markers);
  if (dosages.array) dosages.array->Correct(buffer.panel(), markers, rows_, piece.alt);
  LimitAlleleSums(buffer.panel(), markers, typed, piece.alt);
  for (size_t m = 0; m < markers.size(); ++m)
    CompleteFamilies(buffer, typed[m], std::span(piece.alt).subspan(m * n, n));

  size_t k = left_out.begin;
  for (size_t m = markers.begin; m < markers.end; ++m) {
    const Marker& marker = buffer.panel().marker(m);
    AddStudyMarkers(buffer, marker.position, piece);
    DosageRecord record{.marker = &marker, .dosages = {piece.alt.data() + (m - markers.begin) * n, n}};
    if (const std::vector<uint8_t>* alleles = typed[m - markers.begin]; alleles != nullptr) {
      record.typed_alleles = *alleles;
      if (dosages.calls_genotypes) SetCalls(buffer, *alleles, piece, record);
    } else if (dosages.array) {
      record.panel_r2 = dosages.array->r2[m - dosages.range.begin];
    }
    if (k < left_out.end && dosages.left_out_markers[k] == m) {
      record.left_out = {piece.left_out.data() + (k - left_out.begin) * n, n};
      record.phase = {piece.phase.data() + (k - left_out.begin) * phased_samples, phased_samples};
      ++k;
    }
    ++(record.typed_alleles.empty() ? counts_.imputed : counts_.typed);
    piece.records.push_back(record);
  }
}

// Adds the study markers before `end`, bp, that the panel does not have.
void RecordMerger::AddStudyMarkers(const ContigBuffer& buffer, int64_t end, Piece& piece) {
  const StudyGenotypes& study = buffer.study();
  const auto first = std::ranges::lower_bound(study.markers, next_, {}, &Marker::position);
  for (auto s = static_cast<size_t>(first - study.markers.begin());
       s < study.markers.size() && study.markers[s].position < end; ++s) {
    counts_.misaligned += buffer.panel_marker()[s] == kMisaligned;
    if (buffer.panel_marker()[s] != kNotInPanel) continue;
    const StudyRow row = buffer.Row(s);
    DosageRecord record{.marker = &study.markers[s], .in_panel = study_only_->Has(s), .typed_alleles = *row.alleles};
    if (record.in_panel) {
      const std::span<const float> found = study_only_->At(s);
      std::vector<float>& alt = piece.of_study.emplace_back(found.begin(), found.end());
      CompleteFamilies(buffer, row.alleles, alt);
      record.dosages = alt;
      if (study_only_->CallsGenotypes()) SetCalls(buffer, *row.alleles, piece, record);
    } else {
      record.unphased = *row.unphased;
      CountAsGiven(study.markers[s], row, counts_);
    }
    piece.records.push_back(record);
    ++counts_.not_in_panel;
  }
  next_ = std::max(next_, end);
}

// With a pedigree, the probabilities were changed so that the more probable alleles obey Mendel's laws: these are kept.
void RecordMerger::SetCalls(const ContigBuffer& buffer, const std::vector<uint8_t>& known, Piece& piece,
                            DosageRecord& record) {
  if (buffer.phase().families() != nullptr || !HasMissing(known)) return;
  record.calls = piece.calls.emplace_back(CallMissing(buffer.study().samples, known, record.dosages, true));
}

void RecordMerger::WriteRecords(Piece& piece) {
  if (!piece.records.empty()) writer_.Write(contig_, piece.records);
  piece.records.clear();
  piece.of_study.clear();
  piece.calls.clear();
}

class DosageOutput : public StudyOutput {
 public:
  DosageOutput(const OutputOptions& options, const VariantHeader& header, const SampleTable& samples)
      : writer_(options.path, options.type, header, samples, options.fields) {}

  std::unique_ptr<WindowWriter> Contig(const std::string& contig, int64_t begin) override {
    return std::make_unique<RecordMerger>(contig, begin, writer_);
  }
  void AddTo(ImputeCounts& counts) const override {
    counts.left_out = writer_.num_left_out();
    if (counts.samples >= kMinSamplesForDr2) counts.mean_dr2 = writer_.mean_dr2();
  }
  void Finish(IndexType index) override { writer_.Finish(index); }

 private:
  DosageWriter writer_;
};

// Writes the study's markers with their phase and without missing alleles, as far as these were imputed.
// Markers that the panel does not have are written unchanged unless they were imputed from the study.
class PhaseMerger : public WindowWriter {
 public:
  PhaseMerger(std::string contig, int64_t begin, GenotypeWriter& writer)
      : contig_(std::move(contig)), writer_(writer), next_(begin) {}

  void Write(const ContigBuffer& buffer, const WindowDosages& dosages, const StudyOnlyDosages* study_only,
             int64_t last) override;

  const ImputeCounts& counts() const override { return counts_; }

 private:
  // Writes study marker s, whose phase was found. alt_of() returns the probabilities of ALT of all haplotypes.
  template <typename AltOf>
  void WriteFound(const ContigBuffer& buffer, size_t s, const AltOf& alt_of, bool calls_genotypes);

  const std::string contig_;
  GenotypeWriter& writer_;
  int64_t next_;  // bp: markers before it have been written
  std::vector<uint8_t> alleles_;
  ImputeCounts counts_;
};

void PhaseMerger::Write(const ContigBuffer& buffer, const WindowDosages& dosages, const StudyOnlyDosages* study_only,
                        int64_t last) {
  const StudyGenotypes& study = buffer.study();
  ColumnReader columns(dosages.alt);
  StudyOnlyColumns others(study_only);
  const auto first = std::ranges::lower_bound(study.markers, next_, {}, &Marker::position);
  for (auto s = static_cast<size_t>(first - study.markers.begin());
       s < study.markers.size() && study.markers[s].position <= last; ++s) {
    const uint32_t m = buffer.panel_marker()[s];
    const bool is_found = IsTyped(m) || others.Has(s);
    ++(IsTyped(m) ? counts_.typed : counts_.not_in_panel);
    if (!is_found) {
      const StudyRow row = buffer.Row(s);
      CountAsGiven(study.markers[s], row, counts_);
      writer_.Write(contig_, study.markers[s], study.samples, *row.alleles, *row.unphased);
    } else {
      const auto alt_of = [&] { return IsTyped(m) ? columns.At(m - dosages.range.begin) : others.At(s); };
      WriteFound(buffer, s, alt_of, IsTyped(m) ? dosages.calls_genotypes : others.CallsGenotypes());
    }
  }
  next_ = last == INT64_MAX ? last : std::max(next_, last + 1);
}

template <typename AltOf>
void PhaseMerger::WriteFound(const ContigBuffer& buffer, size_t s, const AltOf& alt_of, bool calls_genotypes) {
  const StudyGenotypes& study = buffer.study();
  const StudyRow row = buffer.Row(s);
  alleles_ = *row.alleles;
  if (HasMissing(alleles_)) {
    const std::span<const float> column = alt_of();
    std::vector<float> alt(column.begin(), column.end());
    CompleteFamilies(buffer, row.alleles, alt);
    const bool has_families = buffer.phase().families() != nullptr;
    alleles_ = CallMissing(study.samples, alleles_, alt, calls_genotypes && !has_families);
  }
  writer_.Write(contig_, study.markers[s], study.samples, alleles_);
}

class PhaseOutput : public StudyOutput {
 public:
  PhaseOutput(const OutputOptions& options, const VariantHeader& header, const SampleTable& samples)
      : writer_(options.path, options.type, header, samples) {}

  std::unique_ptr<WindowWriter> Contig(const std::string& contig, int64_t begin) override {
    return std::make_unique<PhaseMerger>(contig, begin, writer_);
  }
  void Finish(IndexType index) override { writer_.Finish(index); }

 private:
  GenotypeWriter writer_;
};

}  // namespace

std::unique_ptr<StudyOutput> OpenDosageOutput(const OutputOptions& options, const VariantHeader& header,
                                              const SampleTable& samples) {
  return std::make_unique<DosageOutput>(options, header, samples);
}

std::unique_ptr<StudyOutput> OpenPhaseOutput(const OutputOptions& options, const VariantHeader& header,
                                             const SampleTable& samples) {
  return std::make_unique<PhaseOutput>(options, header, samples);
}

}  // namespace haplospin
