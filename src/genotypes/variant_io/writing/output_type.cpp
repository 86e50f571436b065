#include "genotypes/variant_io/writing/output_type.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <unordered_set>

#include "haplospin/errors.h"

namespace haplospin {

OutputType ParseOutputType(std::string_view letter) {
  if (letter == "v") return OutputType::kVcf;
  if (letter == "z") return OutputType::kVcfGz;
  if (letter == "u") return OutputType::kBcfUncompressed;
  if (letter == "b") return OutputType::kBcf;
  return OutputType::kByExtension;
}

namespace {

bool IsStream(const std::string& path) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  return path == "-" || (kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::regular);
}

}  // namespace

OutputType ResolveOutputType(const std::string& path, OutputType type) {
  if (type != OutputType::kByExtension) return type;
  if (path.ends_with(".bcf")) return OutputType::kBcf;
  if (path.ends_with(".vcf.gz") || path.ends_with(".vcf.bgz")) return OutputType::kVcfGz;
  if (path.ends_with(".bgen")) {
    if (IsStream(path))
      throw InputError(path + ": BGEN can only be written to a file; give another name, or write VCF");
    return OutputType::kBgen;
  }
  if (path.ends_with(".vcf") || IsStream(path)) return OutputType::kVcf;
  throw InputError(
      path +
      ": the name does not say which format to write; end it with .vcf, .vcf.gz, .bcf or, of impute, .bgen, or give "
      "--output-type");
}

OutputType ResolveGenotypeType(const std::string& path, OutputType type) {
  const OutputType resolved = ResolveOutputType(path, type);
  if (resolved != OutputType::kBgen) return resolved;
  throw InputError(path + ": only 'haplospin impute' writes BGEN; end the name with .vcf, .vcf.gz or .bcf");
}

bool IsBcf(OutputType resolved) { return resolved == OutputType::kBcf || resolved == OutputType::kBcfUncompressed; }

bool IsCompressed(OutputType resolved) { return resolved == OutputType::kVcfGz || resolved == OutputType::kBcf; }

bool CanBeIndexed(const std::string& path, OutputType type) {
  const OutputType resolved = ResolveOutputType(path, type);
  return path != "-" && (IsCompressed(resolved) || resolved == OutputType::kBgen);
}

IndexType IndexIfPossible(const std::string& path, OutputType type, IndexType index) {
  return CanBeIndexed(path, type) ? index : IndexType::kNone;
}

void VariantHeader::AddContigs(const ContigTable& further) {
  std::unordered_set<std::string> names;
  for (const auto& [name, length] : contigs) names.insert(name);
  for (const auto& contig : further) {
    if (names.insert(contig.first).second) contigs.push_back(contig);
  }
}

std::string VariantHeader::Text(std::string_view fields, const std::vector<std::string>& samples) const {
  std::string text = "##fileformat=VCFv4.2\n##FILTER=<ID=PASS,Description=\"All filters passed\">\n";
  for (const std::string& line : lines) text += line + '\n';
  for (const auto& [name, length] : contigs) {
    text += length > 0 ? fmt::format("##contig=<ID={},length={}>\n", name, length)
                       : fmt::format("##contig=<ID={}>\n", name);
  }
  text += fields;
  for (const std::string& line : described.lines()) text += line + '\n';
  text += "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO";
  if (!samples.empty()) text += "\tFORMAT";
  for (const std::string& name : samples) text += '\t' + name;
  return text + '\n';
}

}  // namespace haplospin
