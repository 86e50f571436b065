#include "genotypes/variant_io/reading/people_chips.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace haplospin {
namespace {

using testing::ElementsAre;

// Has every position from `first` to `last` that is a multiple of `step`, on two contigs.
PersonalFile Person(int64_t first, int64_t last, int64_t step) {
  PersonalFile person;
  for (int64_t position = first; position <= last; position += step) {
    person.calls["1"].push_back({position, 'A', 'A'});
    person.calls["2"].push_back({position, 'A', 'A'});
  }
  return person;
}

TEST(PeopleChips, AreToldByThePositions) {
  const std::vector<PersonalFile> people{Person(0, 1000, 2), Person(0, 1000, 3), Person(100, 1000, 2),
                                         Person(0, 950, 3),  Person(0, 1000, 1), PersonalFile()};
  EXPECT_THAT(GroupByChip(people), ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3), ElementsAre(4), ElementsAre(5)));
}

}  // namespace
}  // namespace haplospin
