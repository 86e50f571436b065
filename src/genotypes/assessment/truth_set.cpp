#include "genotypes/assessment/truth_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/genomics/sites/site_relation.h"
#include "genotypes/genomics/sites/variant.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/pieces.h"
#include "genotypes/variant_io/record_info.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr uint8_t kMissingCode = 3;  // the two bits of a missing genotype

double AltFrequency(const std::vector<int8_t>& genotypes, std::span<const uint8_t> ploidy) {
  double alleles = 0, alts = 0;
  for (size_t s = 0; s < genotypes.size(); ++s) {
    if (genotypes[s] == kMissingGenotype) continue;
    alleles += ploidy[s];
    alts += genotypes[s];
  }
  return alleles > 0 ? alts / alleles : 0;
}

bool AreWrittenAlike(const Marker& a, const Marker& b) {
  return a.position == b.position && SameBases(a.ref, b.ref) && SameBases(a.alt, b.alt);
}

// Returns whether two markers that are the same variant are sites of their own: by their names, or as those of repeats,
// of which callers have several that overlap, written otherwise.
bool AreTwoSites(const Marker& a, const Marker& b) {
  const bool have_names = a.id != "." && b.id != "." && a.id != b.id;
  return have_names || (!AreWrittenAlike(a, b) && DescribesRepeat(a.info) && DescribesRepeat(b.info));
}

bool AnyIsDiploid(const DosageRow& row) {
  for (size_t s = 0; s < row.genotypes.size(); ++s) {
    if (row.genotypes[s] != kMissingGenotype && row.ploidy[s] == 2) return true;
  }
  return false;
}

// Gives samples of one allele two of it.
void DoubleAlleles(DosageRow& row) {
  for (size_t s = 0; s < row.genotypes.size(); ++s) {
    if (row.genotypes[s] == kMissingGenotype || row.ploidy[s] != 1) continue;
    row.genotypes[s] = static_cast<int8_t>(2 * row.genotypes[s]);
    row.ploidy[s] = 2;
  }
}

}  // namespace

TruthSet::TruthSet(DosageReader reader, std::optional<PloidyRegions> regions)
    : path_(reader.path()),
      sample_names_(reader.sample_names()),
      regions_(regions ? std::move(*regions) : PloidyRegions::ForBuild(DeclaredBuild(reader.header_contigs()))),
      bytes_per_site_((sample_names_.size() + 3) / 4) {
  size_t num_repeated = 0;
  DosageRow row;
  while (reader.Next(row)) {
    Part& part = FindPart(row);
    if (part.is_pseudo_autosomal && !part.is_diploid && AnyIsDiploid(row)) MakeDiploid(part);
    if (part.is_diploid) DoubleAlleles(row);
    LearnPloidy(row, part);
    const auto known = Find(row.contig, row.marker);
    if (known && !known->is_exchanged && !AreTwoSites(row.marker, marker(known->site))) {
      ++num_repeated;
    } else {
      Append(row);
    }
  }
  if (num_repeated > 0) {
    LogWarning("{}: {} more than once; the first of each is the truth", path_, Counted(num_repeated, "marker"));
  }
  if (reader.num_without_alt() > 0) {
    LogWarning("{}: {} without ALT, which no imputed marker is compared with", path_,
               Counted(reader.num_without_alt(), "record"));
  }
  if (sites_.empty()) throw InputError(path_ + ": has no records");
}

size_t TruthSet::num_scored() const {
  return static_cast<size_t>(std::count_if(sites_.begin(), sites_.end(), [](const Site& s) { return s.scored; }));
}

const TruthSet::Contig* TruthSet::FindContig(const std::string& name) const {
  auto index = contig_index_.find(std::string(BareContig(name)));
  if (index == contig_index_.end()) index = contig_index_.find(std::string(CanonicalContig(name)));
  return index == contig_index_.end() ? nullptr : &contigs_[index->second];
}

TruthSet::Contig& TruthSet::ContigFor(const DosageRow& row) {
  const Contig* known = FindContig(row.contig);
  if (known == nullptr || BareContig(known->name) != BareContig(row.contig)) {
    contig_index_.insert_or_assign(std::string(BareContig(row.contig)), contigs_.size());
    contig_index_.emplace(CanonicalContig(row.contig), contigs_.size());
    contigs_.push_back({row.contig, sites_.size(), sites_.size()});
  } else if (known != &contigs_.back() || sites_.back().marker.position > row.marker.position) {
    const Site& last = sites_.back();
    throw InputError(fmt::format("{}: {}:{} comes after {}:{}; sort the file with `bcftools sort`", path_, row.contig,
                                 row.marker.position, contigs_.back().name, last.marker.position));
  }
  return contigs_.back();
}

TruthSet::Part& TruthSet::FindPart(const DosageRow& row) {
  const size_t num_contigs = contigs_.size();
  ContigFor(row);
  if (contigs_.size() > num_contigs || row.marker.position > parts_.back().end) {
    const ContigPart part = regions_.PartAt(row.contig, row.marker.position);
    parts_.push_back({.first_site = sites_.size(),
                      .end = part.end,
                      .is_pseudo_autosomal = part.is_pseudo_autosomal,
                      .ploidy = std::vector<uint8_t>(sample_names_.size(), 0)});
  }
  return parts_.back();
}

// All sites so far have one allele of each sample, so that their frequencies stay.
void TruthSet::MakeDiploid(Part& part) {
  part.is_diploid = true;
  std::ranges::fill(part.ploidy, 2);
  for (uint8_t& codes : std::span(genotypes_).subspan(part.first_site * bytes_per_site_)) {
    const unsigned low = codes & 0x55u, missing = low & unsigned{codes} >> 1;  // kMissingCode has both bits
    codes = static_cast<uint8_t>((low & ~missing) << 1 | 3 * missing);
  }
}

void TruthSet::LearnPloidy(const DosageRow& row, Part& part) {
  for (size_t s = 0; s < sample_names_.size(); ++s) {
    if (!row.has_genotypes) {
      throw InputError(
          fmt::format("{}: {}:{} has no GT; the truth must be genotypes", path_, row.contig, row.marker.position));
    }
    if (row.genotypes[s] == kMissingGenotype) continue;
    if (part.ploidy[s] == 0) part.ploidy[s] = row.ploidy[s];
    if (part.ploidy[s] != row.ploidy[s]) {
      throw InputError(
          fmt::format("{}: {}:{} sample {} has {} allele(s), and {} before; give --par with the genome build if "
                      "the contig is chrX, or correct the genotype",
                      path_, row.contig, row.marker.position, sample_names_[s], row.ploidy[s], part.ploidy[s]));
    }
  }
}

void TruthSet::Append(const DosageRow& row) {
  Contig& contig = contigs_.back();
  sites_.push_back({.marker = row.marker,
                    .contig = static_cast<uint32_t>(contigs_.size() - 1),
                    .part = static_cast<uint32_t>(parts_.size() - 1),
                    .scored = true,
                    .alt_frequency = AltFrequency(row.genotypes, parts_.back().ploidy)});
  contig.end_site = sites_.size();
  const int64_t position = TrimVariant(row.marker).position;
  if (position != row.marker.position) padded_.emplace(position, sites_.size() - 1);
  genotypes_.resize(genotypes_.size() + bytes_per_site_);
  uint8_t* packed = genotypes_.data() + genotypes_.size() - bytes_per_site_;
  for (size_t s = 0; s < sample_names_.size(); ++s) {
    const int8_t genotype = row.genotypes[s];
    const auto code = genotype == kMissingGenotype ? kMissingCode : static_cast<uint8_t>(genotype);
    packed[s / 4] |= static_cast<uint8_t>(code << (2 * (s % 4)));
  }
}

void TruthSet::ForEachAt(const std::string& contig, int64_t position,
                         const std::function<void(size_t)>& function) const {
  const Contig* known = FindContig(contig);
  if (known == nullptr) return;
  const auto first = sites_.begin() + static_cast<std::ptrdiff_t>(known->first_site);
  const auto end = sites_.begin() + static_cast<std::ptrdiff_t>(known->end_site);
  auto site = std::lower_bound(first, end, position, [](const Site& s, int64_t p) { return s.marker.position < p; });
  for (; site != end && site->marker.position == position; ++site) {
    function(static_cast<size_t>(site - sites_.begin()));
  }
  const auto [first_padded, end_padded] = padded_.equal_range(position);
  for (auto padded = first_padded; padded != end_padded; ++padded) {
    if (padded->second >= known->first_site && padded->second < known->end_site) function(padded->second);
  }
}

std::optional<TruthSet::Found> TruthSet::Find(const std::string& contig, const Marker& marker) const {
  std::optional<size_t> found, exchanged;
  int likeness = 0;  // of `found`: 2 with the marker's ID, and 1 more if it is written as the marker
  size_t num_found = 0;
  ForEachAt(contig, TrimVariant(marker).position, [&](size_t site) {
    const Marker& other = sites_[site].marker;
    if (!SameVariant(other, marker)) {
      if (!exchanged && RelateAlleles(marker, other) == SiteRelation::kSwapped) exchanged = site;
      return;
    }
    ++num_found;
    const int own_likeness = (other.id == marker.id ? 2 : 0) + (AreWrittenAlike(other, marker) ? 1 : 0);
    if (found && own_likeness <= likeness) return;
    found = site;
    likeness = own_likeness;
  });
  if (num_found == 0 && exchanged) return Found{*exchanged, true};
  if (num_found == 0 && marker.IsSymbolic()) return FindOnlySymbolic(contig, marker);
  const bool is_certain = num_found < 2 || likeness >= 2 || marker.id == ".";
  return found && is_certain ? std::optional(Found{*found, false}) : std::nullopt;
}

std::optional<TruthSet::Found> TruthSet::FindOnlySymbolic(const std::string& contig, const Marker& marker) const {
  std::vector<size_t> candidates;
  ForEachAt(contig, marker.position, [&](size_t site) {
    if (MayBeSameVariant(sites_[site].marker, marker)) candidates.push_back(site);
  });
  return candidates.size() == 1 ? std::optional(Found{candidates[0], false}) : std::nullopt;
}

std::optional<size_t> TruthSet::FindOppositeIndel(const std::string& contig, const Marker& marker) const {
  if (!TrimVariant(marker).IsIndel()) return std::nullopt;
  Marker opposite = marker;
  std::swap(opposite.ref, opposite.alt);
  std::optional<size_t> found;
  ForEachAt(contig, TrimVariant(marker).position, [&](size_t site) {
    if (!found && SameVariant(sites_[site].marker, opposite)) found = site;
  });
  return found;
}

std::vector<size_t> TruthSet::SitesWith(const std::string& contig, const Marker& monomorphic) const {
  std::vector<size_t> sites;
  ForEachAt(contig, monomorphic.position, [&](size_t site) {
    if (RelateMonomorphic(monomorphic, sites_[site].marker) <= SiteRelation::kSwapped) sites.push_back(site);
  });
  return sites;
}

void TruthSet::TakeFrequencies(const std::string& reference, std::vector<uint8_t>& found) {
  const auto reader = OpenPanel(reference);
  reader->DivideContigs(regions_.empty() ? PloidyRegions::ForBuild(DeclaredBuild(reader->header_contigs())) : regions_);
  SiteFinder finder(*this, reference);
  while (reader->NextContig()) {
    MutablePanel panel = reader->StartContig();
    ForEachMarker(*reader, panel, [&](size_t m) {
      const auto at = finder.Find(panel.contig(), panel.marker(m));
      if (!at || found[at->site]) return;
      found[at->site] = 1;
      const double frequency = static_cast<double>(panel.alt_count(m)) / static_cast<double>(panel.num_haplotypes());
      sites_[at->site].alt_frequency = at->is_exchanged ? 1 - frequency : frequency;
    });
  }
}

size_t TruthSet::UseFrequencies(const InputFiles& reference) {
  std::vector<uint8_t> found(sites_.size(), 0);
  for (const InputFiles::File& file : reference.files) TakeFrequencies(file.path, found);
  size_t lacking = 0;
  for (size_t i = 0; i < sites_.size(); ++i) {
    if (found[i]) continue;
    sites_[i].scored = false;
    ++lacking;
  }
  return lacking;
}

size_t TruthSet::LeaveOutTyped(const InputFiles& typed) {
  size_t left_out = 0, num_sites = 0, num_found = 0;
  DosageReader reader(typed);
  reader.KeepWithoutAlt();
  SiteFinder finder(*this, typed.name);
  DosageRow row;
  while (reader.Next(row)) {
    std::vector<size_t> found;
    if (!row.marker.HasAlt()) {
      found = SitesWith(row.contig, row.marker);
    } else if (const auto site = finder.Find(row.contig, row.marker)) {
      found.push_back(site->site);
    }
    // Most positions of a gVCF are no site of any panel.
    num_sites += FindContig(row.contig) != nullptr && (row.marker.HasAlt() || !found.empty());
    num_found += !found.empty();
    for (const size_t site : found) left_out += std::exchange(sites_[site].scored, false);
  }
  if (num_found == 0) {
    throw InputError(fmt::format("{}: none of its sites is in {}; give the study that was imputed", typed.name, path_));
  }
  if (2 * num_found < num_sites) {
    LogWarning("{}: only {} of its {} sites on contigs of {} are in that file, so typed sites may be scored",
               typed.name, num_found, num_sites, path_);
  }
  return left_out;
}

void TruthSet::CopyGenotypes(size_t site, std::span<int8_t> genotypes) const {
  const uint8_t* packed = genotypes_.data() + site * bytes_per_site_;
  for (size_t s = 0; s < genotypes.size(); ++s) {
    const uint8_t code = (packed[s / 4] >> (2 * (s % 4))) & 3;
    genotypes[s] = code == kMissingCode ? kMissingGenotype : static_cast<int8_t>(code);
  }
}

std::optional<TruthSet::Found> SiteFinder::Find(const std::string& contig, const Marker& marker) {
  const auto site = truth_.Find(contig, marker);
  if (site && !has_warned_ && contig != truth_.contig(site->site)) {
    LogWarning("{}: contig {} is treated as contig {} of {}", path_, contig, truth_.contig(site->site), truth_.path());
    has_warned_ = true;
  }
  return site;
}

}  // namespace haplospin
