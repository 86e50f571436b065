// haplospin mask, as a user runs it, on the small files in golden/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/golden.h"
#include "cli/run_program.h"
#include "core/file_contents.h"
#include "core/temporary_folder.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

class MaskCommandTest : public testing::Test {
 protected:
  ProgramResult Mask(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"mask", "--out", folder_ / "out"});
    return RunProgram(arguments);
  }

  // Without the line that contains the version.
  std::string Output(const std::string& name) const {
    std::string text = Contents(folder_ / name);
    const size_t begin = text.find("##source=");
    return text.erase(begin, text.find('\n', begin) + 1 - begin);
  }

  // Expects exit code 2, one line that contains `message`, and no output.
  void ExpectUserError(const std::vector<std::string>& arguments, const std::string& message) {
    ExpectRefused(Mask(arguments), {message});
    EXPECT_EQ(folder_.NumFiles(), num_files_) << message;
  }

  std::string WriteText(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    ++num_files_;
    return folder_ / name;
  }

  const GoldenFolder golden_;
  TemporaryFolder folder_;
  size_t num_files_ = 0;
};

TEST_F(MaskCommandTest, ListedSamplesAndSites) {
  const ProgramResult result =
      Mask({"--panel", "panel.vcf", "--samples", "samples.txt", "--sites", "array.txt", "--output-type", "v"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "haplospin: warning: array.txt: contig chr20 is treated as contig 20 of panel.vcf\nhaplospin: " +
                folder_ / "out: 20 reference samples, 8 study samples, 13 markers, 3 of them typed\nhaplospin: " +
                folder_ / "out: 1 marker left out, because no reference sample has the ALT allele\n");
  ExpectGolden(Output("out.ref.vcf"), "mask.ref.vcf");
  ExpectGolden(Output("out.target.vcf"), "mask.target.vcf");
  ExpectGolden(Output("out.truth.vcf"), "mask.truth.vcf");
  EXPECT_EQ(folder_.NumFiles(), 3u);
}

TEST_F(MaskCommandTest, DrawnSamplesAndMarkersWithErrors) {
  const std::vector<std::string> arguments{"--panel", "panel.vcf", "--samples",   "5",   "--thin",        "0.5",
                                           "--seed",  "7",         "--flip-rate", "0.2", "--output-type", "v"};
  EXPECT_EQ(Mask(arguments).exit_code, 0);
  ExpectGolden(Output("out.target.vcf"), "mask_drawn.target.vcf");
  ExpectGolden(Output("out.truth.vcf"), "mask_drawn.truth.vcf");
}

TEST_F(MaskCommandTest, OneIsAMarkerAndOnePointZeroAllThatVary) {
  const auto typed = [&](const std::string& thin) {
    const ProgramResult result = Mask({"--panel", "panel.vcf", "--samples", "5", "--thin", thin});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const size_t end = result.err.find(" of them typed"), begin = result.err.rfind(' ', end - 1);
    return std::stoi(result.err.substr(begin, end - begin));
  };
  EXPECT_EQ(typed("1"), 1);
  EXPECT_GT(typed("1.0"), 10);
}

TEST_F(MaskCommandTest, TypesAndIndexes) {
  for (const auto& [type, names] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"z", {".vcf.gz", ".vcf.gz.tbi"}}, {"b", {".bcf", ".bcf.csi"}}}) {
    ASSERT_EQ(Mask({"--panel", "panel.vcf", "--samples", "5", "--thin", "4", "--output-type", type}).exit_code, 0);
    for (const std::string part : {"ref", "target", "truth"}) {
      for (const std::string& name : names) EXPECT_TRUE(std::filesystem::exists(folder_ / ("out." + part + name)));
    }
  }
}

TEST_F(MaskCommandTest, ItsOutputCanBeEvaluated) {
  ASSERT_EQ(Mask({"--panel", "panel.vcf", "--samples", "5", "--thin", "4"}).exit_code, 0);
  const ProgramResult result =
      RunProgram({"evaluate", "--truth", folder_ / "out.truth.vcf.gz", "--imputed", folder_ / "out.truth.vcf.gz",
                  "--ref", folder_ / "out.ref.vcf.gz", "--target", folder_ / "out.target.vcf.gz"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("4 typed sites of out.target.vcf.gz left out"));
  EXPECT_EQ(result.err, "");
}

TEST_F(MaskCommandTest, OptionsAreCheckedFirst) {
  ExpectUserError({"--samples", "5", "--thin", "4"}, "mask: --panel is missing");
  ExpectUserError({"--panel", "panel.vcf", "--thin", "4"}, "mask: --samples is missing");
  const std::vector<std::string> drawn{"--panel", "panel.vcf", "--samples", "5"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), drawn.begin(), drawn.end());
    return more;
  };
  ExpectUserError(drawn, "mask: give either --sites or --thin");
  ExpectUserError(with({"--sites", "array.txt", "--thin", "4"}), "mask: give either --sites or --thin");
  for (const char* thin : {"0", "0.0", "-1", "1.5", "4.0", "1e1", "many", "nan", "inf", "4x"}) {
    ExpectUserError(with({"--thin", thin}), std::string("--thin is '") + thin +
                                                "', but must be a number of markers without a decimal point, or a "
                                                "share with one, up to 1.0");
  }
  ExpectUserError(with({"--thin", "4", "--flip-rate", "0.7"}),
                  "--flip-rate is '0.7', but must be a number from 0 to 0.5");
  ExpectUserError(with({"--thin", "4", "--output-type", "x"}), "--output-type is 'x', but must be one of v, z, u, b");
  ExpectUserError({"--panel", "panel.vcf", "--samples", "0", "--thin", "4"}, "--samples is '0'");
}

TEST_F(MaskCommandTest, FilesThatCannotServeAreNamed) {
  const auto panel = [](const std::string& path) {
    return std::vector<std::string>{"--panel", path, "--samples", "1", "--thin", "1"};
  };
  ExpectUserError(panel("absent.vcf"), "absent.vcf: cannot open: No such file or directory");
  ExpectUserError(panel("array.txt"), "array.txt: not a VCF or BCF file");
  const std::string header = "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n";
  const std::string site = "20\t1000\t.\tA\tC\t.\t.\t.\tGT\t";
  ExpectUserError(panel(WriteText("unphased.vcf", header + site + "0/1\t0|0\n")), "20:1000: sample a has the unphased");
  ExpectUserError(panel(WriteText("missing.vcf", header + site + ".|.\t0|0\n")),
                  "20:1000: sample a has a missing allele, the first of 2 (50 % of the alleles, at 1 of 1 record)");
  ExpectUserError(panel(WriteText("constant.vcf", header + site + "0|0\t0|0\n")),
                  "constant.vcf: cannot draw 1 marker of 0");

  const auto samples = [](const std::string& path) {
    return std::vector<std::string>{"--panel", "panel.vcf", "--samples", path, "--thin", "4"};
  };
  ExpectUserError(
      samples("absent.txt"),
      "absent.txt: cannot open: No such file or directory; --samples takes a file of sample names, or a number");
  ExpectUserError(samples(WriteText("empty.txt", "\n")), "empty.txt: empty; expected a sample name per line");
  ExpectUserError(samples(WriteText("wrong.txt", "S1\nnobody\n")),
                  "panel.vcf: 1 of the study's samples are not in the panel: nobody");
  ExpectUserError(samples("28"), "panel.vcf: has 28 samples; if 28 of them are drawn, no reference is left");

  const auto sites = [](const std::string& path) {
    return std::vector<std::string>{"--panel", "panel.vcf", "--samples", "5", "--sites", path};
  };
  ExpectUserError(sites("absent.txt"), "absent.txt: cannot open");
  ExpectUserError(sites(WriteText("words.txt", "chrom pos\n")), "words.txt: line 1: \"pos\" is not a position");
  ExpectUserError(sites(WriteText("other.txt", "7 1000\n")), "has 1 site, but none in panel.vcf: contigs 7 against 20");
}

TEST_F(MaskCommandTest, OutputsThatCannotBeWrittenAreNamed) {
  ExpectRefused(
      RunProgram({"mask", "--panel", "panel.vcf", "--samples", "5", "--thin", "4", "--out", folder_ / "no/such/out"}),
      {"no/such/out.ref.vcf.gz"});
}

}  // namespace
}  // namespace haplospin
