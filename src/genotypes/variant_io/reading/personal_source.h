// The genotypes of people as personal_file.h reads them, as records with REF and ALT of a panel.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "genotypes/variant_io/personal_file.h"
#include "genotypes/variant_io/reading/record_source.h"

namespace haplospin {

struct PersonalStudy {
  std::vector<PersonalFile> people;

  // Returns the contigs with genotypes, by their canonical names.
  std::vector<std::string> Contigs() const;

  // Returns whether anyone has genotypes on the contig, by any of its names.
  bool HasCalls(const std::string& contig) const;
};

// Tells what each file is, how many genotypes it has, and the sex that these tell. Warns of people of several chips.
void TellOfPeople(const PersonalStudy& study);

// Returns how the records of the study are opened: one for each position of the panel where anyone has a genotype of
// its SNVs, and one for each of its indels that a genotype of I and D is of, with the panel's IDs and contigs. `name`
// stands for the files in messages.
//
// Letters are of the strand that has the panel's alleles. Where both have them (A/T and C/G), they are of the strand of
// the other genotypes of the person, or left out if these are of both strands. I and D are of the only indel of the
// panel at the position, or of a deletion that begins there, in VCF one position before; they are left out if both, or
// several, are there. Genotypes that are not the panel's are left out too, and counted (RecordSource::Tell()).
//
// Opening compares the first genotypes with the panel. It throws InputError if few of their positions are in the panel,
// or many of their alleles are others: then the positions are of another genome build.
RecordOpener PersonalRecords(const std::string& name, const std::shared_ptr<const PersonalStudy>& study,
                             const std::string& panel);

}  // namespace haplospin
