// haplospin concat: joins separately imputed regions of a chromosome.
#include "genotypes/variant_io/joining/concat.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/genotypes/common_arguments.h"
#include "cli/options/command_options.h"
#include "cli/options/commands.h"
#include "cli/options/name_list.h"
#include "cli/options/output.h"
#include "core/counted.h"
#include "core/log.h"
#include "core/output_file.h"
#include "core/provenance.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/variant_io/variant_file.h"
#include "haplospin/errors.h"
#include "haplospin/version.h"

namespace haplospin {
namespace {

// The files given as arguments, or those of the list.
std::vector<std::string> ListPieces(std::vector<std::string> arguments, const std::string& list) {
  if (list.empty() && arguments.empty()) {
    throw InputError("concat: PIECE is missing; give files, or a list of them with --file-list");
  }
  if (list.empty()) return arguments;
  if (!arguments.empty()) {
    throw InputError(fmt::format("concat: {} is given beside --file-list; give the one or the other", arguments[0]));
  }
  std::vector<std::string> pieces = ReadNameList(list, "expected a file with the path of a VCF or BCF file per line");
  if (pieces.empty()) throw InputError(list + ": empty; expected the path of a VCF or BCF file per line");
  for (const std::string& piece : pieces) ProtectFile(piece);
  return pieces;
}

// The --region of impute or phase that the file is of, or nothing if its header does not say so.
std::optional<Region> ReadRegion(const std::string& path) {
  const VariantFile file(path, SitesOnly::kAccept);
  const std::string region = file.header().Value(kRegionKey);
  if (region.empty() || !file.header().Value("haplospin_concat").empty()) return std::nullopt;
  try {
    return MeantRegion(ParseRegion(region), NamesOfContigs(file.header().contigs));
  } catch (const InputError&) {  // the header line is not haplospin's
    return std::nullopt;
  }
}

// A region may be missing because its job failed.
void WarnOfGaps(const std::vector<std::string>& pieces) {
  std::optional<Region> before;
  for (size_t p = 0; p < pieces.size(); ++p) {
    std::optional<Region> region = ReadRegion(pieces[p]);
    if (before && region && SameContig(before->contig, region->contig) && before->end < region->begin - 1) {
      LogWarning("{}:{}-{} is missing: {} is of the region up to {}, and {} of that from {} on", region->contig,
                 before->end + 1, region->begin - 1, pieces[p - 1], before->end, pieces[p], region->begin);
    }
    before = std::move(region);
  }
}

}  // namespace

int ConcatCommand(const Arguments& arguments) {
  ConcatOptions concat;
  std::string file_list, output_type = "auto", multiallelic = "keep";
  IndexArguments index;
  CommandOptions options(
      "concat",
      "Joins VCF or BCF files, such as those of impute --region, in the given order. They must have the same samples, "
      "be sorted and not overlap, which is checked before anything is written. Compressed blocks are copied unchanged "
      "if the headers and the formats match. With --ligate, the files overlap, and the haplotypes of each are aligned "
      "to those of the one before, as by bcftools concat --ligate.",
      "haplospin concat --out chr20.vcf.gz --write-index chr20.1.vcf.gz chr20.2.vcf.gz");
  options.Group("Input");
  options.AddArguments("PIECE", &concat.pieces, "VCF or BCF files, in their order");
  options.Add("file-list,f", "FILE", &file_list, "the files, a path per line, instead of PIECE");
  options.AddFlag(
      "ligate", &concat.ligate,
      "align the haplotypes of each file to those of the one before, by the heterozygotes of their overlap");
  options.Group("Output");
  options.Require("out,o", "FILE", &concat.out, "joined file; '-': standard output");
  AddOutputType(options, &output_type);
  options.AddChoice("multiallelic", &multiallelic, {"keep"},
                    "records with several ALT alleles stay as they are (bcftools norm -m- splits them)");
  index.Declare(options);
  if (!options.Parse(arguments)) return 0;
  concat.pieces = ListPieces(std::move(concat.pieces), file_list);
  concat.type = ParseOutputType(output_type);
  concat.index = index.Type("concat", concat.out, concat.type);
  concat.header_lines = {fmt::format("##haplospin_concat={} {}", kVersion, CommandLineText(arguments))};
  const ConcatCounts counts = Concat(concat);
  WarnOfGaps(concat.pieces);
  const std::string read =
      counts.records == counts.records_read
          ? ""
          : fmt::format(" ({} read; what several files have is written once)", counts.records_read);
  LogInfo("{}: {} of {}{}, {} of them copied without decoding", concat.out, Counted(counts.records, "record"),
          Counted(concat.pieces.size(), "file"), read, counts.pieces_copied);
  return 0;
}

}  // namespace haplospin
