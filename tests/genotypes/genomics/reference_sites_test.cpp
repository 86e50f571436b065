#include "genotypes/genomics/sites/reference_sites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/genomics/sites/panel_alignment.h"

namespace haplospin {
namespace {

using testing::ElementsAre;

Marker Site(int64_t position, const std::string& ref, const std::string& alt) { return {position, ".", ref, alt}; }

HaplotypePanel PanelWith(const std::vector<Marker>& markers) {
  MutablePanel panel("20", {{"A"}, {0, 2}});
  const uint64_t bits = 1;
  for (const Marker& marker : markers) panel.Append(marker, &bits);
  return panel;
}

StudyGenotypes StudyWith(std::vector<Marker> markers) {
  StudyGenotypes study{"20", {{"S"}, {0, 2}}, std::move(markers), {}};
  for (size_t s = 0; s < study.markers.size(); ++s) study.alleles.push_back({0, kMissingAllele});
  study.unphased.assign(study.markers.size(), {1});
  return study;
}

std::vector<std::string> Alts(const StudyGenotypes& study) {
  std::vector<std::string> alts;
  for (const Marker& marker : study.markers) alts.push_back(marker.alt);
  return alts;
}

TEST(ReferenceSites, HaveNoneOfThePanelsAlts) {
  const HaplotypePanel panel = PanelWith({Site(5, "A", "C"), Site(10, "A", "C"), Site(10, "A", "AT"),
                                          Site(10, "A", "G"), Site(10, "A", "T"), Site(20, "C", "T")});
  StudyGenotypes study = StudyWith({Site(5, "A", "."), Site(10, "A", "."), Site(20, "C", "T")});
  AddReferenceSites(study, 0, panel);
  EXPECT_THAT(Alts(study), ElementsAre(".", ".", "G", "T", "T"));
  EXPECT_THAT(study.alleles[3], ElementsAre(0, kMissingAllele));
  EXPECT_EQ(study.unphased.size(), 5u);
  EXPECT_TRUE(study.phase_sets.empty());
  const PanelAlignment alignment = AlignToPanel(study, panel);
  EXPECT_THAT(alignment.panel_marker, ElementsAre(0, 1, 3, 4, 5));
  EXPECT_EQ(alignment.counts.duplicates, 0u);
}

TEST(ReferenceSites, LeaveWhatTheStudyHasAndOtherBases) {
  const HaplotypePanel panel =
      PanelWith({Site(10, "A", "C"), Site(10, "A", "G"), Site(20, "T", "C"), Site(20, "T", "G")});
  StudyGenotypes study = StudyWith({Site(10, "A", "."), Site(10, "A", "G"), Site(20, "A", ".")});
  AddReferenceSites(study, 0, panel);
  EXPECT_THAT(Alts(study), ElementsAre(".", "G", "."));
}

TEST(ReferenceSites, LeaveEarlierMarkers) {
  const HaplotypePanel panel = PanelWith({Site(10, "A", "C"), Site(10, "A", "G")});
  StudyGenotypes study = StudyWith({Site(10, "A", "."), Site(30, "A", ".")});
  AddReferenceSites(study, 1, panel);
  EXPECT_THAT(Alts(study), ElementsAre(".", "."));
}

}  // namespace
}  // namespace haplospin
