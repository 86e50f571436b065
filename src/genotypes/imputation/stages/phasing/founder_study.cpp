#include "genotypes/imputation/stages/phasing/founder_study.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

namespace haplospin {
namespace {

// The genotype of a sample, whether the order of its alleles is unknown, and its phase set.
struct OrderedGenotype {
  std::array<uint8_t, 2> alleles;
  bool is_unphased = false;
  uint32_t set = 0;
};

OrderedGenotype ToldGenotype(const ToldHaplotypes& told, size_t j) {
  return {{told.alleles[0][j], told.alleles[1][j]}, false, told.set[j]};
}

OrderedGenotype Order(const WindowStudy& study, size_t j, const Founder& founder) {
  const std::span<const uint8_t> known = study.Genotype(j, *founder.sample);
  const OrderedGenotype told = ToldGenotype(*founder.told, j);
  const bool is_told = !HasMissing(told.alleles);
  if (is_told && (HasMissing(known) || told.alleles[0] + told.alleles[1] == known[0] + known[1])) return told;
  return {{known[0], known[1]}, !HasMissing(known) && known[0] != known[1]};
}

}  // namespace

FounderStudy::FounderStudy(const WindowStudy& study, std::span<const Founder> founders) {
  AddSamples(study.samples(), founders);
  rows_.reserve(study.num_typed());
  for (size_t j = 0; j < study.num_typed(); ++j) rows_.push_back(MakeRow(study, j, founders));
  std::vector<WindowStudy::Site> sites;
  for (size_t j = 0; j < study.num_typed(); ++j) sites.push_back({study.typed()[j], &rows_[j]});
  study_.emplace(samples_, std::move(sites));
}

void FounderStudy::AddSamples(const SampleTable& samples, std::span<const Founder> founders) {
  samples_.first_haplotype = {0};
  const auto add = [&](std::string name, int ploidy) {
    samples_.names.push_back(std::move(name));
    samples_.first_haplotype.push_back(samples_.first_haplotype.back() + static_cast<uint32_t>(ploidy));
  };
  for (size_t k = 0; k < founders.size(); ++k) {
    first_sample_.push_back(samples_.num_samples());
    if (founders[k].sample) {
      add(samples.names[*founders[k].sample], samples.ploidy(*founders[k].sample));
    } else {
      for (size_t c = 0; c < founders[k].haplotypes; ++c) add(fmt::format("founder {} haplotype {}", k, c), 1);
    }
  }
}

GenotypeRow FounderStudy::MakeRow(const WindowStudy& study, size_t j, std::span<const Founder> founders) const {
  GenotypeRow row;
  row.unphased.resize(samples_.num_samples());
  row.phase_sets.resize(samples_.num_samples());
  for (size_t k = 0; k < founders.size(); ++k) {
    const Founder& founder = founders[k];
    if (founder.sample && !founder.told) {
      const std::span<const uint8_t> alleles = study.Genotype(j, *founder.sample);
      row.alleles.insert(row.alleles.end(), alleles.begin(), alleles.end());
      row.unphased[first_sample_[k]] = study.row(j).IsUnphased(*founder.sample) ? 1 : 0;
      row.phase_sets[first_sample_[k]] = study.row(j).PhaseSet(*founder.sample);
      continue;
    }
    const OrderedGenotype genotype = founder.sample ? Order(study, j, founder) : ToldGenotype(*founder.told, j);
    const std::span<const uint8_t> alleles = genotype.alleles;
    const std::span<const uint8_t> added = founder.sample ? alleles : alleles.first(founder.haplotypes);
    row.alleles.insert(row.alleles.end(), added.begin(), added.end());
    if (!founder.sample) continue;
    row.unphased[first_sample_[k]] = genotype.is_unphased ? 1 : 0;
    row.phase_sets[first_sample_[k]] = genotype.set;
  }
  return row;
}

}  // namespace haplospin
