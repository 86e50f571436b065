#include "genotypes/variant_io/conversion_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "core/parse_number.h"
#include "genotypes/variant_io/file_kind.h"
#include "genotypes/variant_io/personal_file.h"
#include "genotypes/variant_io/row_reader.h"
#include "genotypes/variant_io/vcf_columns.h"
#include "genotypes/variant_io/zip_file.h"
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
  return head;
}

// What is known of a file by its name and its first bytes.
struct UnknownFile {
  std::string path, stem, head;

  bool Has(std::string_view text) const { return head.find(text) != std::string::npos; }
  std::string_view FirstLine() const { return std::string_view(head).substr(0, head.find_first_of("\r\n")); }
};

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Files that are given in place of those beside them, or that a failed download leaves.
std::string NeighborAdvice(const UnknownFile& file) {
  const auto& [path, stem, head] = file;
  std::error_code error;
  if (EndsWithAny(path, {".vcz", ".zarr"}) && std::filesystem::is_directory(path, error)) {
    return fmt::format("a folder of VCF Zarr; convert it (vcztools view {} | bgzip > {}.vcf.gz)", path, stem);
  }
  if (EndsWithAny(path, {".bim", ".fam"})) {
    return fmt::format("one of the three files of PLINK; give the .bed ({}.bed), beside which are the other two", stem);
  }
  if (EndsWithAny(path, {".tbi", ".csi", ".bai", ".crai", ".bgi"})) {
    return fmt::format("an index; give the file that it is of ({})", stem);
  }
  if (head.starts_with("<!DOCTYPE") || head.starts_with("<html")) {
    return "a web page in place of the file, as a download that failed leaves it; download the file again";
  }
  return "";
}

// Returns what the file is and how it is converted, or "".
std::string CompressedAdvice(const UnknownFile& file) {
  struct Compression {
    std::string_view magic;
    const char *ending, *command;
  };
  constexpr Compression kCompressions[] = {
      {"\x28\xb5\x2f\xfd", ".zst", "zstd -dc"}, {"BZh", ".bz2", "bzip2 -dc"}, {"\xfd\x37zXZ", ".xz", "xz -dc"}};
  for (const auto& [magic, ending, command] : kCompressions) {
    if (!file.head.starts_with(magic) || !file.path.ends_with(ending)) continue;
    return fmt::format("compressed by another program than bgzip; compress it again ({} {} | bgzip > {}.gz)", command,
                       file.path, file.stem);
  }
  if (IsZip(file.path)) {
    ReadZippedFile(file.path, 1);  // which throws if something is wrong with the archive
    return fmt::format("a .zip archive; unpack it and give the file that is in it (unzip {})", file.path);
  }
  if (file.head.starts_with("\xff\xfe") || file.head.starts_with("\xfe\xff")) {
    return fmt::format(
        "text in UTF-16, as some editors save it; write it as UTF-8 (iconv -f UTF-16 -t UTF-8 {} > {}.txt)", file.path,
        file.stem + ".utf8");
  }
  if (file.head.starts_with("version https://git-lfs")) {
    return "a pointer of Git LFS in place of the file; fetch the file (git lfs pull)";
  }
  return "";
}

std::string PlinkAdvice(const UnknownFile& file) {
  const auto& [path, stem, head] = file;
  if (EndsWithAny(path, {".pgen", ".pvar", ".psam"})) {
    return fmt::format("a file of PLINK 2; convert it (plink2 --pfile {} --export vcf bgz vcf-dosage=DS --out {})",
                       stem, stem);
  }
  if (EndsWithAny(path, {".ped", ".map"})) {
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

// The genotypes of one person, whose alleles a panel tells.
std::string PersonalAdvice(const UnknownFile& file) {
  if (!IsPersonalFile(file.path)) return "";
  const std::string service = PersonalService(file.head);
  return fmt::format(
      "the genotypes of one person{}, which check, impute and phase read beside a panel (--ref); for another program, "
      "make VCF of them (haplospin check --ref PANEL --target {} --fix {}.vcf.gz)",
      service.empty() ? "" : " of " + service, file.path, file.stem);
}

std::string LineAt(std::string_view head, size_t number) {
  for (; number > 0; --number) PopItem(head, '\n');
  return std::string(PopItem(head, '\n'));
}

// What animal breeders have: an animal's name, and the number of its second alleles at each marker.
std::string BreederAdvice(const UnknownFile& file) {
  const std::string line = LineAt(file.head, 0);
  const size_t begin = line.find_first_not_of(" \t");
  const size_t name_end = line.find_first_of(" \t", begin);
  const size_t first = line.find_first_not_of(" \t", name_end);
  if (begin == std::string::npos || name_end == std::string::npos || first == std::string::npos) return "";
  const std::string_view genotypes = std::string_view(line).substr(first);
  const auto are_all = [&](std::string_view codes) {
    return genotypes.find_first_not_of(codes) == std::string_view::npos;
  };
  constexpr size_t kFewMarkers = 3, kMoreThanPosition = 11;  // digits, which a position in bp does not have
  const bool is_alpha = are_all("0129 \t\r") && genotypes.size() >= 2 * kFewMarkers - 1 && genotypes[1] == ' ';
  const bool is_blup = are_all("01259\r") && genotypes.size() >= kMoreThanPosition;
  if (!is_alpha && !is_blup) return "";
  const std::string awk = is_alpha ? R"(for (i = 2; i <= NF; ++i) printf p, a[$i])"
                                   : R"(for (i = 1; i <= length($2); ++i) printf p, a[substr($2, i, 1)])";
  return fmt::format(
      "genotypes of {}, a line for each animal without positions and alleles; make {}.ped of it (awk 'BEGIN {{p = \" "
      "%s\"; a[0] = \"A A\"; a[1] = \"A C\"; a[2] = \"C C\"; a[5] = a[9] = \"0 0\"}} {{printf \"0 %s 0 0 0 -9\", $1; "
      "{}; print \"\"}}' {} > {}.ped), write a line of contig, ID, 0 and position for each marker into {}.map, and "
      "convert them (plink --file {} --make-bed --out {}). With a panel, the alleles must be those of the panel",
      is_alpha ? "AlphaImpute or AlphaPeel" : "BLUPF90", file.stem, awk, file.path, file.stem, file.stem, file.stem,
      file.stem);
}

// What programs for few reads, ancient DNA and reduced libraries have.
std::string SequencingAdvice(const UnknownFile& file) {
  const auto& [path, stem, head] = file;
  if (EndsWithAny(path, {".beagle"}) || file.FirstLine().starts_with("marker\tallele1\tallele2")) {
    return "likelihoods of ANGSD in the format of Beagle 3; give the BAM files themselves (--target-list), or let "
           "ANGSD "
           "write BCF (-doBcf 1) and give that with --likelihoods PL";
  }
  if (EndsWithAny(path, {".geno", ".eigenstratgeno"}) || head.starts_with("GENO ") || head.starts_with("TGENO ")) {
    return fmt::format(
        "genotypes of EIGENSOFT; convert them (printf '%s\\n' 'genotypename: {}' 'snpname: {}.snp' 'indivname: {}.ind' "
        "'outputformat: PACKEDPED' 'genotypeoutname: {}.bed' 'snpoutname: {}.bim' 'indivoutname: {}.fam' > {}.par, "
        "then "
        "convertf -p {}.par)",
        path, stem, stem, stem, stem, stem, stem, stem);
  }
  if (EndsWithAny(path, {".loci", ".alleles", ".ustr", ".str", ".usnps", ".snps", ".ugeno", ".hdf5"})) {
    return "a file of ipyrad or Structure, without positions or alleles; give the VCF of the same run (ipyrad: "
           "output_formats v)";
  }
  const std::string second = LineAt(head, 1);
  const auto has_site = [](std::string_view line) {
    const std::vector<std::string_view> columns = SplitAtBlanks(line);
    const auto is_base = [](std::string_view text) {
      return text.size() == 1 && std::string_view("ACGTacgt").find(text[0]) != std::string_view::npos;
    };
    return columns.size() == 4 && ParseNumber<int64_t>(columns[1]) && is_base(columns[2]) && is_base(columns[3]);
  };
  if (has_site(file.FirstLine()) && (second.empty() || has_site(second))) {
    return fmt::format(
        "a list of sites without genotypes, as STITCH and QUILT have it; make VCF of it (awk 'BEGIN {{print "
        "\"##fileformat=VCFv4.2\\n#CHROM\\tPOS\\tID\\tREF\\tALT\\tQUAL\\tFILTER\\tINFO\"}} {{print $1 \"\\t\" $2 "
        "\"\\t.\\t\" $3 \"\\t\" $4 \"\\t.\\t.\\t.\"}}' {} > {}.vcf), and give that with --sites",
        path, stem);
  }
  return "";
}

// Returns whether the first lines have commas, and numbers of alleles after the first of them.
bool HasCounts(std::string_view head) {
  const std::string line = LineAt(head, 1);
  const size_t comma = line.find(',');
  if (comma == std::string::npos) return false;
  const std::string_view values = std::string_view(line).substr(comma + 1);
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
  for (const auto advice : {PersonalAdvice, NeighborAdvice, CompressedAdvice, PlinkAdvice, OxfordAdvice,
                            SequencingAdvice, TableAdvice, BreederAdvice}) {
    if (std::string text = advice(file); !text.empty()) return text;
  }
  return "";
}

// Returns the command that makes VCF of a file that bcftools does not read, or "".
std::string ToVcf(const std::string& path) {
  const std::string stem = FileStem(path);
  if (IsBed(path)) return fmt::format("plink2 --bfile {} --export vcf bgz --out {}", stem, stem);
  if (!IsBgen(path)) return "";
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
  if (IsBed(path)) return fmt::format("plink --bfile {} --make-bed --out {}.sorted", stem, stem);
  if (!IsBgen(path)) return "bcftools sort";
  return fmt::format(
      "plink2 --bgen {} ref-first --sample {}.sample --make-pgen --sort-vars --out {}, then plink2 --pfile {} --export "
      "bgen-1.2 ref-first --out {}.sorted",
      path, stem, stem, stem, stem);
}

void RefuseOtherFormat(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return;  // which is told when it is opened
  UnknownFile file{path, FileStem(path), FirstBytes(path)};
  const bool has_mark = file.head.starts_with(kByteOrderMark);
  if (has_mark) file.head.erase(0, kByteOrderMark.size());
  const bool is_vcf = file.head.starts_with("##fileformat=VCF");
  if (is_vcf && has_mark) {
    throw InputError(
        fmt::format("{}: VCF that begins with a byte order mark, as some editors write it; remove it (tail -c +4 {} > "
                    "{}.nobom.vcf)",
                    path, path, file.stem));
  }
  const std::string advice = is_vcf ? "" : Advice(file);
  if (!advice.empty()) throw InputError(fmt::format("{}: {}", path, advice));
}

}  // namespace haplospin
