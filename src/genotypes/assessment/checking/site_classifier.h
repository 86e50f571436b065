// Classifies the sites of a study by how they match the panel.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/assessment/checking/study_check.h"
#include "genotypes/genomics/dosage_r2.h"
#include "genotypes/genomics/sites/site_relation.h"
#include "genotypes/genomics/sites/strand.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// Fills in the parts of a StudyCheck that are about sites: site_relations, examples, the counts of ambiguous sites, the
// comparison of allele frequencies, and same_position and matching of the last contig.
class SiteClassifier {
 public:
  // `partly_inverted` are contigs whose alleles are compared by frequency and linkage instead of by their letters.
  SiteClassifier(StudyCheck& check, std::set<std::string> partly_inverted)
      : check_(check), partly_inverted_(std::move(partly_inverted)) {}

  // Adds the next sites of the last contig; `panel` has the panel's sites there, and is null if the panel lacks the
  // contig. It may have sites of the last call.
  void Add(const StudyGenotypes& study, const HaplotypePanel* panel);

  // Tells that the first sites of the panel have been dropped.
  void DropPanelSites(size_t count);

  // Decides the strand of the ambiguous sites whose neighbors, and theirs, have all been added: everything before
  // `position` has. First by the unambiguous neighbors and frequency, then by all neighbors of known strand.
  void Decide(int64_t position);

  // Call it after Decide(INT64_MAX).
  void FinishContig();

 private:
  // A site with the same two alleles in panel and study, kept until no further neighbor can follow.
  struct Joined {
    StrandSite site;
    size_t index;  // into site_relations
    Marker study, panel;
    SiteRelation by_letters;
    bool is_unambiguous;  // by_letters is right
    bool is_known;        // the strand has been decided
    bool is_multiallelic;
  };

  SiteRelation Relate(const StudyGenotypes& study, size_t s, const MarkerMatch& match) const;
  void AddJoined(SiteRelation relation, const StudyGenotypes& study, size_t s, const HaplotypePanel& panel, size_t p);
  void NoteMatching(int64_t position);
  void AddSigns(const StudyGenotypes& study, size_t s, bool is_exchanged, const HaplotypePanel* panel, size_t p);
  void AddExample(SiteRelation relation, const Marker& study, const Marker* panel);
  void EstimateStrand(size_t i);
  static SiteRelation RelationOnStrand(const Joined& joined, Strand strand);
  void DecideSite(size_t i);
  Strand StrandBy(size_t i, bool Joined::*is_neighbor) const;
  std::vector<const StrandSite*> Neighbors(size_t i, bool Joined::*is_neighbor) const;
  // Adds a site whose alleles and strand are known; with `is_other_strand`, the study's REF is the panel's ALT.
  void CompareFrequencies(const Joined& joined, bool is_other_strand);

  StudyCheck& check_;
  const std::set<std::string> partly_inverted_;
  DosageSums frequencies_;     // pairs of the study's and the panel's frequency
  std::vector<bool> is_used_;  // panel markers in memory that a study marker is
  std::deque<Joined> joined_;
  size_t num_estimated_ = 0, num_decided_ = 0;  // ambiguous sites before these indices into site_relations are
};

}  // namespace haplospin
