// Regions that overlap, phased separately and joined with haplospin concat --ligate.
#include <gtest/gtest.h>

#include "cli/genotypes/phasing/phase_files.h"

namespace haplospin {
namespace {

class LigateCommandTest : public PhaseFiles {
 protected:
  LigateCommandTest() {
    Genotypes genotypes = Truth();
    for (auto& record : genotypes) {
      for (std::string& genotype : record) genotype = Sorted(genotype);
    }
    unphased_ = WriteStudy(genotypes);
  }

  // `command` gives the same phase on the whole contig, and on two regions that overlap and are joined.
  void ExpectSame(std::vector<std::string> command, const std::string& region_end) const {
    command.insert(command.end(), {"--ref", panel_path_, "--target", unphased_, "--window", "0.8", "--overlap", "0.8"});
    const auto run = [&](const std::string& out, const std::vector<std::string>& more) {
      std::vector<std::string> arguments = command;
      arguments.insert(arguments.end(), {"--out", out_ / out});
      arguments.insert(arguments.end(), more.begin(), more.end());
      const ProgramResult result = RunProgram(arguments);
      EXPECT_EQ(result.exit_code, 0) << result.err;
      return out_ / out;
    };
    const VcfLines whole(ReadFile(run("whole.vcf", {})));
    const std::string first = run("1.vcf.gz", {"--region", "20:1-" + region_end});
    const std::string second = run("2.vcf.gz", {"--region", "20:1000000-"});
    const std::string joined = out_ / "joined.vcf";
    const ProgramResult result = RunProgram({"concat", "--ligate", "--out", joined, first, second});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const VcfLines records(ReadFile(joined));
    EXPECT_EQ(records.records.size(), whole.records.size());
    for (const uint32_t m : typed_) {
      const std::string position = std::to_string(mosaic_.markers[m].position);
      for (size_t s = 0; s < study_.names.size(); ++s) {
        EXPECT_EQ(Field(records.At(position), s, "GT"), Field(whole.At(position), s, "GT")) << position << " " << s;
      }
    }
    // Without --ligate they are refused.
    ExpectRefused(RunProgram({"concat", "--out", out_ / "refused.vcf", first, second}),
                  {"do not overlap, or use --ligate"});
  }

  std::string unphased_;
};

TEST_F(LigateCommandTest, PhasedRegionsAreThePhasedContig) {
  ExpectSame({"phase"}, "1500000");
  ExpectSame({"phase"}, "2000000");
}

TEST_F(LigateCommandTest, ImputedRegionsAreTheImputedContig) {
  ExpectSame({"impute", "--model", weights_path_}, "1500000");
}

}  // namespace
}  // namespace haplospin
