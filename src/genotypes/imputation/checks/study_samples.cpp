#include "genotypes/imputation/checks/study_samples.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_set>

#include "core/log.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kMinSamplesWithoutPanel = 100;

}  // namespace

void CheckNumSamples(const ImputeJob& job, const StudyFacts& facts, size_t samples) {
  if (facts.reference == Reference::kPanel || samples >= kMinSamplesWithoutPanel) return;
  if (samples == 1) {
    throw InputError(job.study.path +
                     ": a single sample cannot be phased without other haplotypes; give a panel (--ref)");
  }
  LogWarning(
      "{}: {} samples without a panel (--ref); fewer than {} carry few of the haplotypes of a population, so that what "
      "is phased and imputed from them is unreliable",
      job.study.path, samples, kMinSamplesWithoutPanel);
}

void WarnOfSharedSamples(const ImputeJob& job, const std::vector<std::string>& study,
                         const std::vector<std::string>& panel) {
  // The tables are of the study's names, as a panel may have a hundred thousand times more samples.
  const std::unordered_set<std::string_view> names(study.begin(), study.end());
  std::unordered_set<std::string_view> in_both;
  for (const std::string& name : panel) {
    if (names.contains(name)) in_both.insert(name);
  }
  if (in_both.empty()) return;
  std::vector<std::string> shared;
  std::ranges::copy_if(study, std::back_inserter(shared), [&](const auto& name) { return in_both.contains(name); });
  LogWarning(
      "{}: {} of {} study samples are also in the panel ({}); if they are the same people, their imputed genotypes are "
      "copied from the panel",
      job.study.path, shared.size(), study.size(), JoinNames(shared, kSamplesShown));
}

void WarnOfUnknownSexes(const ImputeJob& job, const std::string& contig, const ContigPart& part) {
  if (job.study.reads.people == nullptr || !part.males_are_haploid || !job.study.options.males.empty()) return;
  LogWarning("{}: reads do not tell who is male, and --sex names none: all are imputed with two alleles on {}",
             job.study.path, NameOfPart(contig, part));
}

}  // namespace haplospin
