#include "genotypes/imputation/self_test/held_out_output.h"

#include <algorithm>
#include <array>
#include <utility>

#include "genotypes/imputation/models/phasing/sample_genotypes.h"
#include "genotypes/imputation/self_test/self_test_output.h"

namespace haplospin {
namespace {

// How likely the reads are, where the genotypes have these probabilities. A haploid sample has 0 or 2 copies.
double Probability(const GenotypeLikelihoods& reads, const std::array<double, 3>& genotypes) {
  double sum = 0;
  for (size_t g = 0; g < genotypes.size(); ++g) sum += genotypes[g] * Likelihood(reads, g);
  return sum;
}

std::array<double, 3> Genotypes(double first, double second) {
  return {(1 - first) * (1 - second), first * (1 - second) + second * (1 - first), first * second};
}

std::array<double, 3> HaploidGenotypes(double p) { return {1 - p, 0, p}; }

}  // namespace

HeldOutOutput::HeldOutOutput(std::vector<std::string> columns, std::shared_ptr<HeldOutReads> held_out, SelfTest& test)
    : columns_(std::move(columns)),
      held_out_(std::move(held_out)),
      test_(test),
      sums_(columns_.size()),
      is_imputed_(columns_.size()) {}

void HeldOutOutput::SetPloidy(const SampleTable& samples) {
  samples_ = samples;
  samples_of_part_.clear();
  for (size_t s = 0; s < samples.num_samples(); ++s) samples_of_part_.emplace(samples.names[s], s);
  for (size_t c = 0; c < columns_.size(); ++c) {
    is_imputed_[c] = is_imputed_[c] || samples_of_part_.contains(columns_[c]);
  }
}

void HeldOutOutput::Write(const std::string& contig, std::span<const DosageRecord> records) {
  if (contig != contig_) {
    EndContig();
    contig_ = contig;
  }
  for (const DosageRecord& record : records) {
    if (record.in_panel && !record.dosages.empty()) Add(contig, record);
  }
}

void HeldOutOutput::Add(const std::string& contig, const DosageRecord& record) {
  const double frequency = AltFrequencyOf(record);
  for (const HeldOutGenotype& hidden : held_out_->Take(contig, *record.marker)) {
    const auto sample = samples_of_part_.find(columns_[hidden.column]);
    if (sample == samples_of_part_.end()) continue;
    const uint32_t h = samples_.first_haplotype[sample->second];
    const bool is_diploid = samples_.ploidy(sample->second) == 2;
    const auto& p = record.dosages;
    const double imputed =
        Probability(hidden.likelihoods, is_diploid ? Genotypes(p[h], p[h + 1]) : HaploidGenotypes(p[h]));
    const double by_frequency =
        Probability(hidden.likelihoods, is_diploid ? Genotypes(frequency, frequency) : HaploidGenotypes(frequency));
    ForEachBin(frequency, [&](size_t bin) { sums_[hidden.column][bin].AddHeldOut(imputed, by_frequency); });
  }
}

void HeldOutOutput::EndContig() {
  std::vector<std::string> names;
  std::vector<QualityByBin> sums;
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (!is_imputed_[c]) continue;
    names.push_back(columns_[c]);
    sums.push_back(std::exchange(sums_[c], {}));
  }
  if (!contig_.empty()) test_.Add(contig_, names, sums);
}

void HeldOutOutput::Finish(IndexType /*index*/) { EndContig(); }

}  // namespace haplospin
