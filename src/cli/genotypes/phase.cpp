// haplospin phase: finds the haplotypes of a study.
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/options/command_options.h"
#include "cli/options/output_type.h"
#include "core/log.h"
#include "core/provenance.h"
#include "core/threads.h"
#include "haplospin/version.h"
#include "imputation/imputer.h"
#include "imputation/phasing_model.h"

namespace haplospin {

int PhaseCommand(const Arguments& arguments) {
  ImputeJob job;
  job.only_study_markers = true;
  std::string region, output_type = "auto";
  int64_t seed = 1;
  CommandOptions options(
      "phase",
      "Finds the haplotypes of a study from a phased reference panel. Genotypes that are phased keep "
      "their phase; missing ones are imputed.",
      "haplospin phase --ref panel.bcf --target study.vcf.gz --map chr20.map --out phased.vcf.gz");
  options.Group("Input");
  options.Require("ref,r", "FILE", &job.reference,
                  "phased reference panel without missing genotypes (VCF, BCF or a panel file)");
  options.Require("target,t", "FILE", &job.target, "study (VCF or BCF; '-' is standard input)");
  options.Add("map,m", "FILE", &job.map, "genetic map, PLINK or SHAPEIT format [1 cM per Mb]");
  options.Group("Phasing");
  options.AddFlag("rephase", &job.rephase, "find the phase of all genotypes, also of those that are phased");
  options.AddSeed(&seed);
  options.Group("Output");
  options.Require("out,o", "FILE", &job.out, "phased study ('-' is standard output)");
  AddOutputType(options, &output_type);
  options.AddFlag("write-index", &job.write_index, "index the output");
  options.Group("Windows");
  options.Add("region", "REGION", &region, "phase only CONTIG or CONTIG:FROM-TO");
  options.Add("window", "CM", &job.window_cm, "length of a window in cM", {0.1, 1000});
  options.Add("overlap", "CM", &job.overlap_cm, "overlap of neighboring windows on either side, in cM", {0, 100});
  if (!options.Parse(arguments)) return 0;

  if (!region.empty()) job.region = ParseRegion(region);
  job.output_type = ParseOutputType(output_type);
  job.threads = Threads();
  CheckIndexable("phase", job.write_index, job.out, job.output_type);
  PhasingOptions phasing;
  phasing.seed = static_cast<uint64_t>(seed);
  job.header_lines = {fmt::format("##source=haplospin {}", kVersion),
                      fmt::format("##haplospin_command={}", CommandLineText(arguments))};
  const ImputeCounts counts = ImputeFiles(job, PhasingModel(phasing));
  LogInfo("{}: {} samples, {} markers phased, {} study markers not in the panel", job.out, counts.samples, counts.typed,
          counts.not_in_panel);
  return 0;
}

}  // namespace haplospin
