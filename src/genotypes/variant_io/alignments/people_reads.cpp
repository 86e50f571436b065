#include "genotypes/variant_io/alignments/people_reads.h"

#include <oneapi/tbb/parallel_for.h>

#include <utility>

#include "core/threads.h"
#include "genotypes/genomics/sites/contig_names.h"

namespace haplospin {

PeopleReads::PeopleReads(std::shared_ptr<const AlignmentStudy> study) : study_(std::move(study)), arena_(Threads()) {
  for (const AlignedPerson& person : study_->people) places_.emplace_back(person.files.size());
}

void PeopleReads::Read(const std::string& contig, std::span<const PileupSite> sites, std::span<const ErrorModel> errors,
                       const std::function<void(size_t, const SamplePileup&)>& take) {
  if (sites.empty()) return;
  const auto read = [&](size_t person) {
    SamplePileup pileup(sites, study_->filter, errors.empty() ? nullptr : &errors[person]);
    for (size_t f = 0; f < places_[person].size(); ++f) {
      AlignmentFile file(study_->people[person].files[f], study_->fasta);
      const auto name = FindContig(NamesOfContigs(file.contigs()), contig);
      if (!name) continue;
      file.ForEachRead(
          *name, sites.front().position, sites.back().position + 1, [&](const bam1_t& read) { pileup.Add(read); },
          &places_[person][f]);
      pileup.EndFile();
    }
    take(person, pileup);
  };
  arena_.execute([&] { tbb::parallel_for(size_t{0}, places_.size(), read); });
}

}  // namespace haplospin
