#include "assessment/truth_set.h"

#include "assessment/evaluation_files.h"

namespace haplospin {
namespace {

// Cattle have both, whereas 23 is X where there is no X.
TEST_F(EvaluationTest, ContigsXAnd23AreToldApart) {
  const std::vector<std::string> records{"23 10 . A C . . . GT 0|1", "23 20 . A C . . . GT 0|1",
                                         "X 10 . A C . . . GT 0|0"};
  const TruthSet cattle(DosageReader(Write("cattle.vcf", {"a"}, records)));
  const Marker marker{10, ".", "A", "C"};
  EXPECT_EQ(cattle.Find("chr23", marker), 0u);
  EXPECT_EQ(cattle.Find("X", marker), 2u);
  const TruthSet human(DosageReader(Write("human.vcf", {"a"}, {records[2]})));
  EXPECT_EQ(human.Find("23", marker), 0u);
}

}  // namespace
}  // namespace haplospin
