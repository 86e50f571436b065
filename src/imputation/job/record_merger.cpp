#include "imputation/job/record_merger.h"

#include <algorithm>
#include <utility>

namespace haplospin {
namespace {

constexpr size_t kRecordsAtATime = 128;
constexpr size_t kMinSamplesForDr2 = 10;  // DR2 of fewer says little

// The study's alleles at each panel marker of `range`, or null where it is not typed.
std::vector<const std::vector<uint8_t>*> TypedAlleles(const ContigBuffer& buffer, MarkerRange range) {
  std::vector<const std::vector<uint8_t>*> typed(range.size());
  for (size_t s = 0; s < buffer.panel_marker().size(); ++s) {
    const uint32_t m = buffer.panel_marker()[s];
    if (IsTyped(m) && range.Contains(m)) typed[m - range.begin] = buffer.Row(s).alleles;
  }
  return typed;
}

// Which of the ascending `markers` are in `range`.
MarkerRange Within(const std::vector<uint32_t>& markers, MarkerRange range) {
  const auto index = [&](size_t marker) {
    return static_cast<size_t>(std::ranges::lower_bound(markers, marker) - markers.begin());
  };
  return {index(range.begin), index(range.end)};
}

}  // namespace

RecordMerger::RecordMerger(std::string contig, int64_t begin, DosageWriter& writer)
    : contig_(std::move(contig)), writer_(writer), next_(begin) {}

void RecordMerger::Write(const ContigBuffer& buffer, const WindowDosages& dosages, int64_t last) {
  writer_.SetPloidy(buffer.study().samples);
  const MarkerRange range = dosages.range;
  for (size_t begin = range.begin; begin < range.end; begin += kRecordsAtATime) {
    AddPanelMarkers(buffer, dosages, {begin, std::min(begin + kRecordsAtATime, range.end)});
    WriteRecords();
  }
  AddStudyMarkers(buffer, last == INT64_MAX ? last : last + 1);
  WriteRecords();
}

void RecordMerger::AddPanelMarkers(const ContigBuffer& buffer, const WindowDosages& dosages, MarkerRange markers) {
  const size_t n = dosages.num_haplotypes();
  dosages.alt.CopyColumns(markers.begin - dosages.range.begin, markers.end - dosages.range.begin, alt_);
  const MarkerRange left_out = Within(dosages.left_out_markers, markers);
  dosages.left_out.CopyColumns(left_out.begin, left_out.end, left_out_);
  dosages.phase.CopyColumns(left_out.begin, left_out.end, phase_);
  const size_t phased_samples = dosages.phase.num_haplotypes();
  const std::vector<const std::vector<uint8_t>*> typed = TypedAlleles(buffer, markers);

  size_t k = left_out.begin;
  for (size_t m = markers.begin; m < markers.end; ++m) {
    const Marker& marker = buffer.panel().marker(m);
    AddStudyMarkers(buffer, marker.position);
    DosageRecord record{.marker = &marker, .dosages = {alt_.data() + (m - markers.begin) * n, n}};
    if (const std::vector<uint8_t>* alleles = typed[m - markers.begin]; alleles != nullptr)
      record.typed_alleles = *alleles;
    if (k < left_out.end && dosages.left_out_markers[k] == m) {
      record.left_out = {left_out_.data() + (k - left_out.begin) * n, n};
      record.phase = {phase_.data() + (k - left_out.begin) * phased_samples, phased_samples};
      ++k;
    }
    ++(record.typed_alleles.empty() ? counts_.imputed : counts_.typed);
    records_.push_back(record);
  }
}

// Those that the panel does not have, before a position.
void RecordMerger::AddStudyMarkers(const ContigBuffer& buffer, int64_t end) {
  const StudyGenotypes& study = buffer.study();
  const auto first = std::ranges::lower_bound(study.markers, next_, {}, &Marker::position);
  for (auto s = static_cast<size_t>(first - study.markers.begin());
       s < study.markers.size() && study.markers[s].position < end; ++s) {
    counts_.misaligned += buffer.panel_marker()[s] == kMisaligned;
    if (buffer.panel_marker()[s] != kNotInPanel) continue;
    const StudyRow row = buffer.Row(s);
    records_.push_back(
        {.marker = &study.markers[s], .in_panel = false, .typed_alleles = *row.alleles, .unphased = *row.unphased});
    ++counts_.not_in_panel;
  }
  next_ = std::max(next_, end);
}

void DosageOutput::AddTo(ImputeCounts& counts) const {
  counts.left_out = writer_.num_left_out();
  if (counts.samples >= kMinSamplesForDr2) counts.mean_dr2 = writer_.mean_dr2();
}

void RecordMerger::WriteRecords() {
  if (!records_.empty()) writer_.Write(contig_, records_);
  records_.clear();
}

}  // namespace haplospin
