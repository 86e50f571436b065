// The true genotypes that imputed ones are compared with, in memory at two bits each.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/variant_io/reading/dosage_reader.h"
#include "haplospin/marker.h"

namespace haplospin {

class TruthSet {
 public:
  // Reads the genotypes of a file, phased or not, sorted by position, of the samples that the reader is to use. Allele
  // frequencies are those of these genotypes until UseFrequencies(). Ploidy may change where `regions` divide a contig;
  // nothing: by the build that the file declares. One allele in a pseudo-autosomal region where others have two is
  // homozygous, as plink2 writes males. Throws InputError if the file has no genotypes, is not sorted, or a
  // sample's ploidy changes elsewhere.
  explicit TruthSet(DosageReader reader, std::optional<PloidyRegions> regions = std::nullopt);

  const std::string& path() const { return path_; }
  const std::vector<std::string>& sample_names() const { return sample_names_; }
  size_t num_sites() const { return sites_.size(); }
  size_t num_scored() const;

  // Takes allele frequencies from a reference panel; sites that are not in the panel are no longer scored. Returns
  // their number.
  size_t UseFrequencies(const InputFiles& reference);

  // Excludes the sites of a file, because they were typed. A site without ALT is typed at all SNVs of its position that
  // have its base. Returns their number. Throws InputError if none of them is in the truth.
  size_t LeaveOutTyped(const InputFiles& typed);

  // A site of the truth that a marker is.
  struct Found {
    size_t site;
    bool is_exchanged;  // its REF is the marker's ALT, and its ALT the marker's REF
  };

  // The site that is the same variant (genomics/sites/variant.h), or the substitution with REF and ALT exchanged, or
  // nothing. Of several, it is the one with the marker's ID that is written alike, or the first for a marker without
  // an ID. A symbolic ALT without END and SVLEN is the only one that may be it. "chr20" and "20" are the same contig.
  std::optional<Found> Find(const std::string& contig, const Marker& marker) const;

  // The indel whose REF is the marker's ALT, and whose ALT is its REF, if there is one: the marker itself, if one of
  // the two files does not know which allele is REF, or another variant.
  std::optional<size_t> FindOppositeIndel(const std::string& contig, const Marker& marker) const;

  const Marker& marker(size_t site) const { return sites_[site].marker; }
  const std::string& contig(size_t site) const { return contigs_[sites_[site].contig].name; }
  bool scored(size_t site) const { return sites_[site].scored; }
  double alt_frequency(size_t site) const { return sites_[site].alt_frequency; }

  // Copies the number of ALT alleles of each sample, or kMissingGenotype.
  void CopyGenotypes(size_t site, std::span<int8_t> genotypes) const;

  // The number of haplotypes of each sample at a site, 1 or 2.
  std::span<const uint8_t> ploidy(size_t site) const { return parts_[sites_[site].part].ploidy; }

  // The regions where ploidy may change.
  const PloidyRegions& regions() const { return regions_; }

 private:
  std::optional<Found> FindOnlySymbolic(const std::string& contig, const Marker& marker) const;

  struct Site {
    Marker marker;
    uint32_t contig;
    uint32_t part;
    bool scored = true;
    double alt_frequency;
  };
  struct Contig {
    std::string name;
    size_t first_site, end_site;
  };

  // A part of a contig in which ploidy is constant.
  struct Part {
    size_t first_site;
    int64_t end;  // bp
    bool is_pseudo_autosomal;
    bool is_diploid = false;      // a pseudo-autosomal one where a sample has two alleles: all have
    std::vector<uint8_t> ploidy;  // [samples]; 0 as long as all genotypes are missing
  };

  const Contig* FindContig(const std::string& name) const;  // null if there is none
  Contig& ContigFor(const DosageRow& row);                  // the last one, added where the row starts one
  Part& FindPart(const DosageRow& row);                     // the part of the contig that has the row, added if new
  void LearnPloidy(const DosageRow& row, Part& part);
  void MakeDiploid(Part& part);

  // Marks the sites that are in a panel, and takes its frequencies.
  void TakeFrequencies(const std::string& reference, std::vector<uint8_t>& found);

  // Calls function(site) with the sites whose variants begin at a position.
  void ForEachAt(const std::string& contig, int64_t position, const std::function<void(size_t)>& function) const;

  // The sites whose REF or ALT is the only allele of a marker without ALT.
  std::vector<size_t> SitesWith(const std::string& contig, const Marker& monomorphic) const;
  void Append(const DosageRow& row);

  std::string path_;
  std::vector<std::string> sample_names_;
  PloidyRegions regions_;
  std::vector<Contig> contigs_;
  std::vector<Part> parts_;
  // The index of a contig by its BareContig() name, and by its CanonicalContig() name unless another one has that name.
  std::unordered_map<std::string, size_t> contig_index_;
  std::vector<Site> sites_;
  std::unordered_multimap<int64_t, size_t> padded_;  // sites by the position of a variant that is after its record's
  std::vector<uint8_t> genotypes_;                   // [sites, bytes_per_site_], four to a byte
  size_t bytes_per_site_;
};

// Looks up the markers of a file, and warns once if its contigs are named otherwise.
class SiteFinder {
 public:
  SiteFinder(const TruthSet& truth, std::string path) : truth_(truth), path_(std::move(path)) {}

  std::optional<TruthSet::Found> Find(const std::string& contig, const Marker& marker);

 private:
  const TruthSet& truth_;
  const std::string path_;
  bool has_warned_ = false;
};

}  // namespace haplospin
