#include "variant_io/writing/record_sink.h"

#include <algorithm>
#include <cmath>

namespace haplospin {
namespace {

constexpr double kUnitsOfDr2 = 1e4;

bool HasMinMaf(double alt_frequency) { return std::min(alt_frequency, 1 - alt_frequency) >= MeanDr2::kMinMaf; }

}  // namespace

void RecordCounts::Add(const DosageRecord& record, const OutputGenotypes& genotypes, bool is_written) {
  if (!is_written) ++num_left_out_;
  const bool is_imputed = record.in_panel && record.typed_alleles.empty();
  if (!is_imputed || !genotypes.dr2 || !HasMinMaf(*genotypes.alt_frequency)) return;
  ++num_markers_;
  dr2_ += std::lround(*genotypes.dr2 * kUnitsOfDr2);
}

MeanDr2 RecordCounts::mean_dr2() const {
  const size_t markers = num_markers_;
  if (markers == 0) return {};
  return {markers, static_cast<double>(dr2_) / kUnitsOfDr2 / static_cast<double>(markers)};
}

// BGEN has no records without ALT: most programs that read it expect two alleles.
bool RecordSink::IsWritten(const DosageRecord& record, const OutputGenotypes& genotypes) const {
  if (type_ == OutputType::kBgen && !record.marker->HasAlt()) return false;
  if (!record.in_panel) return !fields_.leaves_out_study;
  if (!record.typed_alleles.empty() || fields_.min_r2 <= 0) return true;
  // DR2 as it is written, so that the file shows why a record was left out.
  return std::round(genotypes.dr2.value_or(0) * kUnitsOfDr2) / kUnitsOfDr2 >= fields_.min_r2;
}

}  // namespace haplospin
