// Real panels in the folder HAPLOSPIN_DATA, compared with the output of bcftools.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <tuple>

#include "core/scoped_threads.h"
#include "core/temporary_folder.h"
#include "genotypes/variant_io/genetic_map_file.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

class RealDataTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("HAPLOSPIN_DATA") == nullptr) GTEST_SKIP() << "needs HAPLOSPIN_DATA, the folder of real genotypes";
    if (!HasBcftools()) GTEST_SKIP() << "needs bcftools";
  }

  static std::string File(const std::string& name) { return std::string(std::getenv("HAPLOSPIN_DATA")) + "/" + name; }
};

// Position, ID, REF, ALT and ALT count of every marker.
std::string Summary(const std::string& path) {
  std::ostringstream summary;
  const auto reader = OpenPanel(path);
  while (reader->NextContig()) {
    MutablePanel panel = reader->StartContig();
    reader->ReadUntil(INT64_MAX, panel);
    for (size_t m = 0; m < panel.num_markers(); ++m) {
      const Marker& marker = panel.marker(m);
      summary << panel.contig() << ' ' << marker.position << ' ' << marker.id << ' ' << marker.ref << ' ' << marker.alt
              << ' ' << panel.alt_count(m) << '\n';
    }
  }
  return summary.str();
}

TEST_F(RealDataTest, PanelsHaveTheAlleleCountsThatBcftoolsFinds) {
  const TemporaryFolder folder;
  for (const char* name :
       {"genotypes/par1_1kg/1kgP1_PAR1.bcf", "genotypes/chr22_16mb_1kg/vcflib_chr22_16_16.5.vcf.gz"}) {
    // One record per ALT, as in a panel, with recomputed counts.
    const std::string text = folder / "panel.vcf.gz", bcf = folder / "panel.bcf";
    Bcftools("view -c0 -Ou " + File(name) + " | bcftools norm -m-any -Ou 2> /dev/null | bcftools +fill-tags -Oz -o " +
             text + " -- -t AC");
    Bcftools("view -Ob -o " + bcf + " " + text);
    const std::string expected = Bcftools("query -f '%CHROM %POS %ID %REF %ALT %AC\n' " + text).output;
    ASSERT_GT(expected.size(), 100'000u);
    for (const int threads : {1, 3}) {
      const ScopedThreads scope(threads);
      EXPECT_TRUE(Summary(text) == expected) << name;
    }
    EXPECT_TRUE(Summary(bcf) == expected) << name;
    EXPECT_EQ(Summary(File(name)).size(), expected.size()) << name;
  }
}

TEST_F(RealDataTest, MapsOfTwoFormsAgree) {
  const GeneticMap plink = LoadGeneticMap(File("genotypes/chr20_1kg/chr20.b37.plink.map"), "20");
  const GeneticMap shapeit = LoadGeneticMap(File("genotypes/chr20_1kg/chr20.b37.shapeit.gmap"), "chr20");
  EXPECT_NEAR(plink.Centimorgans(2'286'028) - plink.Centimorgans(60'479), 7.7, 0.1);
  for (int64_t position = 60'000; position < 2'300'000; position += 1234) {
    ASSERT_NEAR(plink.Centimorgans(position), shapeit.Centimorgans(position), 1e-3);
  }
}

}  // namespace
}  // namespace haplospin
