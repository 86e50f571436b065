// haplospin phase: finds the haplotypes of a study.
#include "cli/genotypes/common_arguments.h"
#include "cli/options/commands.h"
#include "genotypes/imputation/files/impute_files.h"

namespace haplospin {

int PhaseCommand(const Arguments& arguments) {
  ImputeJob job;
  JobArguments common(job);
  CommandOptions options(
      "phase",
      "Finds the haplotypes of a study from a phased reference panel or, without one, from the study itself. Genotypes "
      "that are phased keep their phase, within phase sets (PS) where they have these; missing ones are imputed.",
      "haplospin phase --ref panel.bcf --target study.vcf.gz --map chr20.map --out phased.vcf.gz");
  common.DeclareInput(options, "the study is phased from itself");
  common.DeclareReads(options);
  common.DeclarePhasing(options);
  common.DeclareOutput(options, "phased study");
  common.DeclareChecks(options);
  common.DeclareWindows(options,
                        "phase only CONTIG or CONTIG:FROM-TO; regions that overlap are joined by concat --ligate");
  if (!options.Parse(arguments)) return 0;

  common.Finish(options, "phase");
  job.output.header_lines = common.HeaderLines(arguments);
  common.Run(PhaseFiles);
  return 0;
}

}  // namespace haplospin
