#include "genotypes/imputation/models/pedigree/repeated_draws.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace haplospin {
namespace {

constexpr int kDraws = 4;

}  // namespace

void MeanGenotypes::Add(const FamilyHaplotypes& found) {
  alt_.resize(found[0].size());
  both_.resize(found[0].size());
  for (size_t j = 0; j < alt_.size(); ++j) {
    alt_[j] += (found[0][j] + found[1][j]) / 2;
    both_[j] += found[0][j] * found[1][j];
  }
  ++count_;
}

FamilyHaplotypes MeanGenotypes::Haplotypes() const {
  FamilyHaplotypes haplotypes;
  for (size_t j = 0; j < alt_.size(); ++j) {
    const float alt = alt_[j] / count_, both = both_[j] / count_;
    const float difference = std::sqrt(std::max(alt * alt - both, 0.0f));
    haplotypes[0].push_back(std::min(alt + difference, 1.0f));
    haplotypes[1].push_back(std::max(alt - difference, 0.0f));
  }
  return haplotypes;
}

void RepeatedDraws::Add(const std::vector<FamilyMember>& members) {
  means_.resize(members.size());
  for (int k = 0; k < kDraws; ++k) {
    const std::vector<FamilyHaplotypes> found = FamilySampler(members, centimorgans_, seed_++).Run();
    for (size_t i = 0; i < found.size(); ++i) means_[i].Add(found[i]);
  }
}

std::vector<FamilyHaplotypes> RepeatedDraws::Animals(const Pedigree& pedigree, const FamilyPeople& people) const {
  std::unordered_map<size_t, size_t> member_of;  // by person
  for (size_t k = 0; k < means_.size(); ++k) member_of.emplace(people.people[k], k);
  std::vector<FamilyHaplotypes> animals;
  for (const size_t animal : pedigree.animals) animals.push_back(Haplotypes(member_of.at(animal)));
  return animals;
}

}  // namespace haplospin
