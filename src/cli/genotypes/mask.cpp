// haplospin mask: an imputation benchmark from a phased panel.
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "cli/genotypes/common_arguments.h"
#include "cli/options/command_options.h"
#include "cli/options/commands.h"
#include "cli/options/name_list.h"
#include "core/counted.h"
#include "core/log.h"
#include "core/parse_number.h"
#include "genotypes/assessment/mask_panel.h"
#include "haplospin/errors.h"
#include "haplospin/version.h"

namespace haplospin {
namespace {

// The argument is a file with a name per line, or a number.
void ReadSamples(const std::string& argument, MaskOptions& mask) {
  const auto number = ParseNumber<size_t>(argument);
  if (number && !std::filesystem::exists(argument)) {
    if (*number == 0) throw InputError("mask: --samples is '0', but a study needs at least 1 sample");
    mask.num_study_samples = *number;
    return;
  }
  mask.study_samples = ReadNameList(argument, "--samples takes a file of sample names, or a number of samples to draw");
  if (mask.study_samples.empty()) throw InputError(argument + ": empty; expected a sample name per line");
}

void ReadThin(const std::string& argument, MaskOptions& mask) {
  const auto count = ParseNumber<size_t>(argument);
  const auto share = ParseNumber<double>(argument);
  const bool is_share = !count && share && *share > 0 && *share <= 1 && argument.find('.') != std::string::npos;
  if (!is_share && count.value_or(0) == 0) {
    throw InputError(fmt::format(
        "mask: --thin is '{}', but must be a number of markers without a decimal point, or a share with one, up to 1.0",
        argument));
  }
  mask.thin_count = count.value_or(0);
  if (is_share) mask.thin_share = *share;
}

void ChooseOutputs(const std::string& prefix, const std::string& type, MaskOptions& mask) {
  const std::string extension = type == "v" ? ".vcf" : type == "z" ? ".vcf.gz" : ".bcf";
  mask.reference_path = prefix + ".ref" + extension;
  mask.target_path = prefix + ".target" + extension;
  mask.truth_path = prefix + ".truth" + extension;
  mask.type = type == "u" ? OutputType::kBcfUncompressed : OutputType::kByExtension;
}

}  // namespace

int MaskCommand(const Arguments& arguments) {
  MaskOptions mask;
  std::string samples, thin, prefix, type = "z";
  CommandOptions options("mask",
                         "Makes an imputation benchmark from a phased panel: PREFIX.ref.vcf.gz, the reference panel; "
                         "PREFIX.target.vcf.gz, the study samples at the sites of an array; and PREFIX.truth.vcf.gz, "
                         "the study samples at all sites.",
                         "haplospin mask --panel panel.bcf --samples 100 --sites array.txt --out bench");
  options.Group("Input");
  options.Require("panel", "FILE", &mask.panel, "phased panel without missing genotypes (VCF, BCF or a panel file)");
  options.Require(
      "samples", "FILE|N", &samples,
      "samples of the study, which are removed from the reference: a file of names, or the number of random samples");
  PloidyArguments ploidy;
  ploidy.DeclareRegions(options);
  options.Group("Array (one of these)");
  options.Add("sites", "FILE", &mask.sites, "sites of the array, a contig and a position per line");
  options.Add("thin", "N|SHARE", &thin,
              "random array: a number of the panel's markers (1: one marker) or, with a decimal point, a share of them "
              "(1.0: all that vary), drawn in proportion to their heterozygosity in the reference samples");
  options.Group("Errors");
  options.Add("flip-rate", "RATE", &mask.flip_rate, "probability of a wrong allele in the target", {0, 0.5});
  options.AddSeed(&mask.seed);
  options.Group("Output");
  options.Require("out,o", "PREFIX", &prefix, "prefix of the names of the three files");
  options.AddChoice("output-type", &type, {"v", "z", "u", "b"}, "VCF, VCF.gz, uncompressed BCF or BCF");
  if (!options.Parse(arguments)) return 0;
  if (options.IsGiven("sites") == options.IsGiven("thin")) {
    throw InputError("mask: give either --sites or --thin (see haplospin mask --help)");
  }
  ReadSamples(samples, mask);
  if (options.IsGiven("thin")) ReadThin(thin, mask);
  ChooseOutputs(prefix, type, mask);
  mask.regions = ploidy.Regions();
  mask.header_lines = {fmt::format("##source=haplospin {} mask", kVersion)};

  const MaskCounts counts = MaskPanel(mask);
  LogInfo("{}: {}, {}, {}, {} of them typed", prefix, Counted(counts.reference_samples, "reference sample"),
          Counted(counts.study_samples, "study sample"), Counted(counts.markers, "marker"), counts.typed);
  if (counts.left_out > 0) {
    LogInfo("{}: {} left out, because no reference sample has the ALT allele", prefix,
            Counted(counts.left_out, "marker"));
  }
  return 0;
}

}  // namespace haplospin
