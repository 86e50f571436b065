#include "genotypes/imputation/window/study_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "genotypes/genomics/mutable_panel.h"

namespace haplospin {
namespace {

using testing::ElementsAre;

TEST(StudyBuilder, SamplesComeFromAStudyAPanelOrNowhere) {
  const SampleTable people{{"a", "b"}, {0, 2, 3}};
  const GenotypeRow row{.alleles = {0, 1, 1}, .unphased = {1, 0}, .phase_sets = {0, 7}};
  const WindowStudy study(people, {{4, &row}});
  MutablePanel panel("20", SampleTable::Diploid({"p", "q"}));
  const uint64_t bits = 0b0100;  // the first haplotype of q
  for (int64_t m = 0; m < 6; ++m) panel.Append({100 + m, ".", "A", "C"}, &bits);
  StudyBuilder builder;
  EXPECT_EQ(builder.Add(study, 1), 0u);
  EXPECT_EQ(builder.Add(panel, 1), 1u);
  EXPECT_EQ(builder.Add("x", 1), 2u);
  EXPECT_EQ(builder.Add(study, 0), 3u);
  builder.AddMarkers(std::vector<uint32_t>{3, 4});
  builder.row(0).alleles[3] = 1;
  const WindowStudy view = builder.View();
  EXPECT_THAT(view.samples().names, ElementsAre("b", "q", "x", "a"));
  EXPECT_THAT(view.samples().first_haplotype, ElementsAre(0, 1, 3, 4, 6));
  EXPECT_THAT(view.typed(), ElementsAre(3, 4));
  EXPECT_THAT(view.alleles(0), ElementsAre(kMissingAllele, 1, 0, 1, kMissingAllele, kMissingAllele));
  EXPECT_THAT(view.alleles(1), ElementsAre(1, 1, 0, kMissingAllele, 0, 1));
  EXPECT_TRUE(view.row(1).IsUnphased(3));
  EXPECT_FALSE(view.row(0).IsUnphased(3));
  EXPECT_EQ(view.row(1).PhaseSet(0), 7u);
  EXPECT_EQ(view.row(1).PhaseSet(1), 0u);
}

}  // namespace
}  // namespace haplospin
