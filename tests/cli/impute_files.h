// Small files for the tests of `haplospin impute`, and its output for them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/run_program.h"
#include "core/temporary_folder.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {

// The lines of a VCF file.
struct VcfLines {
  explicit VcfLines(const std::string& text);

  std::vector<std::string> header;                // "##..."
  std::vector<std::string> columns;               // of #CHROM
  std::vector<std::vector<std::string>> records;  // columns of each

  const std::vector<std::string>& At(const std::string& position) const;  // the first record there
};

inline constexpr size_t kPos = 1, kRef = 3, kAlt = 4, kInfo = 7, kFormat = 8, kFirstSample = 9;

// The part of a genotype column that FORMAT calls `key`, or "".
std::string Field(const std::vector<std::string>& record, size_t sample, const std::string& key);

// The number of a key of INFO, NAN without it.
double InfoNumber(const std::string& info, const std::string& key);

// The text of a file whose genotypes are change(sample, position, genotype). Records for which that is "" in their
// first sample are left out.
std::string WithGenotypes(
    const VcfText& vcf,
    const std::function<std::string(size_t sample, int64_t position, const std::string& genotype)>& change);

// A panel of 20 samples over 2.4 cM of contig 20, 3 study samples and weights.
class ImputeFiles : public testing::Test {
 protected:
  ImputeFiles();

  // Runs `haplospin impute` on them with further options, which replace those of the same name.
  ProgramResult Impute(const std::vector<std::string>& options = {}, const std::string& input = "") const;

  // Runs it and expects success; the VCF text of the output.
  std::string ImputedText(const std::vector<std::string>& options = {}, const std::string& input = "") const;

  // Expects exit code 2, one line that contains all of `parts`, and no output.
  void ExpectUserError(const std::vector<std::string>& options, const std::vector<std::string>& parts) const;

  // Writes VCF text into the folder of input; its path.
  std::string Write(const std::string& name, const std::string& text) const;

  VcfText PanelVcf(const std::string& contig = "20") const;
  VcfText StudyVcf(const std::string& contig = "20") const;

  const TemporaryFolder in_, out_;
  Mosaic mosaic_;
  const SampleTable reference_, study_;
  std::vector<uint32_t> typed_;
  const std::string panel_path_, study_path_, weights_path_, imputed_path_;
};

}  // namespace haplospin
