#include "genotypes/assessment/checking/study_fix.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "genotypes/assessment/checking/checked_sites.h"
#include "genotypes/genomics/sites/site_relation.h"
#include "genotypes/variant_io/writing/genotype_writer.h"

namespace haplospin {
namespace {

// The panel's name of each of the study's contigs, where it is another.
std::unordered_map<std::string, std::string> FixedNames(const StudyCheck& check) {
  std::unordered_map<std::string, std::string> names;
  for (const ContigCheck& contig : check.contigs) {
    if (!contig.panel_name.empty()) names.emplace(contig.name, contig.panel_name);
  }
  return names;
}

std::string FixedName(const std::unordered_map<std::string, std::string>& names, const std::string& contig) {
  const auto fixed = names.find(contig);
  return fixed == names.end() ? contig : fixed->second;
}

VariantHeader FixedHeader(const StudyCheck& check, const std::unordered_map<std::string, std::string>& names,
                          const StudyReader& study, const StudyFixOptions& options) {
  ContigTable contigs = study.header().contigs;
  for (const ContigCheck& contig : check.contigs) contigs.emplace_back(contig.name, 0);
  for (auto& [name, length] : contigs) name = FixedName(names, name);
  VariantHeader header{.contigs = {}, .lines = options.header_lines, .described = study.header().described};
  header.AddContigs(contigs);
  return header;
}

SiteRelation RelationToFix(const StudyCheck& check, size_t site, bool keep_ambiguous) {
  const SiteRelation relation = check.site_relations[site];
  if (relation != SiteRelation::kUndecided || !keep_ambiguous) return relation;
  return std::ranges::binary_search(check.undecided_swapped, site) ? SiteRelation::kSwapped : SiteRelation::kSame;
}

// The contigs whose alleles are inverted.
std::unordered_set<std::string> InvertedContigs(const StudyCheck& check) {
  std::unordered_set<std::string> names;
  for (const ContigCheck& contig : check.contigs) {
    if (contig.signs.AreInverted()) names.insert(contig.name);
  }
  return names;
}

void Invert(std::vector<uint8_t>& alleles) {
  for (uint8_t& allele : alleles) {
    if (allele != kMissingAllele) allele ^= 1;
  }
}

// Changes the marker and its alleles; false if it is left out.
bool FixMarker(SiteRelation relation, bool is_inverted, Marker& marker, std::vector<uint8_t>& alleles) {
  if (relation == SiteRelation::kDuplicate || relation == SiteRelation::kUndecided) return false;
  if (relation == SiteRelation::kInverted || (is_inverted && marker.HasAlt())) Invert(alleles);
  if (relation == SiteRelation::kFlipped || relation == SiteRelation::kFlippedAndSwapped) {
    marker.ref = ReverseComplement(marker.ref);
    marker.alt = ReverseComplement(marker.alt);
  }
  if (relation == SiteRelation::kSwapped || relation == SiteRelation::kFlippedAndSwapped) {
    std::swap(marker.ref, marker.alt);
    Invert(alleles);
  }
  return true;
}

}  // namespace

void FixStudy(const StudyCheck& check, const StudyFixOptions& options) {
  StudyReader reader = OpenCheckedStudy(check);
  const std::unordered_map<std::string, std::string> names = FixedNames(check);
  GenotypeWriter writer(options.path, OutputType::kByExtension, FixedHeader(check, names, reader, options),
                        SampleTable::Diploid(reader.sample_names()), OutputFile::Unfinished::kRemove,
                        {.phase_sets = check.has_phase_sets});
  const std::unordered_set<std::string> inverted = InvertedContigs(check);
  ForEachCheckedSite(check, reader, [&](StudyGenotypes& study, size_t s, size_t index) {
    const SiteRelation relation = RelationToFix(check, index, options.keep_ambiguous);
    auto& [marker, row] = study.markers[s];
    if (!FixMarker(relation, inverted.contains(study.contig), marker, row.alleles)) return;
    if (const auto coded = check.coded_indels.find(index); coded != check.coded_indels.end()) {
      std::tie(marker.ref, marker.alt) = coded->second;
    } else if (IsCodedIndel(marker)) {  // VCF has no such alleles
      return;
    }
    writer.Write(FixedName(names, study.contig), marker, study.samples, row.alleles, row.unphased, row.phase_sets);
  });
  writer.Finish(IndexIfPossible(options.path, OutputType::kByExtension));
}

}  // namespace haplospin
