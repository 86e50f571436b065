#include "faults/fault_files.h"

#include <filesystem>
#include <stdexcept>

#include "cli/paths.h"
#include "cli/run_program.h"
#include "core/file_contents.h"

namespace haplospin {
namespace {

constexpr char kRegion[] = "chr20:10000001-10300000";

void Run(const std::vector<std::string>& arguments) {
  const ProgramResult result = RunProgram(arguments);
  if (result.exit_code != 0) throw std::runtime_error(result.err);
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
          {"phase", {"phase", "--ref", panel_, "--target", study_, "--rephase", "--out", in("out.vcf")}},
          {"panel build", {"panel", "build", "--panel", panel_, "--out", in("out.hsp")}},
          {"concat", {"concat", "--out", in("out.vcf"), truth_}},
          {"mask", {"mask", "--panel", panel_, "--samples", "20", "--thin", "50", "--out", in("out")}},
          {"check --fix",
           {"check", "--ref", panel_, "--target", study_, "--fix", in("out.vcf"), "--json", in("out.json"), "--html",
            in("out.html")}}};
}

std::map<std::string, std::string> FilesIn(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files[entry.path().filename().string()] = Contents(entry.path().string());
  }
  return files;
}

bool IsTemporary(const std::string& name) { return name.find(".tmp-") != std::string::npos; }

}  // namespace haplospin
