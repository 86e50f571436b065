// The families of the files of a study.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "genotypes/imputation/models/pedigree/family_search.h"
#include "genotypes/variant_io/reading/study_reader.h"

namespace haplospin {

// Reads the genotypes of all contigs but those on which a sample has one allele. The files `studies` have the same
// samples at different contigs; if their samples differ, nothing is returned. map(contig) is the path of a genetic map,
// or empty for 1 cM per Mb. Samples are numbered as StudyReader does. Contigs after the first `max_centimorgans` are
// not read. Throws InputError as StudyReader.
using MapOfContig = std::function<std::string(const std::string& contig)>;
std::optional<SpacedGenotypes> ReadSpacedGenotypes(std::span<const std::string> studies, const StudyOptions& options,
                                                   const MapOfContig& map,
                                                   double max_centimorgans = std::numeric_limits<double>::infinity());

// Finds parents and children by the genotypes that ReadSpacedGenotypes() returns.
FoundFamilies FindStudyFamilies(std::span<const std::string> studies, const StudyOptions& options,
                                const MapOfContig& map);

// "80 children with both parents and 12 with one".
std::string Describe(const FoundFamilies& found);

}  // namespace haplospin
