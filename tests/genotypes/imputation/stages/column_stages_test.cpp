#include "genotypes/imputation/stages/column_stages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

using testing::_;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

// Two people at three markers, of which the first two are ALTs of one site, without a panel.
class ColumnStagesTest : public testing::Test {
 protected:
  ColumnStagesTest() {
    panel_.Append({100, ".", "A", "C"}, nullptr);
    panel_.Append({100, ".", "A", "G"}, nullptr);
    panel_.Append({200, ".", "A", "C"}, nullptr);
  }

  // The last column is typed: the first person's genotype is missing.
  DosageColumns Columns() const {
    return {.markers = {0, 3},
            .alt = {0.8f, 0, 0, 0, 0.8f, 0, 0, 0, 0.6f, 0.6f, 0, 1},
            .typed = {nullptr, nullptr, &alleles_}};
  }

  MutablePanel panel_{"20", SampleTable::Diploid({})};
  const SampleTable samples_ = SampleTable::Diploid({"a", "b"});
  const GenotypeRow row_{.alleles = {kMissingAllele, kMissingAllele, 0, 1}};
  const std::vector<uint8_t>& alleles_ = row_.alleles;
  const GeneticMap map_ = GeneticMap::Uniform();
  const PanelWindow window_{panel_, map_, {2}, {0, 3}};
  const WindowStudy study_{samples_, {{2, &row_}}};
  const WindowState state_{window_, study_, {0, 3}};
};

TEST_F(ColumnStagesTest, AllelesOfASiteSumToOne) {
  DosageColumns columns = Columns();
  SumsStage().Run(state_, columns);
  EXPECT_THAT(columns.is_exclusive, ElementsAre(true, true, false));
  EXPECT_NEAR(columns.alt[0] + columns.alt[4], 1, 1e-6);
  EXPECT_THAT(columns.Column(2), ElementsAre(0.6f, 0.6f, 0, 1));
}

// Both alleles are more probably ALT, but the genotype is more probably heterozygous than not.
TEST_F(ColumnStagesTest, GenotypesAreCalledWhereTheyAreMissing) {
  EXPECT_TRUE(CallStage().Applies(state_));
  DosageColumns columns = Columns();
  CallStage().Run(state_, columns);
  EXPECT_THAT(columns.calls, ElementsAre(IsEmpty(), IsEmpty(), ElementsAre(_, _, 0, 1)));
  EXPECT_EQ(columns.calls[2][0] + columns.calls[2][1], 1);
  columns = Columns();
  columns.is_exclusive = {false, false, true};
  CallStage().Run(state_, columns);
  EXPECT_THAT(columns.calls, Each(IsEmpty()));
}

// Inbred lines have no heterozygotes.
TEST_F(ColumnStagesTest, LinesAreCalledByHaplotype) {
  const GenotypeRow row{.alleles = {0, 0, 1, 1}};
  const WindowStudy lines(samples_, {{2, &row}});
  EXPECT_FALSE(CallStage().Applies(WindowState(window_, lines, {0, 3})));
}

TEST_F(ColumnStagesTest, WithoutAnAdaptedPanelNothingIsAdded) { EXPECT_FALSE(ArrayStage().Applies(state_)); }

}  // namespace
}  // namespace haplospin
