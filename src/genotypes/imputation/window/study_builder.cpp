#include "genotypes/imputation/window/study_builder.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace haplospin {
namespace {

std::optional<size_t> FindTyped(const WindowStudy& study, uint32_t marker) {
  const auto at = std::ranges::lower_bound(study.typed(), marker);
  if (at == study.typed().end() || *at != marker) return std::nullopt;
  return static_cast<size_t>(at - study.typed().begin());
}

}  // namespace

size_t StudyBuilder::Add(const WindowStudy& study, size_t sample) {
  const SampleTable& samples = study.samples();
  return Add(samples.names[sample], samples.ploidy(sample), {.study = &study, .sample = sample});
}

size_t StudyBuilder::Add(const HaplotypePanel& panel, size_t sample) {
  const SampleTable& samples = panel.samples();
  return Add(samples.names[sample], samples.ploidy(sample), {.panel = &panel, .sample = sample});
}

size_t StudyBuilder::Add(std::string name, int ploidy) { return Add(std::move(name), ploidy, Source()); }

size_t StudyBuilder::Add(std::string name, int ploidy, const Source& source) {
  samples_.Add(std::move(name), ploidy);
  sources_.push_back(source);
  return sources_.size() - 1;
}

void StudyBuilder::AddMarkers(std::span<const uint32_t> markers) {
  for (const uint32_t m : markers) {
    markers_.push_back(m);
    rows_.push_back(MakeRow(m));
  }
}

GenotypeRow StudyBuilder::MakeRow(uint32_t marker) const {
  GenotypeRow row{.alleles = std::vector<uint8_t>(samples_.num_haplotypes(), kMissingAllele)};
  const WindowStudy* found = nullptr;  // of which `typed` is the marker
  std::optional<size_t> typed;
  for (size_t s = 0; s < sources_.size(); ++s) {
    const auto& [study, panel, sample] = sources_[s];
    uint8_t* const alleles = &row.alleles[samples_.first_haplotype[s]];
    if (panel != nullptr) {
      const uint32_t first = panel->samples().first_haplotype[sample];
      for (int c = 0; c < samples_.ploidy(s); ++c) alleles[c] = static_cast<uint8_t>(panel->allele(marker, first + c));
    }
    if (study == nullptr) continue;
    if (study != std::exchange(found, study)) typed = FindTyped(*study, marker);
    if (!typed) continue;
    std::ranges::copy(study->Genotype(*typed, sample), alleles);
    SetPhase(row, s, study->row(*typed).IsUnphased(sample), study->row(*typed).PhaseSet(sample));
  }
  return row;
}

void StudyBuilder::SetPhase(GenotypeRow& row, size_t sample, bool is_unphased, uint32_t set) const {
  if (is_unphased) row.unphased.resize(sources_.size());
  if (!row.unphased.empty()) row.unphased[sample] = is_unphased ? 1 : 0;
  if (set != 0) row.phase_sets.resize(sources_.size());
  if (!row.phase_sets.empty()) row.phase_sets[sample] = set;
}

WindowStudy StudyBuilder::View(const Pedigree* families) const {
  std::vector<WindowStudy::Site> sites;
  for (size_t j = 0; j < rows_.size(); ++j) sites.push_back({markers_[j], &rows_[j]});
  return {samples_, std::move(sites), {}, {}, families};
}

}  // namespace haplospin
