// haplospin merge: imputed batches of samples as one file.
#include "genotypes/variant_io/joining/merge.h"

#include <fmt/format.h>

#include "cli/options/command_options.h"
#include "cli/options/commands.h"
#include "cli/options/output.h"
#include "core/counted.h"
#include "core/log.h"
#include "core/provenance.h"
#include "genotypes/variant_io/joining/meta_imputation.h"
#include "haplospin/errors.h"
#include "haplospin/version.h"

namespace haplospin {

int MergeCommand(const Arguments& arguments) {
  MergeOptions merge;
  std::string output_type = "auto", multiallelic = "split";
  IndexArguments index;
  bool is_meta = false;
  CommandOptions options("merge",
                         "Merges imputed VCF or BCF files of different samples, such as batches that were imputed from "
                         "the same panel. AF, "
                         "DR2 and ER2 are computed anew from all samples: bcftools merge keeps those of the first "
                         "file. The files need HDS "
                         "(impute --format HDS) or AP1 and AP2, and the same sites. With --meta: combines what several "
                         "panels impute for the same samples (MetaMinimac2's method); each haplotype has weights along "
                         "the chromosome from the leave-one-out probabilities (impute --empirical-dosages), and the "
                         "output the markers of all panels.",
                         "haplospin merge --out all.bcf batch1.bcf batch2.bcf");
  options.Group("Input");
  options.AddArguments("BATCH", &merge.pieces, "imputed VCF or BCF files");
  options.AddFlag("meta", &is_meta, "meta-imputation: the files are of the same samples, imputed from several panels");
  options.Add("empirical", "FILE", &merge.empirical,
              "with --meta: Minimac4's file of --empirical-output, once for each file, in the same order");
  options.Group("Output");
  options.Require("out,o", "FILE", &merge.out, "merged file, VCF, BCF or BGEN; '-': standard output");
  AddOutputType(options, &output_type);
  AddMultiallelic(options, &multiallelic);
  index.Declare(options);
  options.Add("min-r2", "R2", &merge.fields.min_r2, "write only imputed markers of at least this DR2, and typed ones",
              {0, 1});
  if (!options.Parse(arguments)) return 0;
  if (merge.pieces.size() < 2) throw InputError("merge: give two files or more");
  merge.type = ParseOutputType(output_type);
  merge.index = index.Type("merge", merge.out, merge.type);
  merge.header_lines = {fmt::format("##source=haplospin {}", kVersion),
                        fmt::format("##haplospin_merge={} {}", kVersion, CommandLineText(arguments))};
  merge.fields.keeps_records = multiallelic == "keep";
  if (merge.fields.keeps_records && ResolveOutputType(merge.out, merge.type) == OutputType::kBgen) {
    throw InputError("merge: --multiallelic keep is for VCF and BCF; write one of these");
  }
  if (!is_meta && !merge.empirical.empty()) throw InputError("merge: --empirical is for --meta");
  const MergeCounts counts = is_meta ? MetaImpute(merge) : MergeSamples(merge);
  LogInfo("{}: {} of {}, {}, mean DR2 {:.3f} of {} with a MAF of at least 1 %", merge.out,
          Counted(counts.samples, "sample"), Counted(merge.pieces.size(), "file"), Counted(counts.records, "record"),
          counts.mean_dr2.mean, Counted(counts.mean_dr2.markers, "imputed marker"));
  return 0;
}

}  // namespace haplospin
