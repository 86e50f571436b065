#include "genotypes/imputation/contig/record_merger.h"

#include <oneapi/tbb/parallel_invoke.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/panel_alignment.h"
#include "genotypes/genomics/sites/site_relation.h"
#include "genotypes/genomics/sites/variant.h"
#include "genotypes/imputation/window/allele_sums.h"
#include "genotypes/imputation/window/panel_window.h"
#include "genotypes/variant_io/writing/dosage_writer.h"

namespace haplospin {
namespace {

// Records that are formatted in parallel, of which two pieces are in memory; fewer in a large study.
constexpr size_t kMinRecordsAtATime = 64, kMaxRecordsAtATime = 512;
constexpr size_t kHaplotypesOfPiece = size_t{1} << 22;

size_t RecordsAtATime(size_t num_haplotypes) {
  return std::clamp(kHaplotypesOfPiece / std::max<size_t>(1, num_haplotypes), kMinRecordsAtATime, kMaxRecordsAtATime);
}

// Returns the indices of the ascending `markers` that are in `range`.
MarkerRange Within(const std::vector<uint32_t>& markers, MarkerRange range) {
  const auto index = [&](size_t marker) {
    return static_cast<size_t>(std::ranges::lower_bound(markers, marker) - markers.begin());
  };
  return {index(range.begin), index(range.end)};
}

constexpr uint32_t kNone = UINT32_MAX;

// A record of the output: a panel marker, a study marker, or one that both have.
struct Entry {
  uint32_t panel = kNone;
  uint32_t study = kNone;
};

// The reads at the ALTs of a record: a read that shows one of them has REF at the others.
class AltReads {
 public:
  explicit AltReads(size_t samples) : samples_(samples) {}

  // Ends a record: the depths of its ALTs get the reads without any of these.
  void StartRecord() {
    for (size_t s = 0; s < samples_ && rows_.size() > 1; ++s) {
      const uint32_t count = CountWithoutAlt(s);
      for (std::vector<AlleleDepth>* depths : depths_) (*depths)[s].no_alt = count;
    }
    rows_.clear();
    depths_.clear();
  }

  // Adds an ALT. Both arguments must be there until the record ends.
  void Add(const GenotypeRow& row, std::vector<AlleleDepth>& depths) {
    rows_.push_back(&row);
    depths_.push_back(&depths);
  }

 private:
  // Several reads of one barcode have one number: where one of them shows an ALT, the others have REF if they show it
  // at each ALT.
  uint32_t CountWithoutAlt(size_t sample) const {
    struct Count {
      uint32_t alt = 0;
      std::vector<uint32_t> ref;  // [ALTs]
    };
    std::unordered_map<uint64_t, Count> counts;  // by the number of the read
    for (size_t a = 0; a < rows_.size(); ++a) {
      for (const ReadAllele& read : rows_[a]->Reads(sample)) {
        Count& count = counts[read.read];
        count.ref.resize(rows_.size());
        ++(read.is_alt != 0 ? count.alt : count.ref[a]);
      }
    }
    uint32_t sum = 0;
    for (const auto& [read, count] : counts) {
      sum += count.alt > 0 ? std::ranges::min(count.ref) : std::ranges::max(count.ref);
    }
    return sum;
  }

  const size_t samples_;
  std::vector<const GenotypeRow*> rows_;           // [ALTs]
  std::vector<std::vector<AlleleDepth>*> depths_;  // [ALTs]
};

// Records that are not yet written, with spans of the tables.
struct Piece {
  std::vector<DosageRecord> records;
  DosageColumns columns;                        // of the panel
  std::vector<float> left_out;                  // [typed markers, haplotypes]
  std::vector<float> phase;                     // [typed markers, samples]
  std::vector<float> animals;                   // [markers of the columns, haplotypes of people without genotypes]
  std::deque<DosageColumns> study_only;         // of each record that the panel does not have
  std::deque<std::vector<AlleleDepth>> depths;  // of each record with reads
  std::deque<Marker> markers;                   // of the study, with what the panel says of them

  void Clear() {
    records.clear();
    columns.calls.clear();
    study_only.clear();
    depths.clear();
    markers.clear();
  }
};

// The entries of a window in the order of the output, and their records.
class WindowRecords {
 public:
  WindowRecords(RunOutput kind, const ContigBuffer& buffer, const WindowPlan& plan, const WindowResult& found,
                MarkerCounts& counts);

  // Lists and counts the records from `begin` to `last`, bp.
  std::vector<Entry> List(int64_t begin, int64_t last);

  // Returns the end of a piece of entries from `begin` on. It does not divide a position.
  size_t PieceEnd(std::span<const Entry> entries, size_t begin) const;

  void Fill(std::span<const Entry> entries, Piece& piece);

 private:
  std::vector<Entry> ListStudy(MarkerRange study);
  std::vector<Entry> ListPanel(MarkerRange study);
  void CountInPanel(const GenotypeRow* row);
  std::vector<uint32_t> TypedMarkers() const;
  bool IsFoundInStudy(size_t s) const;
  int64_t Position(const Entry& entry) const;
  bool NeedsDosages(const Entry& entry) const;
  MarkerRange PanelRange(std::span<const Entry> entries) const;
  bool AreAltsOfRecord(const Entry& before, const Entry& entry) const;
  void CopyDosages(std::span<const Entry> entries, MarkerRange range, Piece& piece) const;
  void SetGenotypes(const GenotypeRow& row, Piece& piece, DosageRecord& record) const;
  const Marker* PhasedMarker(const Entry& entry, Piece& piece) const;
  DosageRecord PanelRecord(const Entry& entry, Piece& piece) const;
  DosageRecord StudyRecord(size_t s, Piece& piece);

  const RunOutput kind_;
  const ContigBuffer& buffer_;
  const WindowState& window_;
  const WindowDosages& dosages_;
  const std::vector<const ColumnStage*> stages_;
  const StudyOnlyWindow* const study_only_;
  const bool is_as_given_;
  std::vector<const ColumnStage*> study_only_stages_;
  std::optional<ColumnReader> study_only_columns_;
  MarkerCounts& counts_;
};

WindowRecords::WindowRecords(RunOutput kind, const ContigBuffer& buffer, const WindowPlan& plan,
                             const WindowResult& found, MarkerCounts& counts)
    : kind_(kind),
      buffer_(buffer),
      window_(found.window),
      dosages_(*found.window.dosages),
      stages_(plan.ColumnStages(found.window)),
      study_only_(found.study_only.get()),
      is_as_given_(found.is_as_given),
      counts_(counts) {
  if (study_only_ == nullptr) return;
  study_only_columns_.emplace(study_only_->dosages().alt);
  study_only_stages_ = plan.study_only->ColumnStages(study_only_->window());
}

std::vector<Entry> WindowRecords::List(int64_t begin, int64_t last) {
  const size_t first = buffer_.FirstStudyMarker(begin);
  const size_t end = last == INT64_MAX ? buffer_.markers().size() : buffer_.FirstStudyMarker(last + 1);
  const MarkerRange study{first, std::max(first, end)};
  return kind_ == RunOutput::kPhase ? ListStudy(study) : ListPanel(study);
}

std::vector<Entry> WindowRecords::ListStudy(MarkerRange study) {
  std::vector<Entry> entries;
  for (auto s = static_cast<uint32_t>(study.begin); s < study.end; ++s) {
    const uint32_t m = buffer_.markers()[s].panel_marker;
    if (!IsTyped(m) && IsCodedIndel(buffer_.markers()[s].marker)) {  // VCF has no such alleles
      ++counts_.misaligned;
      continue;
    }
    ++(is_as_given_ ? counts_.as_given : IsTyped(m) ? counts_.typed : counts_.not_in_panel);
    counts_.completed += !is_as_given_ && IsTyped(m) && buffer_.markers()[s].genotypes.HasMissing();
    entries.push_back({IsTyped(m) && dosages_.range.Contains(m) ? m : kNone, s});
  }
  return entries;
}

std::vector<Entry> WindowRecords::ListPanel(MarkerRange study) {
  std::vector<Entry> entries;
  auto next = static_cast<uint32_t>(study.begin);
  const auto list_study_before = [&](int64_t position) {
    for (; next < study.end && buffer_.markers()[next].marker.position < position; ++next) {
      const uint32_t m = buffer_.markers()[next].panel_marker;
      counts_.misaligned += m == kMisaligned;
      if (m != kNotInPanel && !(is_as_given_ && IsTyped(m))) continue;
      entries.push_back({kNone, next});
      ++(is_as_given_ ? counts_.as_given : counts_.not_in_panel);
    }
  };
  const std::vector<uint32_t> typed = TypedMarkers();
  for (size_t m = dosages_.range.begin; m < dosages_.range.end; ++m) {
    list_study_before(buffer_.panel().marker(m).position);
    const uint32_t s = typed[m - dosages_.range.begin];
    entries.push_back({static_cast<uint32_t>(m), s});
    CountInPanel(s == kNone ? nullptr : &buffer_.markers()[s].genotypes);
  }
  list_study_before(INT64_MAX);
  return entries;
}

// Counts a marker of the panel; `row` is null where the study does not have it.
void WindowRecords::CountInPanel(const GenotypeRow* row) {
  const bool has_likelihoods = row != nullptr && row->HasLikelihoods();
  ++(row == nullptr || has_likelihoods ? counts_.imputed : counts_.typed);
  counts_.with_likelihoods += has_likelihoods;
  counts_.completed += row != nullptr && row->HasMissing();
}

// Returns the study marker of each panel marker of the window, or kNone.
std::vector<uint32_t> WindowRecords::TypedMarkers() const {
  std::vector<uint32_t> typed(dosages_.range.size(), kNone);
  for (uint32_t s = 0; s < buffer_.markers().size(); ++s) {
    const uint32_t m = buffer_.markers()[s].panel_marker;
    if (IsTyped(m) && dosages_.range.Contains(m)) typed[m - dosages_.range.begin] = s;
  }
  return typed;
}

int64_t WindowRecords::Position(const Entry& entry) const {
  return entry.panel != kNone ? buffer_.panel().marker(entry.panel).position
                              : buffer_.markers()[entry.study].marker.position;
}

// The panel markers of a piece are limited as well, as all between the first and the last are in memory.
size_t WindowRecords::PieceEnd(std::span<const Entry> entries, size_t begin) const {
  const size_t at_a_time = RecordsAtATime(dosages_.num_haplotypes());
  size_t end = begin;
  std::optional<uint32_t> first;
  while (end < entries.size()) {
    const bool divides = end > begin && Position(entries[end - 1]) == Position(entries[end]);
    const uint32_t m = entries[end].panel;
    const bool is_far = m != kNone && first && m >= *first + at_a_time;
    if (!divides && (end >= begin + at_a_time || is_far)) break;
    if (m != kNone && !first) first = m;
    ++end;
  }
  return end;
}

// Alleles that the study has are written as they are with phases, and dosages only where some are missing.
bool WindowRecords::NeedsDosages(const Entry& entry) const {
  return kind_ == RunOutput::kDosages || buffer_.markers()[entry.study].genotypes.HasMissing();
}

// Returns whole positions of the panel that have all entries whose dosages are needed.
MarkerRange WindowRecords::PanelRange(std::span<const Entry> entries) const {
  std::optional<MarkerRange> range;
  for (const Entry& entry : entries) {
    if (entry.panel == kNone || !NeedsDosages(entry)) continue;
    if (!range) range = {entry.panel, entry.panel};
    range->begin = std::min<size_t>(range->begin, entry.panel);
    range->end = std::max<size_t>(range->end, entry.panel + size_t{1});
  }
  if (!range) return {};
  const HaplotypePanel& panel = buffer_.panel();
  return {std::max(dosages_.range.begin, FirstMarkerAtOrAfter(panel, panel.marker(range->begin).position)),
          std::min(dosages_.range.end, EndOfPosition(panel, range->end))};
}

// Records of dosages are those of the panel, and between them those of the study; records of phases are the study's.
bool WindowRecords::AreAltsOfRecord(const Entry& before, const Entry& entry) const {
  const bool is_panel = kind_ == RunOutput::kDosages && entry.panel != kNone;
  if (kind_ == RunOutput::kDosages && is_panel != (before.panel != kNone)) return false;
  const auto marker = [&](const Entry& e) -> const Marker& {
    return is_panel ? buffer_.panel().marker(e.panel) : buffer_.markers()[e.study].marker;
  };
  return AreOfOneRecord(marker(before), marker(entry));
}

void WindowRecords::Fill(std::span<const Entry> entries, Piece& piece) {
  CopyDosages(entries, PanelRange(entries), piece);
  AltReads reads(buffer_.samples().num_samples());
  const Entry* before = nullptr;
  for (const Entry& entry : entries) {
    piece.records.push_back(entry.panel != kNone ? PanelRecord(entry, piece) : StudyRecord(entry.study, piece));
    DosageRecord& record = piece.records.back();
    record.continues = before != nullptr && AreAltsOfRecord(*before, entry);
    if (!record.continues) reads.StartRecord();
    if (!record.depths.empty()) reads.Add(buffer_.markers()[entry.study].genotypes, piece.depths.back());
    before = &entry;
  }
  reads.StartRecord();
}

void WindowRecords::CopyDosages(std::span<const Entry> entries, MarkerRange range, Piece& piece) const {
  DosageColumns& columns = piece.columns;
  columns.markers = range;
  dosages_.alt.CopyColumns(range.begin - dosages_.range.begin, range.end - dosages_.range.begin, columns.alt);
  if (dosages_.typed) {
    const MarkerRange typed = Within(dosages_.typed->markers, range);
    dosages_.typed->left_out.CopyColumns(typed.begin, typed.end, piece.left_out);
    if (dosages_.typed->phase) dosages_.typed->phase->CopyColumns(typed.begin, typed.end, piece.phase);
  }
  columns.typed.assign(range.size(), nullptr);
  for (const Entry& entry : entries) {
    if (entry.study != kNone && range.Contains(entry.panel))
      columns.typed[entry.panel - range.begin] = &buffer_.markers()[entry.study].genotypes.alleles;
  }
  for (const ColumnStage* stage : stages_) stage->Run(window_, columns);
  if (!dosages_.animals) return;
  dosages_.animals->CopyColumns(range.begin - dosages_.range.begin, range.end - dosages_.range.begin, piece.animals);
  ScaleAlleleSums(buffer_.panel(), range, std::vector<const std::vector<uint8_t>*>(range.size()), piece.animals);
}

void WindowRecords::SetGenotypes(const GenotypeRow& row, Piece& piece, DosageRecord& record) const {
  record.typed_alleles = row.alleles;
  record.has_likelihoods = row.HasLikelihoods();
  if (row.first_read.empty() || !record.marker->HasAlt()) return;
  std::vector<AlleleDepth>& depths = piece.depths.emplace_back(buffer_.samples().num_samples());
  for (size_t s = 0; s < depths.size(); ++s) {
    for (const ReadAllele& read : row.Reads(s)) ++(read.is_alt != 0 ? depths[s].alt : depths[s].ref);
    depths[s].no_alt = depths[s].ref;
  }
  record.depths = depths;
}

// Returns the marker of the study, described as by the panel where the study says nothing.
const Marker* WindowRecords::PhasedMarker(const Entry& entry, Piece& piece) const {
  const Marker &marker = buffer_.markers()[entry.study].marker, &in_panel = buffer_.panel().marker(entry.panel);
  if (!marker.info.empty() || in_panel.info.empty()) return &marker;
  Marker& described = piece.markers.emplace_back(marker);
  described.info = in_panel.info;
  return &described;
}

DosageRecord WindowRecords::PanelRecord(const Entry& entry, Piece& piece) const {
  const uint32_t m = entry.panel;
  const MarkerRange range = piece.columns.markers;
  const size_t n = dosages_.num_haplotypes();
  DosageRecord record{.marker = &buffer_.panel().marker(m)};
  if (kind_ == RunOutput::kPhase) record.marker = PhasedMarker(entry, piece);
  if (buffer_.panel().num_haplotypes() > 0) record.panel_frequency = AltFrequency(buffer_.panel(), m);
  if (entry.study != kNone) SetGenotypes(buffer_.markers()[entry.study].genotypes, piece, record);
  if (!range.Contains(m) || !NeedsDosages(entry)) return record;
  record.dosages = piece.columns.Column(m);
  if (dosages_.animals) {
    const size_t haplotypes = dosages_.animals->num_haplotypes();
    record.animals = std::span(piece.animals).subspan((m - range.begin) * haplotypes, haplotypes);
  }
  if (entry.study == kNone) {
    if (window_.array) record.panel_r2 = window_.array->r2[m - dosages_.range.begin];
    return record;
  }
  if (!piece.columns.calls.empty()) record.calls = piece.columns.calls[m - range.begin];
  if (!dosages_.typed) return record;
  const std::vector<uint32_t>& typed = dosages_.typed->markers;
  const auto found = std::ranges::lower_bound(typed, m);
  if (found == typed.end() || *found != m) return record;
  const auto k = static_cast<size_t>(found - typed.begin()) - Within(typed, range).begin;
  record.left_out = {piece.left_out.data() + k * n, n};
  counts_.agreement.Add(record.marker->position, record.left_out, record.typed_alleles);
  const size_t samples = buffer_.samples().num_samples();
  if (dosages_.typed->phase) record.phase = {piece.phase.data() + k * samples, samples};
  return record;
}

bool WindowRecords::IsFoundInStudy(size_t s) const {
  return study_only_ != nullptr && study_only_->dosages().range.Contains(study_only_->marker(s));
}

DosageRecord WindowRecords::StudyRecord(size_t s, Piece& piece) {
  const auto& [marker, row] = static_cast<const StudyMarker&>(buffer_.markers()[s]);
  DosageRecord record{.marker = &marker, .in_panel = IsFoundInStudy(s), .typed_alleles = row.alleles};
  if (!record.in_panel) {
    record.unphased = row.unphased;
    counts_.unphased += std::ranges::count(row.unphased, uint8_t{1}) > 0;
    counts_.incomplete += marker.HasAlt() && row.HasMissing();
    return record;
  }
  const size_t m = study_only_->marker(s);
  const std::span<const float> found = study_only_columns_->At(m - study_only_->dosages().range.begin);
  DosageColumns& columns = piece.study_only.emplace_back();
  columns.markers = {m, m + 1};
  columns.alt.assign(found.begin(), found.end());
  columns.typed = {&row.alleles};
  for (const ColumnStage* stage : study_only_stages_) stage->Run(study_only_->window(), columns);
  record.dosages = columns.alt;
  if (!columns.calls.empty()) record.calls = columns.calls[0];
  return record;
}

}  // namespace

RecordMerger::RecordMerger(RunOutput kind, const WindowPlan& plan, std::string contig, int64_t begin,
                           StudyOutput& output)
    : kind_(kind), plan_(plan), contig_(std::move(contig)), output_(output), next_(begin) {}

void RecordMerger::Write(const ContigBuffer& buffer, const WindowResult& found, int64_t last) {
  WindowRecords window(kind_, buffer, plan_, found, counts_);
  output_.SetPloidy(buffer.samples());
  const std::vector<Entry> entries = window.List(next_, last);
  Piece piece, next_piece;
  const auto write = [&](const Piece& records) {
    if (!records.records.empty()) output_.Write(contig_, records.records);
  };
  for (size_t begin = 0, end; begin < entries.size(); begin = end) {
    end = window.PieceEnd(entries, begin);
    // The next piece is made while this one is written.
    next_piece.Clear();
    tbb::parallel_invoke([&] { write(piece); },
                         [&] { window.Fill(std::span(entries).subspan(begin, end - begin), next_piece); });
    std::swap(piece, next_piece);
  }
  write(piece);
  Skip(last);
}

}  // namespace haplospin
