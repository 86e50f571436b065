#include "genotypes/imputation/models/pedigree/panel_parents.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/counted.h"
#include "genotypes/imputation/models/pedigree/mendels_laws.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// A true family has errors at 1 % of the markers that tell, people who are not related at a quarter.
constexpr double kMaxErrors = 0.1;
constexpr size_t kMinCompared = 50;

// The alleles of a person at a marker; none if the person is unknown.
struct Alleles {
  std::array<uint8_t, 2> table;
  size_t size = 0;

  void Add(uint8_t allele) { table[size++] = allele; }
  std::span<const uint8_t> span() const { return std::span(table).first(size); }
};

Alleles StudyAlleles(const SampleTable& samples, const GenotypeRow& row, size_t sample) {
  Alleles alleles{};
  for (uint32_t h = samples.first_haplotype[sample]; h < samples.first_haplotype[sample + 1]; ++h) {
    alleles.Add(row.alleles[h]);
  }
  return alleles;
}

Alleles PanelAlleles(const HaplotypePanel& panel, size_t sample, uint32_t m) {
  Alleles alleles{};
  for (uint32_t h = panel.samples().first_haplotype[sample]; h < panel.samples().first_haplotype[sample + 1]; ++h) {
    alleles.Add(static_cast<uint8_t>(panel.allele(m, h)));
  }
  return alleles;
}

}  // namespace

bool MendelianCounts::AreNotRelated() const {
  return compared >= kMinCompared && static_cast<double>(errors) > kMaxErrors * static_cast<double>(compared);
}

void FailNotRelated(const std::string& path, const std::string& child, std::span<const std::string> parents,
                    const MendelianCounts& counts) {
  throw InputError(fmt::format(
      "{}: {} is not the child of {}: their genotypes break Mendel's laws at {} of {} markers where they differ "
      "({:.0f} %); correct the pedigree, or the names of the samples; if the contig is X or Z, give the sexes (--sex)",
      path, child, fmt::join(parents, " and "), counts.errors, counts.compared,
      PercentageOf(counts.errors, counts.compared)));
}

PanelParents::PanelParents(const Pedigree& pedigree, size_t samples) {
  std::vector<std::optional<size_t>> panel_sample(pedigree.num_people);
  for (const Pedigree::Other& other : pedigree.others) panel_sample[other.person] = other.sample;
  for (const Trio& trio : pedigree.descent) {
    if (trio.child >= samples) continue;
    Family family{trio.child, {}};
    bool has_panel_parent = false;
    for (size_t p = 0; p < 2; ++p) {
      const std::optional<size_t>& person = p == 0 ? trio.father : trio.mother;
      if (!person) continue;
      if (*person < samples) family.parents[p].sample = person;
      family.parents[p].panel_sample = panel_sample[*person];
      has_panel_parent = has_panel_parent || panel_sample[*person];
    }
    if (has_panel_parent) families_.push_back(family);
  }
}

void PanelParents::Compare(const SampleTable& samples, const std::string& contig, const GenotypeRow& row,
                           const HaplotypePanel& panel, uint32_t m) {
  for (Family& family : families_) {
    const Alleles child = StudyAlleles(samples, row, family.child);
    std::array<Alleles, 2> parents;
    for (size_t p = 0; p < 2; ++p) {
      const Parent& parent = family.parents[p];
      if (parent.sample) parents[p] = StudyAlleles(samples, row, *parent.sample);
      if (parent.panel_sample) parents[p] = PanelAlleles(panel, *parent.panel_sample, m);
    }
    if (HasMissing(child.span()) || HasMissing(parents[0].span()) || HasMissing(parents[1].span())) continue;
    const FamilyAlleles alleles{child.span(), {parents[0].span(), parents[1].span()}};
    family.counts.compared += alleles.IsInformative() ? 1 : 0;
    family.counts.errors += FindTransmitted(alleles, contig) ? 0 : 1;
  }
}

void PanelParents::CheckFamilies(const std::string& path, std::span<const std::string> samples,
                                 std::span<const std::string> panel) const {
  for (const Family& family : families_) {
    if (!family.counts.AreNotRelated()) continue;
    std::vector<std::string> parents;
    for (const Parent& parent : family.parents) {
      if (parent.sample) parents.push_back(samples[*parent.sample]);
      if (parent.panel_sample) parents.push_back(panel[*parent.panel_sample]);
    }
    FailNotRelated(path, samples[family.child], parents, family.counts);
  }
}

}  // namespace haplospin
