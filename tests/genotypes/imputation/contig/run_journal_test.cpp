// Runs that end within a contig, and others that go on after them.
#include "genotypes/imputation/contig/run_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "core/output_file.h"
#include "core/temporary_folder.h"
#include "genotypes/imputation/backends/cpu_backend.h"
#include "genotypes/imputation/files/impute_files.h"
#include "genotypes/imputation/models/network/network_fixtures.h"
#include "genotypes/imputation/mosaic_files.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "genotypes/variant_io/variant_files.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

// Ends a run when it has imputed some windows.
class EndingBackend : public Backend {
 public:
  EndingBackend(Backend& backend, size_t windows) : backend_(backend), left_(windows) {}

  std::unique_ptr<BackendWindow> Start(const WindowTask& task) override {
    if (left_ == 0) throw InputError("ended");
    --left_;
    return backend_.Start(task);
  }

  size_t left() const { return left_; }

 private:
  Backend& backend_;
  size_t left_;
};

// While it exists, no file can become larger.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(size_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

// Two contigs of 6 and 2 cM, imputed in windows of 2 cM. Half of the 20 people are not phased, some of the others are
// in phase sets; genotypes are missing, and every seventh marker of the study is not in the panel.
class RunJournalTest : public testing::Test {
 protected:
  RunJournalTest() {
    WriteVariants(folder_ / "panel.vcf.gz", Panel(), FileForm::kBgzip);
    WriteFile(folder_ / "study.vcf", Study());
    job_.panel.path = folder_ / "panel.vcf.gz";
    job_.study.path = folder_ / "study.vcf";
    job_.windows.core = 2;
    job_.windows.flank = 1;
    job_.output.fields.sites_path = folder_ / "sites.vcf.gz";
    job_.output.resumes = "inputs";
    SetOutput("out.vcf.gz");
  }

  void SetOutput(const std::string& name) { job_.output.path = folder_ / name; }

  VcfText Panel() const {
    VcfText vcf(reference_.names, {"20", "21"});
    for (size_t contig = 0; contig < 2; ++contig) {
      AddMosaic(mosaics_[contig], reference_, 0, AllMarkers(mosaics_[contig]), contig == 0 ? "20" : "21", vcf);
    }
    return vcf;
  }

  std::string Study() const {
    VcfText vcf(study_.names, {"20", "21"});
    for (size_t contig = 0; contig < 2; ++contig) {
      Mosaic mosaic = mosaics_[contig];
      std::vector<uint32_t> typed;
      for (uint32_t m = 0; m < mosaic.markers.size(); m += 3) {
        typed.push_back(m);
        if (m % 7 == 0) ++mosaic.markers[m].position;
      }
      AddMosaic(mosaic, study_, reference_.num_haplotypes(), typed, contig == 0 ? "20" : "21", vcf);
    }
    return WithPhase(vcf.text());
  }

  // Adds PS, and makes genotypes unphased or missing.
  static std::string WithPhase(std::string text) {
    std::string changed = text.substr(0, text.find("#CHROM"));
    changed += "##FORMAT=<ID=PS,Number=1,Type=Integer,Description=\"\">\n";
    std::istringstream lines(text.substr(text.find("#CHROM")));
    size_t number = 0;
    for (std::string line; std::getline(lines, line); ++number) {
      std::istringstream columns(line);
      std::string column, joined;
      for (size_t c = 0; std::getline(columns, column, '\t'); ++c) {
        if (number > 0 && c == 8) column += ":PS";
        if (number > 0 && c > 8) column = Genotype(column, number, c);
        joined += (c == 0 ? "" : "\t") + column;
      }
      changed += joined + '\n';
    }
    return changed;
  }

  static std::string Genotype(std::string genotype, size_t record, size_t column) {
    if ((record + column) % 11 == 0) return "./.:.";
    if (column % 2 == 0) std::ranges::replace(genotype, '|', '/');
    return genotype + (column % 4 == 1 ? ":" + std::to_string(1 + record / 5) : ":.");
  }

  // Returns the windows that were imputed; a run that ends early has imputed `windows`.
  size_t Run(size_t windows = SIZE_MAX) const {
    testing::internal::CaptureStderr();
    const std::unique_ptr<Backend> backend = MakeCpuBackend(LiStephensWeights());
    EndingBackend ending(*backend, windows);
    size_t imputed = windows;
    try {
      report_ = ImputeFiles(job_, {.backend = &ending});
      imputed = windows - ending.left();
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), "ended");
      EXPECT_FALSE(std::filesystem::exists(job_.output.path));
    }
    testing::internal::GetCapturedStderr();
    return imputed;
  }

  // Phases the study. Returns the error, if there is one.
  std::string Phase() {
    testing::internal::CaptureStderr();
    std::string message;
    std::filesystem::remove(job_.output.path);
    try {
      report_ = PhaseFiles(job_);
    } catch (const InputError& error) {
      message = error.what();
    }
    log_ = testing::internal::GetCapturedStderr();
    return message;
  }

  std::vector<std::string> TakeOutputs() const {
    std::vector<std::string> outputs;
    for (const std::string& path : {job_.output.path, job_.output.fields.sites_path}) {
      outputs.push_back(ReadFile(path));
      std::filesystem::remove(path);
      EXPECT_FALSE(std::filesystem::exists(PartialPath(path)));
    }
    EXPECT_FALSE(std::filesystem::exists(Journal()));
    return outputs;
  }

  std::string Journal() const { return PartialPath(job_.output.path) + ".journal"; }

  const TemporaryFolder folder_;
  const SampleTable reference_ = DiploidSamples("R", 30), study_ = DiploidSamples("S", 20);
  const std::vector<Mosaic> mosaics_{
      SimulateMosaic({.haplotypes = 100, .markers = 300, .spacing_bp = 20000, .switches_per_cm = 0.5}),
      SimulateMosaic({.haplotypes = 100, .markers = 110, .spacing_bp = 20000, .switches_per_cm = 0.5, .seed = 2})};
  ImputeJob job_;
  mutable RunReport report_;
  std::string log_;
};

TEST_F(RunJournalTest, GoesOnAfterEachWindow) {
  for (const std::string name : {"out.vcf.gz", "out.bcf"}) {
    SetOutput(name);
    const size_t windows = Run();
    ASSERT_GE(windows, 4u);
    const RunReport expected_report = report_;
    const std::vector<std::string> expected = TakeOutputs();
    for (size_t end = 0; end < windows; ++end) {
      EXPECT_EQ(Run(end), end);
      EXPECT_EQ(Run(), windows - end) << "imputes only what is left";
      ASSERT_EQ(TakeOutputs(), expected) << name << " ended after " << end;
      EXPECT_EQ(report_.markers.imputed, expected_report.markers.imputed);
      EXPECT_EQ(report_.markers.completed, expected_report.markers.completed);
      EXPECT_EQ(report_.mean_dr2.mean, expected_report.mean_dr2.mean);
      EXPECT_EQ(report_.windows.fit.typed, expected_report.windows.fit.typed);
      EXPECT_EQ(report_.typed_sites, expected_report.typed_sites);
    }
  }
}

TEST_F(RunJournalTest, GoesOnManyTimes) {
  const size_t windows = Run();
  const std::vector<std::string> expected = TakeOutputs();
  for (size_t end = 0; end + 1 < windows; ++end) EXPECT_EQ(Run(1), 1u);
  EXPECT_EQ(Run(), 1u) << "the last window";
  EXPECT_EQ(TakeOutputs(), expected);
}

// A phased study, with panel and without. The first run ends where the output, without compression much larger than the
// journal, would become too large.
TEST_F(RunJournalTest, PhaseGoesOn) {
  job_.output.fields.sites_path.clear();
  SetOutput("phased.vcf");
  for (const std::string& panel : {job_.panel.path, std::string()}) {
    job_.panel.path = panel;
    ASSERT_EQ(Phase(), "");
    const std::string expected = ReadFile(job_.output.path);
    const size_t completed = report_.markers.completed;
    for (const double share : {0.6, 0.95}) {
      {
        const FileSizeLimit limit(static_cast<size_t>(share * static_cast<double>(expected.size())));
        EXPECT_THAT(Phase(), HasSubstr("cannot write"));
      }
      ASSERT_EQ(Phase(), "");
      EXPECT_EQ(log_.find("going on after 20:") != std::string::npos, share < 0.9) << "later, contig 20 was complete";
      ASSERT_TRUE(ReadFile(job_.output.path) == expected) << share << " without panel: " << panel.empty();
      EXPECT_EQ(report_.markers.completed, completed);
      EXPECT_FALSE(std::filesystem::exists(Journal()));
    }
  }
}

// What is cut or damaged is made again, and so is all of a run of other inputs.
TEST_F(RunJournalTest, UsesOnlyWhatIsWhole) {
  const size_t windows = Run();
  const std::vector<std::string> expected = TakeOutputs();
  const auto expect = [&](size_t left, const std::string& what, const auto& change) {
    Run(2);
    change();
    EXPECT_EQ(Run(), left) << what;
    EXPECT_EQ(TakeOutputs(), expected) << what;
  };
  const auto cut = [](const std::string& path, size_t bytes) {
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - bytes);
  };
  const std::string partial = PartialPath(job_.output.path);
  expect(windows - 2, "nothing", [] {});
  expect(windows - 2, "bytes after the last window", [&] { std::ofstream(partial, std::ios::app) << "more"; });
  expect(windows - 1, "a byte of the journal", [&] { cut(Journal(), 1); });
  expect(windows - 1, "a byte of the output", [&] { cut(partial, 1); });
  expect(windows - 1, "a byte of the sites", [&] { cut(PartialPath(job_.output.fields.sites_path), 1); });
  expect(windows, "no output", [&] { std::filesystem::remove(partial); });
  expect(windows, "an empty journal", [&] { std::filesystem::resize_file(Journal(), 0); });
  expect(windows - 1, "a changed byte", [&] {
    std::fstream journal(Journal(), std::ios::in | std::ios::out | std::ios::binary);
    journal.seekp(-1, std::ios::end);
    journal.put('\x55');
  });
  Run(2);
  job_.output.resumes = "other inputs";
  EXPECT_EQ(Run(), windows);
}

TEST_F(RunJournalTest, OneProcessAtATime) {
  const RunJournal journal(job_.output);
  try {
    const RunJournal other(job_.output);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("out.vcf.gz: another process goes on with it"));
  }
}

TEST_F(RunJournalTest, EntriesAreOfTheirWindows) {
  {
    RunJournal journal(job_.output);
    EXPECT_FALSE(journal.IsReplaying());
    journal.Append({.last = 1000, .compressed_bytes = 0.5, .orders = "abc"});
    journal.Append({.last = 2000});
    EXPECT_FALSE(journal.IsReplaying());
  }
  WriteFile(PartialPath(job_.output.path), "");
  RunJournal journal(job_.output);
  ASSERT_TRUE(journal.IsReplaying());
  const JournalEntry entry = journal.Take(1000);
  EXPECT_EQ(entry.orders, "abc");
  EXPECT_EQ(entry.compressed_bytes, 0.5);
  EXPECT_THROW(journal.Take(3000), InputError);
}

}  // namespace
}  // namespace haplospin
