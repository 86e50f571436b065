#include "genotypes/variant_io/conversion_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string_view>

#include "genotypes/variant_io/bgen_reader.h"
#include "genotypes/variant_io/plink_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kHeadBytes = 2048;

bool EndsWithAny(const std::string& path, std::initializer_list<const char*> endings) {
  return std::ranges::any_of(endings, [&](const char* ending) {
    return path.ends_with(ending) || path.ends_with(std::string(ending) + ".gz");
  });
}

// The name without its last ending and .gz.
std::string FileStem(const std::string& path) {
  const std::string name = path.ends_with(".gz") ? path.substr(0, path.size() - 3) : path;
  const size_t dot = name.rfind('.');
  return dot == std::string::npos || name.find('/', dot) != std::string::npos ? name : name.substr(0, dot);
}

std::string FirstBytes(const std::string& path) {
  std::error_code error;
  std::string head(kHeadBytes, '\0');
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, error)) file.open(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(file.is_open() ? static_cast<size_t>(file.gcount()) : 0);
  if (head.starts_with("\xef\xbb\xbf")) head.erase(0, 3);
  return head;
}

// What is known of a file by its name and its first bytes.
struct UnknownFile {
  std::string path, stem, head;

  bool Has(std::string_view text) const { return head.find(text) != std::string::npos; }
  std::string_view FirstLine() const { return std::string_view(head).substr(0, head.find_first_of("\r\n")); }
};

// Returns what the file is and how it is converted, or "".
std::string CompressedAdvice(const UnknownFile& file) {
  struct Compression {
    std::string_view magic;
    const char *ending, *command;
  };
  constexpr Compression kCompressions[] = {{"\x28\xb5\x2f\xfd", ".zst", "zstd -dc"},
                                           {"BZh", ".bz2", "bzip2 -dc"},
                                           {"\xfd\x37zXZ", ".xz", "xz -dc"},
                                           {"PK\x03\x04", ".zip", "unzip -p"}};
  for (const auto& [magic, ending, command] : kCompressions) {
    if (!file.head.starts_with(magic) || !file.path.ends_with(ending)) continue;
    return fmt::format("compressed by another program than bgzip; compress it again ({} {} | bgzip > {}.gz)", command,
                       file.path, file.stem);
  }
  return "";
}

std::string PlinkAdvice(const UnknownFile& file) {
  const auto& [path, stem, head] = file;
  if (path.ends_with(".pgen")) {
    return fmt::format("a file of PLINK 2; convert it (plink2 --pfile {} --export vcf bgz --out {})", stem, stem);
  }
  if (path.ends_with(".ped")) {
    return fmt::format("a text file of PLINK; convert it (plink --file {} --make-bed --out {})", stem, stem);
  }
  if (path.ends_with(".tped")) {
    return fmt::format("a text file of PLINK; convert it (plink --tfile {} --make-bed --out {})", stem, stem);
  }
  if (file.FirstLine().starts_with("FID") && file.Has("PHENOTYPE")) {
    return fmt::format(
        "PLINK's counts of alleles (--recode A), without positions; give the files that it was made of, or convert "
        "those (plink2 --bfile {} --export vcf bgz --out {})",
        stem, stem);
  }
  return "";
}

std::string OxfordAdvice(const UnknownFile& file) {
  const auto& [path, stem, head] = file;
  if (EndsWithAny(path, {".gen"})) {
    return fmt::format(
        "a file of Oxford's programs; convert it (plink2 --gen {} ref-first --sample {}.sample --export vcf bgz "
        "vcf-dosage=GP --out {}; with --oxford-single-chr CONTIG if the first column is not the contig)",
        path, stem, stem);
  }
  if (EndsWithAny(path, {".hap", ".haps"})) {
    return fmt::format(
        "haplotypes of SHAPEIT or IMPUTE2, which can be a panel but no study; convert it (plink2 --haps {} ref-first "
        "--sample {}.sample --export vcf bgz --out {})",
        path, stem, stem);
  }
  return "";
}

// Reads lines of a SNP, its contig, its position, and one person's alleles.
std::string TsvToVcf(const std::string& stem) {
  return fmt::format("bcftools convert --tsv2vcf {}.tsv -f reference.fa -s NAME -Oz -o {}.vcf.gz", stem, stem);
}

std::string PersonalAdvice(const UnknownFile& file) {
  const auto& [path, stem, head] = file;
  const std::string_view first = file.FirstLine();
  if (file.Has("AncestryDNA") && first.starts_with('#')) {
    return fmt::format(
        "a file of AncestryDNA; convert it (awk '!/^#/ && $1 != \"rsid\" {{gsub(0, \"-\", $4); gsub(0, \"-\", $5); "
        "print $1 \"\\t\" $2 \"\\t\" $3 \"\\t\" $4 $5}}' {} > {}.tsv, then {})",
        path, stem, TsvToVcf(stem));
  }
  const bool has_csv =
      file.Has("RSID,CHROMOSOME,POSITION,RESULT") || file.Has("\"RSID\",\"CHROMOSOME\",\"POSITION\",\"RESULT\"");
  if (has_csv || (file.Has("MyHeritage") && first.starts_with('#'))) {
    return fmt::format(
        "a file of MyHeritage or FamilyTreeDNA; convert it (grep -v -e '^#' -e RSID {} | tr -d '\"' | tr ',' '\\t' > "
        "{}.tsv, then {})",
        path, stem, TsvToVcf(stem));
  }
  if (first.starts_with("# rsid") || (first.starts_with('#') && file.Has("23andMe"))) {
    return fmt::format(
        "a file of 23andMe; convert it (bcftools convert --tsv2vcf {} -f reference.fa -s NAME -Oz -o {}.vcf.gz)", path,
        stem);
  }
  return "";
}

// Returns whether the first lines have commas, and numbers of alleles after the first of them.
bool HasCounts(std::string_view head) {
  const size_t begin = head.find('\n');
  if (begin == std::string_view::npos) return false;
  const std::string_view line = head.substr(begin + 1, head.find('\n', begin + 1) - begin - 1);
  const size_t comma = line.find(',');
  if (comma == std::string_view::npos) return false;
  const std::string_view values = line.substr(comma + 1);
  const auto is_count = [](char c) { return std::string_view("012,.-NA\"\r 9").find(c) != std::string_view::npos; };
  return std::ranges::all_of(values, is_count) && values.find_first_of("012") != std::string_view::npos;
}

std::string TableAdvice(const UnknownFile& file) {
  const auto& [path, stem, head] = file;
  const std::string_view first = file.FirstLine();
  if (first.starts_with("rs#") || first.starts_with("rs\talleles")) {
    return fmt::format(
        "a HapMap file of TASSEL; convert it (run_pipeline.pl -SortGenotypeFilePlugin -inputFile {} -outputFile "
        "{}.sorted.hmp.txt, then run_pipeline.pl -h {}.sorted.hmp.txt -export {} -exportType VCF)",
        path, stem, stem, stem);
  }
  if (first.starts_with("[Header]")) {
    return fmt::format(
        "a FinalReport of GenomeStudio; make {}.lgen of it (awk -F'\\t' '/^\\[Data\\]/ {{d = NR}} d && NR > d + 1 "
        "{{print $2, $2, $1, $3 == \"-\" ? 0 : $3, $4 == \"-\" ? 0 : $4}}' {} > {}.lgen, where the columns are SNP, "
        "sample and two alleles), {}.map of the array's manifest and {}.fam of the samples, and convert them (plink "
        "--lfile {} --make-bed --out {})",
        stem, path, stem, stem, stem, stem, stem);
  }
  if (HasCounts(head)) {
    return fmt::format(
        "a table of numbers of alleles, without positions and alleles; write a line of a marker's ID, two alleles and "
        "the numbers for each marker, {}.map and {}.fam, and convert them (plink2 --import-dosage {}.txt noheader "
        "format=1 --map {}.map --fam {}.fam --export vcf bgz --out {})",
        stem, stem, stem, stem, stem, stem);
  }
  return "";
}

std::string Advice(const UnknownFile& file) {
  if (EndsWithAny(file.path, {".bref", ".bref3"})) {
    return "not Beagle's format of version 3; convert the panel's VCF (java -jar bref3.jar panel.vcf.gz > panel.bref3)";
  }
  for (const auto advice : {CompressedAdvice, PlinkAdvice, OxfordAdvice, PersonalAdvice, TableAdvice}) {
    if (std::string text = advice(file); !text.empty()) return text;
  }
  return "";
}

// Returns the command that makes VCF of a file that bcftools does not read, or "".
std::string ToVcf(const std::string& path) {
  const std::string stem = FileStem(path);
  if (PlinkFile::IsBed(path)) return fmt::format("plink2 --bfile {} --export vcf bgz --out {}", stem, stem);
  if (!BgenReader::IsBgen(path)) return "";
  return fmt::format("plink2 --bgen {} ref-first --sample {}.sample --export vcf bgz vcf-dosage=GP --out {}", path,
                     stem, stem);
}

}  // namespace

std::string WithBcftools(const std::string& path, const std::string& command) {
  const std::string to_vcf = ToVcf(path);
  return (to_vcf.empty() ? "" : to_vcf + ", then ") + "bcftools " + command;
}

std::string SortingCommand(const std::string& path) {
  const std::string stem = FileStem(path);
  if (PlinkFile::IsBed(path)) return fmt::format("plink --bfile {} --make-bed --out {}.sorted", stem, stem);
  if (!BgenReader::IsBgen(path)) return "bcftools sort";
  return fmt::format(
      "plink2 --bgen {} ref-first --sample {}.sample --make-pgen --sort-vars --out {}, then plink2 --pfile {} --export "
      "bgen-1.2 --out {}.sorted",
      path, stem, stem, stem, stem);
}

void RefuseOtherFormat(const std::string& path) {
  const UnknownFile file{path, FileStem(path), FirstBytes(path)};
  const std::string advice = file.head.starts_with("##fileformat") ? "" : Advice(file);
  if (!advice.empty()) throw InputError(fmt::format("{}: {}", path, advice));
}

}  // namespace haplospin
