#include "haplospin/impute.h"

#include <fmt/format.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

#include "core/install_paths.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/panel_alignment.h"
#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/imputation/backends/cpu_backend.h"
#include "genotypes/imputation/contig/contig_run.h"
#include "genotypes/imputation/contig/memory_source.h"
#include "genotypes/imputation/contig/study_output.h"
#include "genotypes/imputation/contig/window_lengths.h"
#include "genotypes/imputation/plan/study_facts.h"

namespace haplospin {
namespace {

// Marker s of the study has a row of `name` that is `size` long, but should have `expected` entries or be empty.
void CheckRow(size_t s, const char* name, size_t size, size_t expected) {
  if (size == 0 || size == expected) return;
  throw InputError(
      fmt::format("study: marker {} has {} {}; give one for each of the {} samples, or none", s, size, name, expected));
}

void CheckReadAlleles(size_t s, const GenotypeRow& row, size_t num_samples) {
  if (row.first_read.empty() && row.reads.empty()) return;
  if (row.first_read.size() == num_samples + 1 && row.first_read.front() == 0 &&
      row.first_read.back() == row.reads.size() && std::ranges::is_sorted(row.first_read)) {
    return;
  }
  throw InputError(fmt::format("study: marker {} has first_read that does not divide its {} reads among the {} samples",
                               s, row.reads.size(), num_samples));
}

void CheckRows(size_t s, const GenotypeRow& row, const SampleTable& samples) {
  if (row.alleles.size() != samples.num_haplotypes()) {
    throw InputError(fmt::format("study: marker {} has {} alleles; give one for each of the {} haplotypes", s,
                                 row.alleles.size(), samples.num_haplotypes()));
  }
  CheckRow(s, "values of unphased", row.unphased.size(), samples.num_samples());
  CheckRow(s, "phase sets", row.phase_sets.size(), samples.num_samples());
  CheckRow(s, "likelihoods", row.likelihoods.size(), samples.num_samples());
  CheckReadAlleles(s, row, samples.num_samples());
  if (std::ranges::any_of(row.alleles, [](uint8_t allele) { return allele > kMissingAllele; })) {
    throw InputError(fmt::format("study: marker {} has an allele that is not 0, 1 or {} (missing)", s, kMissingAllele));
  }
}

void CheckStudy(const StudyGenotypes& study) {
  study.samples.Check("the study");
  for (size_t s = 0; s < study.markers.size(); ++s) {
    if (s > 0 && study.markers[s].marker.position < study.markers[s - 1].marker.position) {
      throw InputError(fmt::format("study: marker {} lies before the one it follows; sort the markers by position", s));
    }
    CheckRows(s, study.markers[s].genotypes, study.samples);
  }
}

// Keeps the dosages of the panel's markers.
class DosagesInMemory : public StudyOutput {
 public:
  explicit DosagesInMemory(ImputedDosages& dosages) : dosages_(dosages) {}

  void SetPloidy(const SampleTable& /*samples*/) override {}

  void Write(const std::string& /*contig*/, std::span<const DosageRecord> records) override {
    for (const DosageRecord& record : records) {
      if (!record.in_panel) continue;
      for (size_t h = 0; h < dosages_.num_haplotypes(); ++h) dosages_.haplotype(h)[marker_] = record.dosages[h];
      ++marker_;
    }
  }

  void Finish(IndexType /*index*/) override { HS_ASSERT(marker_ == dosages_.num_markers()); }

 private:
  ImputedDosages& dosages_;
  size_t marker_ = 0;  // next one of the panel
};

// The options of a run over data in memory, whose names are for messages. Any share of the study may be in the panel.
ImputeJob MemoryJob(const StudyGenotypes& study) {
  ImputeJob job;
  const bool has_likelihoods =
      std::ranges::any_of(study.markers, [](const StudyMarker& marker) { return marker.genotypes.HasLikelihoods(); });
  if (has_likelihoods) job.study.options.likelihoods = LikelihoodField::kPl;
  job.study.path = "the study";
  job.panel.path = "the panel";
  job.panel.min_ratio = 0;
  job.output.fields.leaves_out_study = true;
  return job;
}

SiteDensity Density(const StudyGenotypes& study, const GeneticMap& map) {
  const size_t sites = std::min(study.markers.size(), StudyFile::kFirstSites);
  if (sites == 0) return {};
  return {sites, map.Centimorgans(study.markers[sites - 1].marker.position) -
                     map.Centimorgans(study.markers[0].marker.position)};
}

ImputedDosages Run(const HaplotypePanel& panel, const StudyGenotypes& study, const GeneticMap& map,
                   const Imputer& imputer) {
  const ImputeJob job = MemoryJob(study);
  const StudyFacts facts = MeasureFacts(job, RunOutput::kDosages, imputer);
  MemoryPanel panel_source(panel);
  MemoryStudy study_source(study);
  const ContigPart part = PloidyRegions().PartAt(panel.contig(), 0);
  const ContigInput input{.panel = panel_source,
                          .study = study_source,
                          .map = map,
                          .windows = ChooseWindowLengths(job.windows, Density(study, map)),
                          .files = {job.study.path, job.panel.path, panel.contig(), "", ""},
                          .part = part};
  ImputedDosages dosages(study.samples, panel.num_markers());
  DosagesInMemory output(dosages);
  const ContigReport report = ContigRun(job, facts, imputer, input, output).Run();
  if (report.alignment.matched == 0) {
    throw InputError(
        NoSharedSiteMessage(report.alignment, {job.study.path, {study.contig}}, {job.panel.path, {panel.contig()}}));
  }
  output.Finish(IndexType::kNone);
  return dosages;
}

}  // namespace

ImputedDosages::ImputedDosages(const SampleTable& samples, size_t num_markers)
    : first_haplotype_(samples.first_haplotype),
      num_markers_(num_markers),
      values_(samples.num_haplotypes() * num_markers) {}

float ImputedDosages::Dosage(size_t sample, size_t marker) const {
  float sum = 0;
  for (uint32_t h = first_haplotype_[sample]; h < first_haplotype_[sample + 1]; ++h) sum += probability(h, marker);
  return sum;
}

ImputedDosages Impute(const HaplotypePanel& panel, const StudyGenotypes& study, const GeneticMap& map,
                      const ImputeOptions& options) {
  if (options.threads < 0) throw InputError(fmt::format("threads: {} is negative; 0 is all cores", options.threads));
  CheckStudy(study);
  if (!SameContig(panel.contig(), study.contig)) {
    throw InputError(fmt::format("the panel is of contig {}, but the study of {}; give the panel of the study's contig",
                                 panel.contig(), study.contig));
  }
  if (panel.num_markers() == 0) throw InputError("the panel has no markers; give those that are to be imputed");
  if (study.markers.empty()) throw InputError("the study has no markers; give those that were typed");
  const std::string path = options.model.empty() ? ModelsFolder() + "/imputer.safetensors" : options.model;
  const std::unique_ptr<Backend> backend = MakeCpuBackend(LoadImputerWeights(path));
  tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
  return arena.execute([&] { return Run(panel, study, map, {.backend = backend.get()}); });
}

}  // namespace haplospin
