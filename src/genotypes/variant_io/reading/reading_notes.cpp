#include "genotypes/variant_io/reading/reading_notes.h"

#include <algorithm>
#include <numeric>

#include "genotypes/variant_io/reading/study_record.h"

namespace haplospin {

ReadingNotes::ReadingNotes(const ChosenSamples& samples)
    : samples_(samples), had_part_(samples.names.size()), without_genotypes_(samples.names.size()) {
  std::iota(without_genotypes_.begin(), without_genotypes_.end(), size_t{0});
}

void ReadingNotes::NoteFilter(const ParsedRecord& record, bool is_read) {
  const bool has_passed = record.filter == "PASS" || record.filter == ".";
  if (!has_passed && reading_.failed++ == 0) reading_.first_failed = record.filter;
  reading_.filtered += is_read ? 0 : 1;
}

void ReadingNotes::NotePart(const PartSamples& part) {
  for (const size_t s : part.chosen()) had_part_[s] = true;
  reading_.haploid_females = std::max(reading_.haploid_females, part.num_haploid_females());
  KeepDiploidMales(reading_);
  male_search_.reset();
  if (part.part().males_are_haploid) male_search_.emplace(part.table());
  size_t& num_absent = part.part().males_lack_it ? reading_.absent_males : reading_.absent_females;
  num_absent = std::max(num_absent, part.num_absent());
}

void ReadingNotes::NoteGenotypes(const ParsedRecord& record) {
  ++(record.likelihoods.empty() ? reading_.without_likelihoods : reading_.with_likelihoods);
  for (size_t basis = 0; basis < reading_.weighed.size(); ++basis) reading_.weighed[basis] += record.weighed[basis];
  if (record.imputation_flag != nullptr && reading_.imputed++ == 0) reading_.imputation_flag = record.imputation_flag;
  reading_.sets_of_ids += record.calls.num_sets_of_ids;
  reading_.no_calls += record.no_calls;
  reading_.failed_calls.Add(record.failed_calls);
  std::erase_if(without_genotypes_, [&](size_t s) { return HasGenotype(record, samples_.columns[s]); });
}

void ReadingNotes::NoteAlleles(int64_t position, const std::vector<uint8_t>& alleles) {
  if (male_search_) male_search_->Add(position, alleles);
}

StudyReading ReadingNotes::Found() const {
  StudyReading found = reading_;
  KeepDiploidMales(found);
  for (const size_t s : without_genotypes_) {
    if (had_part_[s]) found.samples_without_genotypes.push_back(samples_.names[s]);
  }
  return found;
}

// Males are searched in a part; those of the part that has most are kept.
void ReadingNotes::KeepDiploidMales(StudyReading& found) const {
  const DiploidMales males = male_search_ ? male_search_->Find() : DiploidMales();
  if (males.samples > found.diploid_males.samples) found.diploid_males = males;
}

}  // namespace haplospin
