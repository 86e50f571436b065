#include "genotypes/imputation/models/pedigree/panel_parents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "core/random.h"
#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

// The study has mum, kid and other; the panel dad and gran, the mother of mum.
class PanelParentsTest : public testing::Test {
 protected:
  // Adds a marker with the alleles of the panel and the study.
  void Add(std::array<uint8_t, 4> panel, std::vector<uint8_t> study) {
    uint64_t bits = 0;
    for (size_t h = 0; h < panel.size(); ++h) bits |= uint64_t{panel[h]} << h;
    panel_.Append({static_cast<int64_t>(panel_.num_markers() + 1), "", "A", "C"}, &bits);
    parents_.Compare(samples_, "20", {.alleles = std::move(study)}, panel_,
                     static_cast<uint32_t>(panel_.num_markers() - 1));
  }

  std::string Error() const {
    return ErrorOf([&] { parents_.CheckFamilies("herd.txt", samples_.names, panel_.samples().names); });
  }

  const SampleTable samples_ = SampleTable::Diploid({"mum", "kid", "other"});
  const Pedigree pedigree_{.descent = {{1, 3, 0}, {0, {}, 4}}, .num_people = 5, .others = {{3, 0}, {4, 1}}};
  PanelParents parents_{pedigree_, 3};
  MutablePanel panel_{"20", SampleTable::Diploid({"dad", "gran"})};
};

TEST_F(PanelParentsTest, FamiliesPass) {
  RandomStream random(1);
  const auto allele = [&random] { return static_cast<uint8_t>(random.UniformInt(2)); };
  for (int k = 0; k < 200; ++k) {
    const uint8_t gran = allele(), dad = allele();
    Add({dad, allele(), gran, allele()}, {gran, allele(), k % 7 == 0 ? kMissingAllele : gran, dad, 0, 1});
  }
  EXPECT_EQ(Error(), "");
}

TEST_F(PanelParentsTest, OthersAreNamed) {
  for (int k = 0; k < 49; ++k) Add({0, 0, 0, 0}, {0, 1, 1, 1, 0, 0});
  EXPECT_EQ(Error(), "");
  Add({0, 0, 0, 0}, {0, 1, 1, 1, 0, 0});
  EXPECT_THAT(Error(), HasSubstr("herd.txt: kid is not the child of dad and mum: their genotypes break Mendel's laws "
                                 "at 50 of 50 markers where they differ (100 %)"));
}

TEST_F(PanelParentsTest, ASonHasHisXFromHisMother) {
  const SampleTable samples{{"mum", "kid", "other"}, {0, 2, 3, 5}};
  PanelParents x = parents_;
  const uint64_t bits = 0;
  panel_.Append({1, "", "A", "C"}, &bits);
  for (int k = 0; k < 60; ++k) x.Compare(samples, "X", {.alleles = {1, 0, 1, 0, 0}}, panel_, 0);
  EXPECT_NO_THROW(x.CheckFamilies("herd.txt", samples.names, panel_.samples().names));
  for (int k = 0; k < 60; ++k) x.Compare(samples, "Z", {.alleles = {1, 0, 1, 0, 0}}, panel_, 0);
  EXPECT_THAT(ErrorOf([&] { x.CheckFamilies("herd.txt", samples.names, panel_.samples().names); }),
              HasSubstr("kid is not the child of dad and mum"));
}

}  // namespace
}  // namespace haplospin
