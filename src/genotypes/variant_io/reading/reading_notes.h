// What was odd in a study, counted while it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "genotypes/variant_io/reading/chosen_samples.h"
#include "genotypes/variant_io/reading/diploid_males.h"
#include "genotypes/variant_io/reading/parsed_record.h"
#include "genotypes/variant_io/reading/part_samples.h"
#include "genotypes/variant_io/reading/study_reader.h"

namespace haplospin {

class ReadingNotes {
 public:
  // The samples must outlive the notes.
  explicit ReadingNotes(const ChosenSamples& samples);

  // Counts that need no more than a record or a marker.
  StudyReading& counts() { return reading_; }

  // Notes the FILTER of a record, and whether it is read.
  void NoteFilter(const ParsedRecord& record, bool is_read);

  void NotePart(const PartSamples& part);

  // Notes the genotypes of a record.
  void NoteGenotypes(const ParsedRecord& record);

  // Notes the called alleles of the samples of the part at a marker: [haplotypes].
  void NoteAlleles(int64_t position, const std::vector<uint8_t>& alleles);

  // Returns what was found so far.
  StudyReading Found() const;

 private:
  void KeepDiploidMales(StudyReading& found) const;

  const ChosenSamples& samples_;
  std::vector<bool> had_part_;                    // [samples] a part of a contig with the sample was begun
  std::vector<size_t> without_genotypes_;         // samples that have had no genotype so far
  std::optional<DiploidMaleSearch> male_search_;  // of the part, where males have one haplotype
  StudyReading reading_;                          // without what Found() adds
};

}  // namespace haplospin
