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
  StudyGenotypes study{.contig = "20", .samples = {{"S"}, {0, 2}}};
  for (Marker& marker : markers) {
    study.markers.push_back({std::move(marker), {.alleles = {0, kMissingAllele}, .unphased = {1}}});
  }
  return study;
}

std::vector<std::string> Alts(const StudyGenotypes& study) {
  std::vector<std::string> alts;
  for (const StudyMarker& study_marker : study.markers) alts.push_back(study_marker.marker.alt);
  return alts;
}

TEST(ReferenceSites, HaveNoneOfThePanelsAlts) {
  const HaplotypePanel panel = PanelWith({Site(5, "A", "C"), Site(10, "A", "C"), Site(10, "A", "AT"),
                                          Site(10, "A", "G"), Site(10, "A", "T"), Site(20, "C", "T")});
  StudyGenotypes study = StudyWith({Site(5, "A", "."), Site(10, "A", "."), Site(20, "C", "T")});
  AddReferenceSites(study, panel);
  EXPECT_THAT(Alts(study), ElementsAre(".", ".", "G", "T", "T"));
  const GenotypeRow& row = study.markers[3].genotypes;
  EXPECT_THAT(row.alleles, ElementsAre(0, kMissingAllele));
  EXPECT_TRUE(row.IsUnphased(0));
  EXPECT_TRUE(row.phase_sets.empty());
  const PanelAlignment alignment = AlignToPanel(study, panel);
  EXPECT_THAT(alignment.panel_marker, ElementsAre(0, 1, 3, 4, 5));
  EXPECT_EQ(alignment.counts.duplicates, 0u);
}

TEST(ReferenceSites, LeaveWhatTheStudyHasAndOtherBases) {
  const HaplotypePanel panel =
      PanelWith({Site(10, "A", "C"), Site(10, "A", "G"), Site(20, "T", "C"), Site(20, "T", "G")});
  StudyGenotypes study = StudyWith({Site(10, "A", "."), Site(10, "A", "G"), Site(20, "A", ".")});
  AddReferenceSites(study, panel);
  EXPECT_THAT(Alts(study), ElementsAre(".", "G", "."));
}

}  // namespace
}  // namespace haplospin
