#include "genotypes/imputation/contig/run_report.h"

namespace haplospin {

MarkerCounts& MarkerCounts::operator+=(const MarkerCounts& other) {
  imputed += other.imputed;
  with_likelihoods += other.with_likelihoods;
  typed += other.typed;
  completed += other.completed;
  not_in_panel += other.not_in_panel;
  unphased += other.unphased;
  incomplete += other.incomplete;
  as_given += other.as_given;
  misaligned += other.misaligned;
  agreement += other.agreement;
  return *this;
}

FewTyped& FewTyped::operator+=(const FewTyped& other) {
  const size_t sum = count + other.count;
  if (count == 0) *this = other;
  count = sum;
  return *this;
}

void RunReport::Add(const ContigReport& contig) {
  markers += contig.markers;
  alignment += contig.alignment;
  windows += contig.windows;
  array += contig.array;
  typed_sites += contig.overlap.typed;
  covered += contig.overlap.covered;
  few_typed += contig.few_typed;
  lone_typed += contig.lone_typed;
  if (contig.one_allele.samples > one_allele.samples) one_allele = contig.one_allele;
}

}  // namespace haplospin
