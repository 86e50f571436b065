#include "faults/fault_files.h"

#include <filesystem>
#include <regex>
#include <stdexcept>

#include "cli/paths.h"
#include "cli/run_program.h"
#include "core/file_contents.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

constexpr char kRegion[] = "chr20:10000001-10300000";

void Run(const std::vector<std::string>& arguments) {
  const ProgramResult result = RunProgram(arguments);
  if (result.exit_code != 0) throw std::runtime_error(result.err);
}

// Writes a file of kRegion as VCF, with its contig renamed.
void WriteRenamed(const std::string& path, const std::string& contig, const std::string& out) {
  Run({"concat", "--out", out, path});
  WriteFile(out, std::regex_replace(Contents(out), std::regex("chr20"), contig));
}

}  // namespace

FaultInputs::FaultInputs()
    : panel_(folder_ / "panel.bcf"), study_(folder_ / "study.vcf.gz"), truth_(folder_ / "truth.bcf") {
  const std::string data = TestDataFolder() + "/";
  const std::string whole = folder_ / "whole.hsp", region = folder_ / "region.vcf";
  Run({"panel", "build", "--panel", data + "panel.bcf", "--out", whole, "--level", "1"});
  Run({"panel", "view", "--panel", whole, "--region", kRegion, "--out", region});
  // 40 of its samples are the study.
  const std::string prefix = folder_ / "set";
  Run({"mask", "--panel", region, "--samples", "40", "--thin", "100", "--out", prefix, "--output-type", "b"});
  std::filesystem::rename(prefix + ".ref.bcf", panel_);
  std::filesystem::rename(prefix + ".truth.bcf", truth_);
  Run({"concat", "--out", study_, prefix + ".target.bcf"});
}

std::vector<FaultCommand> FaultInputs::Commands(const std::string& folder) const {
  const auto in = [&](const std::string& name) { return folder + "/" + name; };
  return {{"impute", {"impute", "--ref", panel_, "--target", study_, "--out", in("out.vcf.gz"), "--write-index"}},
          {"impute of reads",
           {"impute", "--ref", panel_, "--target", TestDataFolder() + "/reads/AFR0351.bam", "--format", "GP", "--out",
            in("out.vcf.gz")}},
          {"phase", {"phase", "--ref", panel_, "--target", study_, "--rephase", "--out", in("out.vcf")}},
          {"panel build", {"panel", "build", "--panel", panel_, "--out", in("out.hsp")}},
          {"concat", {"concat", "--out", in("out.vcf"), truth_}},
          {"mask", {"mask", "--panel", panel_, "--samples", "20", "--thin", "50", "--out", in("out")}},
          {"check --fix",
           {"check", "--ref", panel_, "--target", study_, "--fix", in("out.vcf"), "--json", in("out.json"), "--html",
            in("out.html")}}};
}

FaultCommand FaultInputs::GenomeCommand(const std::string& folder) const {
  for (const std::string contig : {"chr20", "chr21", "chr22"}) {
    WriteRenamed(panel_, contig, folder_ / ("panel." + contig + ".vcf"));
    WriteRenamed(study_, contig, folder_ / ("study." + contig + ".vcf"));
  }
  return {"impute",
          {"impute", "--ref", folder_ / "panel.{contig}.vcf", "--target", folder_ / "study.{contig}.vcf", "--out",
           folder + "/out.{contig}.vcf.gz", "--write-index"}};
}

// Three windows, with as long flanks as keep each of them from being drawn again together with the panel, which takes a
// hundred times as long.
FaultCommand FaultInputs::ContigCommand(const std::string& folder) const {
  return {"impute of one contig",
          {"impute", "--ref", panel_, "--target", study_, "--rephase", "--window", "0.1", "--overlap", "0.15", "--out",
           folder + "/out.vcf.gz", "--sites-out", folder + "/sites.bcf", "--write-index"}};
}

FaultCommand FaultInputs::PhaseContigCommand(const std::string& folder) const {
  return {"phase of one contig",
          {"phase", "--ref", panel_, "--target", study_, "--rephase", "--window", "0.1", "--overlap", "0.15", "--out",
           folder + "/out.vcf.gz", "--write-index"}};
}

std::map<std::string, std::string> FilesIn(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files[entry.path().filename().string()] = Contents(entry.path().string());
  }
  return files;
}

bool IsTemporary(const std::string& name) {
  return name.find(".tmp-") != std::string::npos || name.find(".partial") != std::string::npos;
}

}  // namespace haplospin
