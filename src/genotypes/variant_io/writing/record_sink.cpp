#include "genotypes/variant_io/writing/record_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>

#include "genotypes/genomics/dosage_r2.h"
#include "genotypes/genomics/genotype_call.h"
#include "genotypes/genomics/sites/marker_names.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr double kUnitsOfDr2 = 1e4, kUnitsOfFrequency = 1e6;

}  // namespace

std::string MarkerId(const std::string& contig, const Marker& marker) {
  return marker.id == "." ? NameBySite(contig, marker) : marker.id;
}

void AppendNumber(double value, int decimals, std::string& out) {
  const size_t begin = out.size();
  fmt::format_to(std::back_inserter(out), "{:.{}f}", value, decimals);
  if (out.find('.', begin) == std::string::npos) return;
  out.erase(out.find_last_not_of('0') + 1);
  if (out.ends_with('.')) out.pop_back();
}

void RecordCounts::Add(const DosageRecord& record, const OutputGenotypes& genotypes, bool is_written) {
  if (!is_written) ++num_left_out_;
  if (!record.IsImputed() || !genotypes.dr2) return;
  // AF as it is written, so that the file shows which markers count.
  const double frequency = std::round(*genotypes.alt_frequency * kUnitsOfFrequency) / kUnitsOfFrequency;
  if (std::min(frequency, 1 - frequency) < MeanDr2::kMinMaf) return;
  ++num_markers_;
  dr2_ += std::lround(*genotypes.dr2 * kUnitsOfDr2);
}

MeanDr2 RecordCounts::mean_dr2() const {
  const size_t markers = num_markers_;
  if (markers == 0) return {};
  return {markers, static_cast<double>(dr2_) / kUnitsOfDr2 / static_cast<double>(markers)};
}

void RecordCounts::Save(WriterState& state) const {
  state.left_out = num_left_out_;
  state.dr2_markers = num_markers_;
  state.dr2_sum = dr2_;
}

void RecordCounts::Restore(const WriterState& state) {
  num_left_out_ = state.left_out;
  num_markers_ = state.dr2_markers;
  dr2_ = state.dr2_sum;
}

// BGEN has no records without ALT: most programs that read it expect two alleles.
bool RecordSink::IsWritten(const DosageRecord& record, const OutputGenotypes& genotypes) const {
  if (type_ == OutputType::kBgen && !record.marker->HasAlt()) return false;
  if (!record.in_panel) return !fields_.leaves_out_study;
  if (!record.IsImputed() || fields_.min_r2 <= 0) return true;
  // DR2 as it is written, so that the file shows why a record was left out.
  return std::round(genotypes.dr2.value_or(0) * kUnitsOfDr2) / kUnitsOfDr2 >= fields_.min_r2;
}

std::vector<KeptAlt> RecordSink::TakeKept(std::span<const DosageRecord> records) const {
  std::vector<KeptAlt> alts(records.size());
  bool is_written = false;
  for (size_t a = 0; a < alts.size(); ++a) {
    alts[a].values.Assign(records[a]);
    is_written = is_written || IsWritten(records[a], alts[a].values);
  }
  for (size_t a = 0; a < alts.size(); ++a) {
    counts_.Add(records[a], alts[a].values, is_written);
    alts[a].record = layout_.IsSame() ? records[a] : alts[a].values.Arrange(records[a], layout_);
  }
  if (!is_written) alts.clear();
  return alts;
}

// Adds the values of people without genotypes, whose alleles are those of their most probable genotypes.
void OutputGenotypes::AddAnimals(const DosageRecord& record, size_t haplotypes) {
  HS_ASSERT(record.animals.empty() || record.animals.size() == haplotypes);
  if (record.animals.empty()) {
    probability.resize(probability.size() + haplotypes, kNoProbability);
    allele.resize(allele.size() + haplotypes, kMissingAllele);
    return;
  }
  for (size_t h = 0; h < haplotypes; h += 2) {
    for (size_t c = 0; c < 2; ++c) probability.push_back(QuantizeProbability(record.animals[h + c], kProbabilityOne));
    const auto called = CallGenotype(record.animals[h], record.animals[h + 1]);
    allele.insert(allele.end(), called.begin(), called.end());
  }
}

DosageRecord OutputGenotypes::Arrange(const DosageRecord& record, const SampleLayout& layout) {
  AddAnimals(record, layout.animal_haplotypes());
  probability = layout.Haplotypes<uint16_t>(probability, kNoProbability);
  allele = layout.Haplotypes<uint8_t>(allele, kMissingAllele);
  left_out_.clear();
  if (!record.left_out.empty()) left_out_ = layout.Haplotypes<float>(record.left_out, 0);
  phase_ = layout.Samples<float>(record.phase, 0);
  unphased_ = layout.Samples<uint8_t>(record.unphased, 0);
  depths_ = layout.Samples<AlleleDepth>(record.depths, {});
  is_doubled_ = layout.is_doubled();
  DosageRecord arranged = record;
  arranged.left_out = left_out_;
  arranged.phase = phase_;
  arranged.unphased = unphased_;
  arranged.depths = depths_;
  return arranged;
}

// From 0.5 on, a genotype of this probability is the one whose alleles are the more probable ones.
void OutputGenotypes::KeepCertain(const SampleTable& samples, double min_gp) {
  const auto least = static_cast<uint32_t>(std::ceil(min_gp * kProbabilityOne));
  for (size_t s = 0; s < samples.num_samples(); ++s) {
    const size_t h = samples.first_haplotype[s];
    const std::span<const uint16_t> own(&probability[h], samples.ploidy(s));
    if (std::ranges::find(own, kNoProbability) != own.end()) continue;
    const GenotypeProbabilities gp =
        own.size() == 1 || IsDoubled(s) ? DoubledHaplotype(own[0]) : CombineHaplotypes(own[0], own[1]);
    if (std::ranges::max(gp.p) < least) std::ranges::fill(std::span(&allele[h], own.size()), kMissingAllele);
  }
}

void OutputGenotypes::Assign(const DosageRecord& record) {
  const size_t n = record.in_panel ? record.dosages.size() : record.typed_alleles.size();
  HS_ASSERT(record.typed_alleles.empty() || record.typed_alleles.size() == n);
  probability.resize(n);
  allele.resize(n);
  if (record.in_panel) {
    exact_.assign(record.dosages.begin(), record.dosages.end());
    for (size_t h = 0; h < n; ++h) {
      probability[h] = QuantizeProbability(exact_[h], kProbabilityOne);
      allele[h] = 2 * probability[h] > kProbabilityOne ? 1 : 0;
    }
    HS_ASSERT(record.calls.empty() || record.calls.size() == n);
    std::ranges::copy(record.calls, allele.begin());
  } else {
    std::ranges::fill(probability, kNoProbability);
    std::ranges::fill(allele, kMissingAllele);
    exact_.clear();
  }
  er2.reset();
  if (!record.left_out.empty()) er2 = EmpiricalR2(record.left_out, record.typed_alleles);
  for (size_t h = 0; h < record.typed_alleles.size(); ++h) {
    const uint8_t typed = record.typed_alleles[h];
    if (typed == kMissingAllele) continue;
    probability[h] = typed == 0 ? 0 : kProbabilityOne;
    allele[h] = typed;
    if (record.in_panel) {
      exact_[h] = typed;
    } else {
      exact_.push_back(typed);
    }
  }
  alt_frequency.reset();
  dr2.reset();
  if (exact_.empty() || record.marker->alt == ".") return;
  alt_frequency = std::accumulate(exact_.begin(), exact_.end(), 0.0) / static_cast<double>(exact_.size());
  HS_ASSERT(std::isfinite(*alt_frequency));
  if (record.in_panel) dr2 = EstimatedDosageR2(exact_);
}

}  // namespace haplospin
