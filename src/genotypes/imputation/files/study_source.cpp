#include "genotypes/imputation/files/study_source.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/log.h"
#include "core/provenance.h"
#include "genotypes/variant_io/alignments/alignment_source.h"
#include "genotypes/variant_io/reading/panel_reader.h"

namespace haplospin {
namespace {

constexpr size_t kShareOfMemory = 16;  // of --memory that reads may take, beside the windows

// Tells which contigs of a panel are haploid, such as mitochondria and the genomes of yeast.
class PanelPloidy {
 public:
  PanelPloidy(std::string study, const PanelInput& panel) : study_(std::move(study)), panel_(panel) {}

  bool IsHaploid(const std::string& contig) {
    const auto [known, is_new] = is_haploid_.emplace(contig, false);
    if (!is_new) return known->second;
    if (!contigs_) contigs_.emplace(panel_.path, panel_.samples);
    if (!contigs_->Find(contig)) return false;
    const SampleTable samples = contigs_->reader().StartContig().samples();
    known->second = samples.num_haplotypes() == samples.num_samples();
    if (known->second) {
      LogInfo("{}: one allele of each sample on {}, as the panel {} has; --ploidy 2 imputes two", study_, contig,
              panel_.path);
    }
    return known->second;
  }

 private:
  const std::string study_;
  const PanelInput panel_;
  std::optional<PanelContigs> contigs_;
  std::map<std::string, bool> is_haploid_;
};

std::function<bool(const std::string&)> HaploidContigs(const ImputeJob& job) {
  if (job.study.reads.ploidy != 0) return [ploidy = job.study.reads.ploidy](const std::string&) { return ploidy == 1; };
  if (job.panel.path.empty()) return {};
  const auto ploidy = std::make_shared<PanelPloidy>(job.study.path, job.panel);
  return [ploidy](const std::string& contig) { return ploidy->IsHaploid(contig); };
}

}  // namespace

StudyOptions OpeningOptions(const ImputeJob& job) {
  StudyOptions options = job.study.options;
  if (job.study.people) options.open = PersonalRecords(job.study.path, job.study.people, job.panel.path);
  if (!job.study.reads.people) return options;
  const std::string& sites = job.study.reads.sites.empty() ? job.panel.path : job.study.reads.sites;
  AlignmentPieces pieces{.counted = job.windows.region};
  if (job.memory.max_bytes > 0) pieces.max_bytes = std::min(pieces.max_bytes, job.memory.max_bytes / kShareOfMemory);
  options.open = AlignmentRecords(job.study.path, job.study.reads.people, sites, pieces);
  options.is_haploid = HaploidContigs(job);
  return options;
}

std::string DescribeStudy(const StudyInput& study) {
  std::string text;
  if (study.people) {
    for (const PersonalFile& person : study.people->people) {
      text += '\n' + person.name + ' ' + FingerprintOfFile(person.path);
    }
  }
  if (!study.reads.people) return text;
  for (const AlignedPerson& person : study.reads.people->people) {
    text += '\n' + person.name;
    for (const PersonFile& file : person.files) text += ' ' + file.sample + ' ' + FingerprintOfFile(file.path);
  }
  return text;
}

}  // namespace haplospin
