#include "genotypes/imputation/files/contig_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ContigJobsTest : public testing::Test {
 protected:
  void WriteBytes(const std::string& name, size_t bytes) const {
    std::ofstream(folder_ / name) << std::string(bytes, 'x');
  }

  ImputeJob Job(const std::string& target) const {
    ImputeJob job;
    job.panel.path = folder_ / "panel.chr{contig}.hsp";
    job.study.path = folder_ / target;
    job.output.path = folder_ / "out.{contig}.bcf";
    return job;
  }

  static std::vector<std::string> Contigs(const ImputeJob& job) {
    std::vector<std::string> contigs;
    for (const ContigJob& made : MakeContigJobs(job)) contigs.push_back(made.contig);
    return contigs;
  }

  const TemporaryFolder folder_;
};

TEST_F(ContigJobsTest, TheLargestPanelIsFirst) {
  WriteBytes("panel.chr1.hsp", 30);
  WriteBytes("panel.chr2.hsp", 50);
  WriteBytes("panel.chr21.hsp", 5);
  WriteBytes("panel.chrX.hsp", 40);
  WriteBytes("panel.chr.hsp", 99);  // of no contig
  for (const char* contig : {"1", "2", "21", "X", "22"}) WriteBytes(std::string("study.") + contig + ".bed", 1);
  const ImputeJob job = Job("study.{contig}.bed");
  EXPECT_TRUE(IsByContig(job));
  EXPECT_THAT(Contigs(job), ElementsAre("2", "X", "1", "21"));
  const ContigJob second = MakeContigJobs(job)[1];
  EXPECT_EQ(second.job.panel.path, folder_ / "panel.chrX.hsp");
  EXPECT_EQ(second.job.study.path, folder_ / "study.X.bed");
  EXPECT_EQ(second.job.output.path, folder_ / "out.X.bcf");
  EXPECT_FALSE(second.job.windows.region);
}

// The names of the study are those of the output; the panel's may lack "chr".
TEST_F(ContigJobsTest, AStudyInOneFileIsReadByContig) {
  WriteBytes("panel.chr20.hsp", 1);
  WriteBytes("panel.chr7.hsp", 2);
  VcfText vcf({"A"}, {"chr20", "chr7", "chr8"});
  vcf.Add("chr20", 5, "A", "C", "0|1").Add("chr7", 5, "A", "C", "0|1").Add("chr8", 5, "A", "C", "0|1");
  WriteVariants(folder_ / "study.vcf", vcf, FileForm::kVcf);
  ImputeJob job = Job("study.vcf");
  EXPECT_THAT(Contigs(job), ElementsAre("chr7", "chr20"));
  const ContigJob first = MakeContigJobs(job)[0];
  EXPECT_EQ(first.job.windows.region->contig, "chr7");
  EXPECT_EQ(first.job.panel.path, folder_ / "panel.chr7.hsp");
  EXPECT_EQ(first.job.output.path, folder_ / "out.chr7.bcf");
  job.panel.map = folder_ / "map.{contig}.txt";
  WriteBytes("map.20.txt", 1);
  EXPECT_THAT(ErrorOf([&] { MakeContigJobs(job); }), HasSubstr("has no file of contig chr7; add it"));
}

// Where panel and study are one file each, the header of the study has the lengths.
TEST_F(ContigJobsTest, TheLongestContigIsFirst) {
  std::string vcf = VcfText({"A"}, {"1", "2"}).Add("1", 5, "A", "C", "0|1").Add("2", 5, "A", "C", "0|1").text();
  vcf.replace(vcf.find("length=1000000>", vcf.find("ID=2")), 15, "length=2000000>");
  WriteFile(folder_ / "study.vcf", vcf);
  ImputeJob job = Job("study.vcf");
  job.panel.path = folder_ / "panel.hsp";
  EXPECT_THAT(Contigs(job), ElementsAre("2", "1"));
  EXPECT_EQ(MakeContigJobs(job)[0].expected, 2e6);
}

// Contigs are ordered by number; one file may have several, of which each takes its share of the time.
TEST_F(ContigJobsTest, SeveralFiles) {
  VcfText two({"A"}, {"chr10", "chr2"}), one({"A"}, {"chrX"});
  two.Add("chr2", 5, "A", "C", "0|1").Add("chr10", 5, "A", "C", "0|1");
  one.Add("chrX", 5, "A", "C", "0|1");
  for (const std::string name : {"study", "panel"}) {
    WriteVariants(folder_ / (name + ".2.vcf"), two, FileForm::kVcf);
    WriteVariants(folder_ / (name + ".1.vcf"), one, FileForm::kVcf);
  }
  ImputeJob job = Job("unused");
  job.genome.panels = {folder_ / "panel.2.vcf", folder_ / "panel.1.vcf"};
  job.genome.studies = {folder_ / "study.1.vcf", folder_ / "study.2.vcf"};
  EXPECT_TRUE(IsByContig(job));
  const std::vector<ContigJob> jobs = MakeContigJobs(job);
  EXPECT_THAT(Contigs(job), ElementsAre("chrX", "chr2", "chr10"));
  EXPECT_EQ(jobs[0].place, 2u);
  EXPECT_EQ(jobs[0].job.study.path, folder_ / "study.1.vcf");
  EXPECT_FALSE(jobs[0].job.windows.region);
  EXPECT_EQ(jobs[2].job.panel.path, folder_ / "panel.2.vcf");
  EXPECT_EQ(jobs[2].job.windows.region->contig, "chr10");
  EXPECT_TRUE(jobs[2].job.genome.panels.empty());
}

TEST_F(ContigJobsTest, OneFileIsNoGenome) {
  ImputeJob job;
  job.panel.path = "p.hsp";
  job.study.path = job.output.path = "s.vcf";
  EXPECT_FALSE(IsByContig(job));
}

}  // namespace
}  // namespace haplospin
