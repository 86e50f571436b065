// What a run tells the user: one function for each kind of message, in the order in which they come.
#pragma once

#include <string>
#include <vector>

#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/imputation/contig/run_report.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/imputation/plan/study_facts.h"

namespace haplospin {

// Before the first file of a run. Warns if genotypes of few reads are taken as certain although the study has their
// likelihoods; a study that cannot be read is told of later.
void WarnOfUnusedLikelihoods(const ImputeJob& job);

// Before the first file of a run. Warns of genotypes and panels that are phased in name alone, and of studies whose
// genotypes of REF are missing; without a panel, throws InputError for these.
void CheckOrigin(const ImputeJob& job);

// Before the run. CheckNumSamples() throws InputError for a single sample without a panel.
void TellOfFacts(const StudyFacts& facts);
void CheckNumSamples(const ImputeJob& job, const StudyFacts& facts, size_t samples);
void WarnOfSharedSamples(const ImputeJob& job, const std::vector<std::string>& study,
                         const std::vector<std::string>& panel);
[[noreturn]] void FailNoSharedContig(const ImputeJob& job, const std::vector<std::string>& absent,
                                     const std::vector<std::string>& panel_contigs);

// Before a contig, or a part of one.
void WarnOfUnknownSexes(const ImputeJob& job, const std::string& contig, const ContigPart& part);

// After a contig, or a part of one. Throws InputError if study and panel share no site there, or the study has nothing
// to impute from. `panel_contigs` are the names that the panel has.
void CheckContig(const ImputeJob& job, const StudyFacts& facts, const ContigReport& report, const std::string& contig,
                 size_t num_filtered, const std::vector<std::string>& panel_contigs);
void WarnOfPhaseSets(const ImputeJob& job, const InterruptedSets& sets);

// After the last contig, before the output is completed. CheckRun() throws InputError if nothing was shared, or no
// record had the field of --likelihoods.
void CheckRun(const ImputeJob& job, const StudyFacts& facts, const RunReport& report, const std::string& last_contig,
              const std::vector<std::string>& panel_contigs);
void WarnOfRun(const ImputeJob& job, const StudyFacts& facts, const RunReport& report);

// Once the output is complete: what was written.
void TellOfOutput(const ImputeJob& job, const StudyFacts& facts, const RunReport& report);

}  // namespace haplospin
