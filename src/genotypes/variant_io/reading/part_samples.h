// The samples of a study in a part of a contig, within which the ploidy of each is constant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/variant_io/reading/chosen_samples.h"
#include "genotypes/variant_io/reading/parsed_record.h"
#include "genotypes/variant_io/reading/record_stream.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// Females have no Y, and males no W: a sample without genotypes there is no sample of the part, unless it is a male (on
// Y), or no sample has any and its sex is not known.
class PartSamples {
 public:
  // Finds the samples by the records that `stream` has read ahead, the first of which is the first of the part.
  // `are_haploid`: where sex does not matter, all samples have one allele. The first two must outlive the object.
  PartSamples(const ChosenSamples& chosen, const RecordStream& stream, const ParsedRecord& first,
              const ContigPart& part, bool are_haploid);

  const SampleTable& table() const { return table_; }
  const ContigPart& part() const { return part_; }
  const std::vector<size_t>& chosen() const {
    return indices_;
  }  // [samples of the part] which they are in ChosenSamples
  const std::vector<size_t>& columns() const { return columns_; }  // [samples of the part]
  size_t num_absent() const { return chosen_.columns.size() - columns_.size(); }
  size_t num_haploid_females() const { return num_haploid_females_; }

  // Returns whether a sample of the part has one allele, whatever the file has.
  bool IsHaploidMale(size_t sample) const { return part_.males_are_haploid && chosen_.is_male[indices_[sample]]; }

  bool IsMaleHeterozygote(const ParsedRecord& record, size_t sample) const {
    const int16_t* calls = &record.calls.alleles[2 * columns_[sample]];
    return IsHaploidMale(sample) && calls[0] >= 0 && calls[1] >= 0 && calls[0] != calls[1];
  }
  size_t CountMaleHeterozygotes(const ParsedRecord& record) const;

  // Probes and reads that show alleles on Y in females are of other contigs, which are alike there. Returns how many
  // such genotypes there were.
  size_t RemoveCallsOfLacking(ParsedRecord& record) const;

  // Throws InputError if a sample has another ploidy than at the first record, or an absent one has a genotype. Returns
  // how many have one allele where all have two.
  size_t CheckPloidy(const ParsedRecord& record) const;

 private:
  void CheckAbsent(const ParsedRecord& record) const;

  // Returns whether people of the sex of a chosen sample, if that is known, have nothing of the part.
  bool IsOfLackingSex(size_t chosen) const;

  const ChosenSamples& chosen_;
  const RecordStream& stream_;
  const ContigPart part_;
  const int64_t first_position_;
  SampleTable table_{{}, {0}};
  std::vector<size_t> indices_, columns_;
  size_t num_haploid_females_ = 0;
};

}  // namespace haplospin
