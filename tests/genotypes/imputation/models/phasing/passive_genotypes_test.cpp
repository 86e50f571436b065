#include "genotypes/imputation/models/phasing/passive_genotypes.h"

#include <gtest/gtest.h>

namespace haplospin {
namespace {

TEST(PassiveGenotypesTest, ThoseWithoutReadsAndThoseWithoutARareAllele) {
  const std::vector<float> alt_frequency{0.3f, 0.3f, 0.001f, 0.001f, 0.999f, 0.999f, 0.01f};
  const SampleGenotypes sample{.missing = {0, 1, 2, 3, 4, 5, 6},
                               .likelihoods = {{{0, 0, 0}},     // no reads
                                               {{0, 3, 23}},    // a read of a frequent marker
                                               {{0, 3, 23}},    // a read of REF, where ALT is rare
                                               {{23, 3, 0}},    // a read of ALT, where it is rare
                                               {{0, 3, 23}},    // a read of REF, where it is rare
                                               {{23, 3, 0}},    // a read of ALT, where REF is rare
                                               {{0, 3, 23}}}};  // not rare enough
  EXPECT_EQ(PassiveGenotypes(sample, alt_frequency, 0.005f),
            (std::vector<bool>{true, false, true, false, false, true, false}));
}

}  // namespace
}  // namespace haplospin
