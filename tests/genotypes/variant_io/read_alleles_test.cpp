#include "genotypes/variant_io/reading/read_alleles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/random.h"

namespace haplospin {
namespace {

bool Same(const ReadAllele& a, const ReadAllele& b) {
  return a.read == b.read && a.is_alt == b.is_alt && a.quality == b.quality;
}

TEST(ReadAllelesTest, WhatIsWrittenIsRead) {
  RandomStream random(1);
  std::vector<std::vector<ReadAllele>> samples(50);
  std::string columns;
  for (std::vector<ReadAllele>& sample : samples) {
    sample.resize(random.UniformInt(4));
    for (ReadAllele& allele : sample) {
      allele.read = random() & ((uint64_t{1} << 57) - 1);
      allele.is_alt = random() & 1;
      allele.quality = random() & 0x3f;
    }
    if (!columns.empty()) columns += '\t';
    if (random.Bernoulli(0.2)) {  // nothing is known
      sample.clear();
      columns += '.';
      continue;
    }
    columns += "0,3,30:";
    AppendReadAlleles(sample, columns);
  }
  const ReadAlleleRow row = ParseReadAlleles(columns, 1);
  ASSERT_EQ(row.first.size(), samples.size() + 1);
  for (size_t s = 0; s < samples.size(); ++s) {
    ASSERT_EQ(row.At(s).size(), samples[s].size());
    for (size_t i = 0; i < samples[s].size(); ++i) EXPECT_TRUE(Same(row.At(s)[i], samples[s][i]));
  }
  EXPECT_TRUE(ReadAlleleRow().empty());
}

}  // namespace
}  // namespace haplospin
