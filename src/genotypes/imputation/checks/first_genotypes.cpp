#include "genotypes/imputation/checks/first_genotypes.h"

#include <fmt/format.h>

#include <optional>

#include "core/log.h"
#include "genotypes/variant_io/reading/call_certainty.h"
#include "genotypes/variant_io/reading/genotype_origin.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

void WarnOfUnusedLikelihoods(const ImputeJob& job) {
  const StudyInput& study = job.study;
  if (!HasGenotypeFiles(study) || study.options.likelihoods != LikelihoodField::kNone) return;
  std::optional<CallCertainty> certainty;
  try {
    certainty = MeasureCallCertainty(study.path, study.options, job.panel.regions);
  } catch (const InputError& error) {
    LogToFile(fmt::format("{}: likelihoods were not looked at: {}", study.path, error.what()));
  }
  if (!certainty || !certainty->AreFewReads()) return;
  const char* field = FieldName(certainty->field);
  LogWarning(
      "{}: {:.0f} % of its genotypes are uncertain by {}, as from few reads, but are taken as they were called; give "
      "--likelihoods {}",
      study.path, 100 * certainty->UncertainShare(), field, field);
}

// Without a panel, nothing but the study tells which of its missing genotypes are REF.
void CheckMissingRef(const ImputeJob& job) {
  if (job.panel.path.empty()) {
    throw InputError(job.study.path +
                     ": no genotype is 0/0, so that nothing tells which of the missing ones are; expected genotypes of "
                     "REF as well: merge files that list only where a sample differs with bcftools merge -0");
  }
  LogWarning(
      "{}: no genotype is 0/0; if it was merged from files that list only where a sample differs, most of what is "
      "missing is REF: merge them with bcftools merge -0",
      job.study.path);
}

void CheckOrigin(const ImputeJob& job) {
  GenotypeOrigin study, panel;
  try {
    if (HasGenotypeFiles(job.study)) study = FindStudyOrigin(job.study.path, job.study.options, job.panel.regions);
    if (!job.panel.path.empty()) panel = FindPanelOrigin(job.panel.path, job.panel.samples);
  } catch (const InputError& error) {
    LogToFile(fmt::format("{}: the first genotypes were not looked at: {}", job.study.path, error.what()));
  }
  if (study.lacks_ref) CheckMissingRef(job);
  if (study.is_sorted && !job.study.rephase) {
    LogWarning(
        "{}: all phased heterozygotes have their alleles in one order (0|1), as if / had been replaced by |; give "
        "--rephase, unless one parent of all samples is the reference strain",
        job.study.path);
  }
  if (study.phased_beside_unphased > 0 && !job.study.rephase) {
    LogWarning(
        "{}: {:.0f} % of the heterozygotes are phased (|) without a phase set (PS), beside unphased ones (/) of the "
        "same samples; each | is taken as phased with all others of its sample on the contig: give --rephase if reads "
        "told the phase (GATK, WhatsHap) and PS was lost",
        job.study.path, 100 * study.phased_beside_unphased);
  }
  if (panel.is_sorted) {
    LogWarning(
        "{}: all heterozygotes have their alleles in one order (0|1), so that the panel is phased in name alone; phase "
        "it first (haplospin phase --rephase), unless one parent of all samples is the reference strain",
        job.panel.path);
  }
}

}  // namespace

void CheckFirstGenotypes(const ImputeJob& job) {
  WarnOfUnusedLikelihoods(job);
  CheckOrigin(job);
}

}  // namespace haplospin
