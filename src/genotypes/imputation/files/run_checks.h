// Whether a contig, and all contigs of a run, have what they are imputed from.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "genotypes/genomics/sites/panel_alignment.h"
#include "genotypes/imputation/contig/run_report.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/imputation/plan/study_facts.h"

namespace haplospin {

// Returns the file that the sites of the study are from, for messages, with one of its contigs.
AlignedFile AlignedStudy(const StudyInput& study, const std::string& contig);

// Before the first contig, if there is none.
[[noreturn]] void FailNoSharedContig(const ImputeJob& job, const std::vector<std::string>& absent,
                                     const std::vector<std::string>& panel_contigs);

// After a contig, or a part of one. Throws InputError if study and panel share no site there, or the study has nothing
// to impute from, and warns of genotypes that contradict the others. `panel_contigs` are the names that the panel has.
void CheckContig(const ImputeJob& job, const StudyFacts& facts, const ContigReport& report, const std::string& contig,
                 size_t num_filtered, const std::vector<std::string>& panel_contigs);

// After the last contig, before the output is completed. Throws InputError if nothing was shared, or no record had the
// field of --likelihoods.
void CheckRun(const ImputeJob& job, const StudyFacts& facts, const RunReport& report, const std::string& last_contig,
              const std::vector<std::string>& panel_contigs);

}  // namespace haplospin
