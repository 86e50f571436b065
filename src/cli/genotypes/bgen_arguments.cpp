#include "cli/genotypes/bgen_arguments.h"

#include <fmt/format.h>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

BgenCompression CompressionOf(const std::string& name) {
  if (name == "zstd") return BgenCompression::kZstd;
  return name == "none" ? BgenCompression::kNone : BgenCompression::kZlib;
}

}  // namespace

void BgenArguments::Declare(CommandOptions& options) {
  options.Group("BGEN (--out FILE.bgen)");
  options.AddChoice("bgen-bits", &bits_, {"16", "8"}, "bits of a probability");
  options.AddChoice("bgen-compression", &compression_, {"zlib", "zstd", "none"},
                    "compression of the probabilities; zstd makes a BGEN 1.3 file, which some programs cannot read");
  options.AddFlag("bgen-phased", &has_haplotypes_, "write the probabilities of haplotypes instead of genotypes");
}

void BgenArguments::Finish(const CommandOptions& options, ImputeJob& job) const {
  if (ResolveOutputType(job.out, job.output_type) != OutputType::kBgen) {
    for (const char* name : {"bgen-bits", "bgen-compression", "bgen-phased"}) {
      if (!options.IsGiven(name)) continue;
      throw InputError(
          fmt::format("impute: --{} is for BGEN output, which {} is not; end its name with .bgen", name, job.out));
    }
    return;
  }
  for (const char* name : {"sites-only", "format", "empirical-dosages"}) {
    if (!options.IsGiven(name)) continue;
    throw InputError(fmt::format("impute: --{} needs VCF or BCF output; BGEN has nothing but probabilities", name));
  }
  job.fields.bgen = {bits_ == "8" ? 8 : 16, CompressionOf(compression_), has_haplotypes_};
}

}  // namespace haplospin
