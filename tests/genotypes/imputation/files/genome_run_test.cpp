#include "genotypes/imputation/files/genome_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "core/temporary_folder.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Runs contigs of 20, 30 and 10 bytes, of which the first that runs has no marker with a DR2. Ends the process, because
// inputs are protected for the rest of it: its exit code is 0 if the outputs are those of the contigs in order.
[[noreturn]] void RunContigs(const TemporaryFolder& folder) {
  ImputeJob job;
  job.panel.path = folder / "panel.{contig}.hsp";
  job.study.path = folder / "study.{contig}.bed";
  job.output.path = folder / "out.{contig}.vcf.gz";
  std::vector<std::string> outputs;
  RunGenome(job, {}, [&](const ImputeJob& contig) {
    outputs.push_back(contig.output.path);
    RunReport report;
    report.markers.imputed = 100 * outputs.size();
    report.markers.typed = 10;
    if (outputs.size() > 1) report.mean_dr2 = {outputs.size(), outputs.size() == 2 ? 0.9 : 0.6};
    return report;
  });
  const std::vector<std::string> expected{folder / "out.2.vcf.gz", folder / "out.1.vcf.gz", folder / "out.3.vcf.gz"};
  std::_Exit(outputs == expected ? 0 : 1);
}

TEST(GenomeRunDeathTest, SumsUpEachContigAndAll) {
  const TemporaryFolder folder;
  for (const std::string contig : {"1", "2", "3"}) {
    const size_t bytes = contig == "1" ? 20 : contig == "2" ? 30 : 10;
    std::ofstream(folder / ("panel." + contig + ".hsp")) << std::string(bytes, 'x');
    std::ofstream(folder / ("study." + contig + ".bed")) << 'x';
  }
  EXPECT_EXIT(
      RunContigs(folder), testing::ExitedWithCode(0),
      AllOf(HasSubstr("haplospin: contig 2: 100 markers imputed, 10 typed, in 0:00\n"),
            HasSubstr("haplospin: contig 1: 200 markers imputed, 10 typed, mean DR2 0.900 of 2 imputed markers with a "
                      "MAF of at least 1 %, in 0:00\n"),
            HasSubstr("haplospin: 3 contigs: 600 markers imputed, 30 typed, mean DR2 0.720 of 5 imputed markers with a "
                      "MAF of at least 1 %, in 0:00\n")));
}

}  // namespace
}  // namespace haplospin
