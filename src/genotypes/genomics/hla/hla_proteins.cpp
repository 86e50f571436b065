#include "genotypes/genomics/hla/hla_proteins.h"

#include <algorithm>
#include <cstddef>

namespace haplospin {
namespace {

constexpr size_t kFieldsOfProtein = 2;

bool HasSuffixOfExpression(const HlaAllele& allele) {
  return !allele.suffix.empty() && allele.suffix != "G" && allele.suffix != "P";
}

bool IsStart(const HlaAllele& start, const HlaAllele& other) {
  if (start.gene != other.gene || start.fields.size() > other.fields.size()) return false;
  if (HasSuffixOfExpression(start) && start.suffix != other.suffix) return false;
  return std::equal(start.fields.begin(), start.fields.end(), other.fields.begin());
}

}  // namespace

const std::string* HlaAlignment::Find(const HlaAllele& allele) const {
  if (allele.fields.size() < kFieldsOfProtein) return nullptr;
  auto found = std::ranges::find(alleles, allele.Name(), &HlaAllele::Name);
  const auto find_start = [&](const HlaAllele& start) {
    if (found != alleles.end()) return;
    found = std::ranges::find_if(alleles, [&](const HlaAllele& other) { return IsStart(start, other); });
  };
  find_start(allele);
  if (!HasSuffixOfExpression(allele)) find_start(allele.Truncated(kFieldsOfProtein));
  return found == alleles.end() ? nullptr : &sequences[static_cast<size_t>(found - alleles.begin())];
}

}  // namespace haplospin
