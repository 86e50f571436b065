#include "genotypes/imputation/models/pedigree/absent_animals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/fam_file.h"

namespace haplospin {
namespace {

using testing::ElementsAre;

class AbsentAnimalsTest : public testing::Test {
 protected:
  Pedigree Load(const std::string& text, const std::vector<std::string>& panel = {}) const {
    std::ofstream(folder_ / "herd.txt") << text;
    return LoadPedigree(folder_ / "herd.txt", samples_, panel);
  }

  const TemporaryFolder folder_;
  const std::vector<std::string> samples_{"calf", "cow"};
};

TEST_F(AbsentAnimalsTest, InTheOrderOfTheirLinesAndThenOthers) {
  const Pedigree pedigree = Load("calf bull cow\nlate 0 calf\ncow 0 grandam\nbull 0 0\n");
  const AbsentAnimals animals = FindAbsentAnimals(pedigree, samples_.size());
  EXPECT_THAT(animals.names, ElementsAre("late", "bull", "grandam"));
  EXPECT_EQ(animals.unrelated, 0u);
  std::vector<std::string> names;
  for (const size_t person : animals.people) names.push_back(pedigree.names_of_others[person - samples_.size()]);
  EXPECT_EQ(names, animals.names);
}

TEST_F(AbsentAnimalsTest, ThoseWithoutRelativesAreCounted) {
  const AbsentAnimals animals = FindAbsentAnimals(Load("calf bull 0\nalone 0 0\nkid alone2 0\n"), samples_.size());
  EXPECT_THAT(animals.names, ElementsAre("bull"));
  EXPECT_EQ(animals.unrelated, 3u);
}

TEST_F(AbsentAnimalsTest, ThoseOfThePanelHaveGenotypes) {
  const AbsentAnimals animals =
      FindAbsentAnimals(Load("calf bull cow\nsib bull 0\nbull granbull 0\n", {"bull"}), samples_.size());
  EXPECT_THAT(animals.names, ElementsAre("sib", "granbull"));
}

TEST_F(AbsentAnimalsTest, NamesOfSeveralFamiliesDiffer) {
  const AbsentAnimals animals = FindAbsentAnimals(Load("A calf dad 0 1\nB cow dad 0 2\n"), samples_.size());
  EXPECT_THAT(animals.names, ElementsAre("dad", "B_dad"));
}

}  // namespace
}  // namespace haplospin
