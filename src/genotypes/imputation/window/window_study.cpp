#include "genotypes/imputation/window/window_study.h"

#include <algorithm>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

bool HasSize(const GenotypeRow& row, const SampleTable& samples) {
  const auto fits = [&](const auto& table) { return table.empty() || table.size() == samples.num_samples(); };
  return row.alleles.size() == samples.num_haplotypes() && fits(row.unphased) && fits(row.phase_sets) &&
         fits(row.likelihoods) && (row.first_read.empty() || row.first_read.size() == samples.num_samples() + 1);
}

}  // namespace

WindowStudy::WindowStudy(const SampleTable& samples, std::vector<Site> sites, MarkerRange phased, Progress on_progress,
                         const Pedigree* families)
    : samples_(&samples), phased_(phased), on_progress_(std::move(on_progress)), families_(families) {
  std::ranges::sort(sites, {}, &Site::marker);
  typed_.reserve(sites.size());
  rows_.reserve(sites.size());
  for (const Site& site : sites) {
    HS_ASSERT(typed_.empty() || typed_.back() < site.marker);
    HS_ASSERT(site.genotypes != nullptr && HasSize(*site.genotypes, samples));
    typed_.push_back(site.marker);
    rows_.push_back(site.genotypes);
  }
}

bool WindowStudy::IsOutbred() const {
  double heterozygous = 0, expected = 0;
  for (const GenotypeRow* row : rows_) {
    size_t called = 0, alt = 0, different = 0;
    for (size_t s = 0; s < samples_->num_samples(); ++s) {
      if (samples_->ploidy(s) != 2) continue;
      const uint32_t h = samples_->first_haplotype[s];
      const uint8_t first = row->alleles[h], second = row->alleles[h + 1];
      if (first == kMissingAllele || second == kMissingAllele) continue;
      ++called;
      alt += size_t{first} + second;
      different += first != second ? 1 : 0;
    }
    if (called == 0) continue;
    const double frequency = static_cast<double>(alt) / static_cast<double>(2 * called);
    heterozygous += static_cast<double>(different);
    expected += 2 * frequency * (1 - frequency) * static_cast<double>(called);
  }
  return expected > 0 && heterozygous >= expected / 2;
}

std::vector<WindowStudy::Site> WindowStudy::Sites() const {
  std::vector<Site> sites;
  sites.reserve(typed_.size());
  for (size_t j = 0; j < typed_.size(); ++j) sites.push_back({typed_[j], rows_[j]});
  return sites;
}

WindowStudy WindowStudy::At(std::span<const uint32_t> typed) const {
  std::vector<Site> sites;
  sites.reserve(typed.size());
  for (const uint32_t j : typed) sites.push_back({typed_[j], rows_[j]});
  return {*samples_, std::move(sites), phased_, on_progress_, families_};
}

WindowStudy WindowStudy::WithRows(std::span<const std::pair<uint32_t, const GenotypeRow*>> rows) const {
  std::vector<Site> sites = Sites();
  for (const auto& [j, row] : rows) sites[j].genotypes = row;
  return {*samples_, std::move(sites), phased_, on_progress_, families_};
}

WindowStudy WindowStudy::WithUntyped(MarkerRange range, const GenotypeRow& untyped) const {
  std::vector<Site> sites = Sites();
  size_t j = 0;
  for (size_t m = range.begin; m < range.end; ++m) {
    while (j < typed_.size() && typed_[j] < m) ++j;
    if (j == typed_.size() || typed_[j] != m) sites.push_back({static_cast<uint32_t>(m), &untyped});
  }
  return {*samples_, std::move(sites), phased_, on_progress_, families_};
}

MarkerRange WithTyped(const WindowStudy& study, MarkerRange core) {
  return {std::min<size_t>(study.typed().front(), core.begin),
          std::max<size_t>(study.typed().back() + size_t{1}, core.end)};
}

GenotypeRow MissingRow(const SampleTable& samples) {
  return {.alleles = std::vector<uint8_t>(samples.num_haplotypes(), kMissingAllele)};
}

}  // namespace haplospin
