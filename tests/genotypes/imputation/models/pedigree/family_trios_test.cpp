#include "genotypes/imputation/models/pedigree/family_trios.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace haplospin {
namespace {

using testing::ElementsAre;

// 0 to 2 have genotypes. 3 is a child of 0, 4 of 3, 1 of 4 and 5, 2 of 3; 6 is a child of 4.
TEST(FamilyTrios, ParentsAndGrandparents) {
  const Pedigree pedigree{.descent = {{3, 0, {}}, {4, {}, 3}, {1, 4, 5}, {2, {}, 3}, {6, 4, {}}}, .num_people = 7};
  const auto children = [&](const std::vector<bool>& has_genotypes) {
    std::vector<size_t> found;
    for (const Trio& trio : FamilyTrios(pedigree, has_genotypes)) found.push_back(trio.child);
    return found;
  };
  EXPECT_THAT(children({true, true, true, false, false, false, false}), ElementsAre(3, 2));
  EXPECT_THAT(children({true, true, true, true, false, false, false}), ElementsAre(3, 4, 1, 2));
  EXPECT_THAT(children({false, true, true, false, false, true, true}), ElementsAre(1));
  EXPECT_THAT(children(std::vector<bool>(7)), ElementsAre());
}

}  // namespace
}  // namespace haplospin
