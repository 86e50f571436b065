// The contigs that the header of an output declares.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/contig_table.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/study_file.h"

namespace haplospin {

// Returns the contigs that the study declares or has records of, and those that the panel declares. `study` has been
// opened from `file`. A contig in both files has its name in the study. The contigs of the records are those of
// `file`, unless it is a pipe or `first`, the contig of the first record, is the only one that is imputed.
ContigTable OutputContigs(StudyFile& file, const StudyReader& study, const PanelReader& panel, const std::string& first,
                          bool is_only_one);

// Returns the contigs that several studies, or else several panels, declare, and those that are imputed, as the studies
// name them.
ContigTable JoinContigTables(std::span<const ContigTable> studies, std::span<const ContigTable> panels,
                             std::span<const std::string> imputed);

// Returns the length of a contig of the study, bp. Throws InputError if it is not among those of the output.
int64_t ContigLength(const ContigTable& contigs, const std::string& study_path, const std::string& contig);

}  // namespace haplospin
