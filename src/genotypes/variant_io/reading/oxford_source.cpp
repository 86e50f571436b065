// Haplotypes of Oxford's programs: .hap with .legend and .sample (IMPUTE2, bcftools convert --haplegendsample), or,
// where no .legend is beside, .hap or .haps whose lines begin with what it would have (SHAPEIT2, bcftools convert
// --hapsample).
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/bits.h"
#include "genotypes/variant_io/oxford_samples.h"
#include "genotypes/variant_io/reading/panel_source.h"
#include "genotypes/variant_io/row_reader.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kLinesAtATime = 256;
constexpr size_t kHapsColumns = 5;  // contig, ID, position and two alleles

// The first column of IMPUTE2's .haps, where that knows no contig.
constexpr std::string_view kNoContig = "---";

class OxfordSource : public PanelSource {
 public:
  OxfordSource(const std::string& path, RecordKind kind) : PanelSource(path, kind), haplotypes_(path) {
    if (const std::string legend = FileBeside(path, {".legend", ".legend.gz"}); !legend.empty()) OpenLegend(legend);
    const std::string samples = OxfordSamplesBeside(path);
    if (samples.empty()) throw InputError(path + ": the file of its samples, .sample, is missing; put it beside");
    SetSamples(ReadOxfordSamples(samples));
  }

  size_t Read() override {
    size_t count = 0;
    while (count < kLinesAtATime) {
      std::vector<std::string_view> row = haplotypes_.NextRow();
      if (row.empty()) {
        CheckLegendEnded();
        return count;
      }
      ParsedRecord& record = Fresh(count++);
      if (legend_) {
        ReadLegend(record);
      } else {
        if (row.size() < kHapsColumns) haplotypes_.Fail("expected contig, ID, position, two alleles and haplotypes");
        const int64_t position = haplotypes_.PositionOrFail(row[2]);
        const bool has_contig = row[0] != kNoContig;
        if (!has_contig && contig_.empty()) contig_ = FindContig(row[1], row[2], haplotypes_);
        SetPlace(has_contig ? row[0] : contig_, position, record);
        SetAlleles(row[1], row[3], row[4], record);
        row.erase(row.begin(), row.begin() + kHapsColumns);
      }
      if (reads_haplotypes()) ReadHaplotypes(row, record);
    }
    return count;
  }

 private:
  // Column names of IMPUTE2; further columns may follow.
  void OpenLegend(const std::string& path) {
    legend_path_ = path;
    legend_ = std::make_unique<RowReader>(path);
    const std::vector<std::string_view> names = legend_->NextRow();
    const char* const expected[] = {"id", "position", "a0", "a1"};
    for (size_t i = 0; i < std::size(expected); ++i) {
      if (i < names.size() && names[i] == expected[i]) continue;
      legend_->Fail("expected the columns id, position, a0 and a1");
    }
  }

  void ReadLegend(ParsedRecord& record) {
    const std::vector<std::string_view> row = legend_->NextRow();
    if (row.size() < 4) legend_->Fail(fmt::format("ends, or lacks a column, before the last line of {}", header_.path));
    const int64_t position = legend_->PositionOrFail(row[1]);
    if (contig_.empty()) contig_ = FindContig(row[0], row[1], *legend_);
    SetPlace(contig_, position, record);
    SetAlleles(row[0], row[2], row[3], record);
  }

  // A legend has no column for the contig, and IMPUTE2 writes none to .haps: it is in IDs such as 20:60343:G:A, or in
  // the name of the file.
  std::string FindContig(std::string_view id, std::string_view position, const RowReader& rows) const {
    const size_t colon = id.find(':');
    if (colon != std::string_view::npos && id.substr(colon + 1).starts_with(position) && !id.starts_with("rs")) {
      return std::string(id.substr(0, colon));
    }
    const std::string name = std::filesystem::path(header_.path).filename().string();
    std::smatch match;
    if (!std::regex_search(name, match, std::regex("(?:^|[^A-Za-z])chr([0-9]+|X|Y|MT)(?![0-9A-Za-z])"))) {
      rows.Fail("no contig: IDs begin with CONTIG:POSITION, or the name of the files has chrCONTIG; rename them");
    }
    LogInfo("{}: contig {}, by the name of the file", header_.path, match[1].str());
    return match[1];
  }

  static void SetAlleles(std::string_view id, std::string_view ref, std::string_view alt, ParsedRecord& record) {
    record.id = id;
    record.ref = ref;
    record.alts.assign(1, std::string(alt));
  }

  void CheckLegendEnded() {
    if (legend_ && !legend_->NextRow().empty()) {
      throw InputError(fmt::format("{}: has fewer lines than {}; give the files that belong together, whole",
                                   header_.path, legend_path_));
    }
  }

  // A haploid sample has "-" for its second haplotype.
  void ReadHaplotypes(const std::vector<std::string_view>& row, ParsedRecord& record) const {
    if (row.size() != 2 * header_.samples.size()) {
      haplotypes_.Fail(fmt::format("{}, but .sample has {}", Counted(row.size(), "haplotype"),
                                   Counted(header_.samples.size(), "sample")));
    }
    record.bits.assign(WordsOf(row.size()), 0);
    size_t haplotype = 0;
    for (size_t i = 0; i < row.size(); ++i) {
      if (row[i] == "-" && i % 2 == 1) {
        record.is_haploid.resize(header_.samples.size());
        record.is_haploid[i / 2] = true;
        continue;
      }
      if (row[i] == "?") {
        record.missing.resize(record.bits.size());
        SetBit(record.missing, haplotype);
      } else if (row[i] != "0" && row[i] != "1") {
        FailAllele(row[i], i / 2);
      }
      record.bits[haplotype / 64] |= uint64_t{row[i] == "1"} << haplotype % 64;
      ++haplotype;
    }
    record.bits.resize(WordsOf(haplotype));
    if (!record.missing.empty()) record.missing.resize(record.bits.size());
  }

  [[noreturn]] void FailAllele(std::string_view allele, size_t sample) const {
    if (allele == "0*" || allele == "1*") {
      haplotypes_.Fail(fmt::format(
          "sample {} has the unphased genotype \"{}\", as IMPUTE2, SHAPEIT and bcftools convert write it; a "
          "panel must be phased: convert it to VCF (bcftools convert --haplegendsample2vcf or "
          "--hapsample2vcf) and phase that (haplospin phase)",
          header_.samples[sample], allele));
    }
    haplotypes_.Fail(fmt::format("\"{}\" is not an allele, 0 or 1", allele));
  }

  RowReader haplotypes_;
  std::unique_ptr<RowReader> legend_;  // null where the lines of haplotypes have the sites
  std::string legend_path_;
  std::string contig_;  // of the legend, or of lines without one
};

}  // namespace

std::unique_ptr<RecordSource> OpenOxford(const std::string& path, RecordKind kind) {
  return std::make_unique<OxfordSource>(path, kind);
}

}  // namespace haplospin
