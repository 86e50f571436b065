#include "genotypes/imputation/contig/contig_phase.h"

#include <fmt/format.h>

#include <cmath>

#include "genotypes/genomics/sites/panel_alignment.h"

namespace haplospin {
namespace {

using Order = RecentPhaseSets::Order;

void TakeOrder(Order order, const StudyCall& call) {
  if (order == Order::kExchanged) call.Exchange();
  call.SetPhaseSet(0);
}

// Puts the alleles of a half-missing genotype in the order of the dosages `alt` [2]: the known one has its haplotype's,
// the other one what was imputed. Returns kUnknown where these are the same.
Order TakeOrderOfKnown(std::span<const float> alt, const StudyCall& call) {
  const size_t known = call.alleles()[0] == kMissingAllele ? 1 : 0;
  const auto allele = static_cast<float>(call.alleles()[known]);
  const float here = std::abs(alt[known] - allele), there = std::abs(alt[1 - known] - allele);
  call.SetPhaseSet(0);
  if (there < here) call.Exchange();
  return here == there ? Order::kUnknown : there < here ? Order::kExchanged : Order::kAsGiven;
}

// Puts the alleles in the order of the dosages `alt` [study haplotypes], and returns what that order is.
Order TakeOrder(std::span<const float> alt, const StudyCall& call) {
  if (call.is_half_missing()) return TakeOrderOfKnown(alt.subspan(call.samples.first_haplotype[call.sample], 2), call);
  const uint8_t before = call.alleles()[0];
  uint32_t haplotype = call.samples.first_haplotype[call.sample];
  for (uint8_t& allele : call.alleles()) {
    if (allele != kMissingAllele) allele = alt[haplotype] > 0.5f ? 1 : 0;
    ++haplotype;
  }
  call.SetPhaseSet(0);
  return call.alleles()[0] == before ? Order::kAsGiven : Order::kExchanged;
}

}  // namespace

void ContigPhase::Read(StudyGenotypes& study, size_t s) {
  auto& [marker, row] = study.markers[s];
  has_sets_ = has_sets_ || families_ != nullptr || !row.phase_sets.empty();
  if (families_ != nullptr) families_->Phase(study, s, read_);
  for (size_t sample = 0; sample < study.samples.num_samples(); ++sample) {
    const StudyCall call{study.samples, row, sample};
    const bool has_order = call.is_heterozygous() || (call.is_half_missing() && call.set() != 0);
    if (!has_order || call.is_unphased()) continue;
    const bool is_ordered = families_ != nullptr && families_->Orders(sample);
    if (is_ordered && call.set() == 0) continue;
    const bool is_first = !is_ordered && !read_.HasAny(sample);
    const bool is_interrupted = read_.Visit(sample, call.set());
    if (is_interrupted && !is_ordered && num_interrupted_++ == 0) {
      first_interrupted_ =
          fmt::format("sample {} at {}:{}", study.samples.names[sample], study.contig, marker.position);
    }
    if (call.set() == 0) continue;
    if (is_first) read_.SetOrder(sample, Order::kAsGiven);
    if (read_.order(sample) != Order::kUnknown) TakeOrder(read_.order(sample), call);
  }
}

void ContigPhase::Learn(const WindowDosages& dosages, std::span<const uint32_t> column, int64_t last,
                        const SampleTable& samples, std::deque<ContigMarker>& markers) {
  RecentPhaseSets sets(has_sets_ ? samples.num_samples() : 0);
  ColumnReader columns(dosages.alt);
  for (size_t s = 0; s < markers.size(); ++s) {
    const uint32_t m = column[s];
    GenotypeRow& row = markers[s].genotypes;
    const bool is_found = IsTyped(m) && dosages.range.Contains(m);
    if (row.phase_sets.empty() && (!is_found || row.unphased.empty())) continue;
    const std::span<const float> alt = is_found ? columns.At(m - dosages.range.begin) : std::span<const float>();
    for (size_t sample = 0; sample < samples.num_samples(); ++sample) {
      const StudyCall call{samples, row, sample};
      const uint32_t set = call.set();
      if (!call.is_unphased() && set == 0 && !call.is_half_missing()) continue;
      if (set != 0) sets.Visit(sample, set);
      if (is_found) {
        const Order order = TakeOrder(alt, call);
        if (set != 0 && order != Order::kUnknown) sets.SetOrder(sample, order);
      } else if (set != 0 && sets.order(sample) != Order::kUnknown) {
        TakeOrder(sets.order(sample), call);
      } else if (set != 0 && !IsTyped(m) && markers[s].marker.position <= last) {
        call.SetPhaseSet(0);
        call.SetUnphased(true);
      }
    }
  }
  if (has_sets_) read_.Learn(sets);
}

}  // namespace haplospin
