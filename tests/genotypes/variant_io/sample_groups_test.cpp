#include "genotypes/variant_io/sample_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SampleGroups, AreInTheOrderOfTheirFirstSamples) {
  const std::vector<std::string> groups = {"YRI", "GBR", "GBR", "YRI"};
  const SampleGroups samples(groups);
  EXPECT_THAT(samples.names(), ElementsAre("YRI", "GBR"));
  EXPECT_THAT(samples.group_of(), ElementsAre(0, 1, 1, 0));
}

class SampleGroupsTest : public testing::Test {
 protected:
  SampleGroups Load(const std::string& text, const std::vector<std::string>& samples) {
    WriteText(folder_ / "populations.tsv", text, FileForm::kVcf);
    return LoadSampleGroups(folder_ / "populations.tsv", samples);
  }

  TemporaryFolder folder_;
};

TEST_F(SampleGroupsTest, GroupsAreInTheOrderOfTheSamples) {
  const SampleGroups groups = Load("sample\tpopulation\nx\tZZZ\na\tGBR\tEUR\nb YRI\nc\tGBR\n", {"b", "a", "c"});
  EXPECT_THAT(groups.names(), ElementsAre("YRI", "GBR"));
  EXPECT_THAT(groups.group_of(), ElementsAre(0, 1, 1));
}

TEST_F(SampleGroupsTest, BadListsAreNamed) {
  EXPECT_THAT(ErrorOf([&] {
                Load("a GBR\n", {"a", "b", "c"});
              }),
              HasSubstr("populations.tsv: 2 of the 3 samples are missing: b, c; add a line for each"));
  EXPECT_THAT(ErrorOf([&] { Load("a GBR\nb\n", {"a"}); }), HasSubstr("line 2: expected a sample and its population"));
  EXPECT_THAT(ErrorOf([&] { Load("a GBR\na YRI\n", {"a"}); }),
              HasSubstr("line 2: sample a is in YRI here and in GBR before"));
  EXPECT_THAT(ErrorOf([&] { LoadSampleGroups(folder_ / "absent.tsv", {}); }), HasSubstr("absent.tsv: cannot open"));
}

}  // namespace
}  // namespace haplospin
