#include "genotypes/variant_io/reading/wanted_sites_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/reading/record_stream.h"
#include "genotypes/variant_io/row_reader.h"
#include "genotypes/variant_io/site_list_file.h"
#include "genotypes/variant_io/variant_file.h"
#include "genotypes/variant_io/vcf_columns.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr std::string_view kAlleleColumn = "effect_allele";

std::vector<std::string_view> SplitAtTabs(std::string_view line) {
  std::vector<std::string_view> columns;
  ColumnSplitter splitter(line);
  do {
    columns.push_back(splitter.NextOrLast());
  } while (!splitter.rest().empty());
  return columns;
}

bool IsMissing(std::string_view text) { return text.empty() || text == "NA" || text == "."; }

// The lines of a scoring file.
class ScoreLines {
 public:
  ScoreLines(const std::string& path, std::string_view names) {
    const std::vector<std::string_view> columns = SplitAtTabs(names);
    const auto find = [&](std::initializer_list<std::string_view> wanted) {
      std::vector<size_t> found;
      for (const std::string_view name : wanted) {
        const auto column = std::ranges::find(columns, name);
        if (column != columns.end()) found.push_back(static_cast<size_t>(column - columns.begin()));
      }
      return found;
    };
    contig_ = find({"hm_chr", "chr_name"});
    position_ = find({"hm_pos", "chr_position"});
    // The position of a harmonized file may be missing, and that of the other build must not take its place.
    if (contig_.size() == 2 && position_.size() == 2) {
      contig_.pop_back();
      position_.pop_back();
    }
    id_ = find({"hm_rsID", "rsID"});
    allele_ = find({kAlleleColumn});
    other_ = find({"other_allele", "hm_inferOtherAllele", "reference_allele"});
    weight_ = find({"effect_weight"});
    other_models_ = find({"is_dominant", "is_recessive", "is_haplotype", "is_diplotype", "is_interaction"});
    copy_weights_ = find({"dosage_0_weight", "dosage_1_weight", "dosage_2_weight"});
    if (weight_.empty() && !copy_weights_.empty()) {
      throw InputError(
          path +
          ": has weights of no, one and two copies of the allele in place of effect_weight, which a sum of "
          "dosages does not give; for its sites without weights, give their contigs and positions alone");
    }
    if (weight_.empty()) {
      throw InputError(path + ": no column effect_weight; give a scoring file as the PGS Catalog has it");
    }
  }

  WantedSite Read(const RowReader& reader, std::string_view line) {
    const std::vector<std::string_view> columns = SplitAtTabs(line);
    num_not_additive_ += IsAdditive(columns) ? 0 : 1;
    const std::string_view position = Value(columns, position_), contig = Value(columns, contig_);
    WantedSite site{.id = std::string(Value(columns, id_)),
                    .allele = std::string(Value(columns, allele_)),
                    .other = std::string(Value(columns, other_)),
                    .weight = reader.ParseOrFail<double>(Value(columns, weight_), "a weight")};
    if (site.allele.empty()) reader.Fail("has no effect_allele");
    if (site.other.find('/') != std::string::npos) site.other.clear();  // several that it may be
    if (site.id.empty()) site.id = ".";
    if (!position.empty() && !contig.empty()) {
      site.contig = contig;
      site.span.first = site.span.last = reader.PositionOrFail(position);
    }
    return site;
  }

  size_t num_not_additive() const { return num_not_additive_; }

 private:
  bool IsAdditive(const std::vector<std::string_view>& columns) const {
    const auto has = [&](size_t column) { return column < columns.size() && !IsMissing(columns[column]); };
    if (std::ranges::any_of(copy_weights_, has)) return false;
    return std::ranges::none_of(other_models_, [&](size_t column) {
      return has(column) && (columns[column] == "True" || columns[column] == "TRUE");
    });
  }

  // The first of the columns that has a value, or "".
  static std::string_view Value(const std::vector<std::string_view>& row, const std::vector<size_t>& columns) {
    for (const size_t column : columns) {
      if (column < row.size() && !IsMissing(row[column])) return row[column];
    }
    return "";
  }

  std::vector<size_t> contig_, position_, id_, allele_, other_, weight_, other_models_;
  std::vector<size_t> copy_weights_;  // columns of the weights of no, one and two copies
  size_t num_not_additive_ = 0;
};

std::vector<WantedSite> LoadScore(const std::string& path) {
  RowReader reader(path);
  std::optional<ScoreLines> lines;
  std::vector<WantedSite> sites;
  while (const auto line = reader.NextLine()) {
    if (line->empty() || line->starts_with('#')) continue;
    if (!lines) {
      lines.emplace(path, *line);
    } else {
      sites.push_back(lines->Read(reader, *line));
    }
  }
  if (lines && lines->num_not_additive() > 0) {
    LogWarning(
        "{}: {} of dominant or recessive alleles, of numbers of copies (dosage_2_weight), haplotypes or interactions, "
        "which a sum of dosages does not give; leave out their lines",
        path, Counted(lines->num_not_additive(), "weight"));
  }
  return sites;
}

std::vector<WantedSite> LoadVariants(const std::string& path) {
  RecordStream stream(OpenRecords(path, {.kind = RecordKind::kSites}), /*accepts_unphased=*/true);
  std::vector<WantedSite> sites;
  for (ParsedRecord* record = stream.Peek(); record != nullptr; stream.Pop(), record = stream.Peek()) {
    RemoveUnspecified(*record);
    WantedSite site{.id = record->id, .contig = record->contig, .span = {record->position, record->position}};
    if (record->alts.empty()) sites.push_back(site);
    for (size_t a = 0; a < record->alts.size(); ++a) {
      site.allele = record->alts[a];
      site.other = record->ref;
      site.info = stream.header().described.AltPart(record->info, a);
      sites.push_back(site);
    }
  }
  return sites;
}

std::vector<WantedSite> LoadList(const std::string& path) {
  std::vector<WantedSite> sites;
  const MarkerList list = LoadMarkerList(path);
  for (const MarkerList::Entry& entry : list.entries()) {
    sites.push_back({.id = entry.id.empty() ? "." : entry.id, .contig = entry.contig, .span = entry.span});
  }
  return sites;
}

bool HasVariants(const std::string& path) {
  const BgzfHandle file(bgzf_open(path.c_str(), "r"));
  if (!file) throw InputError(OpenFailure(path));
  std::string head(16, '\0');
  head.resize(static_cast<size_t>(std::max<ssize_t>(bgzf_read(file.get(), head.data(), head.size()), 0)));
  return head.starts_with("BCF") || head.starts_with("##fileformat=VCF");
}

// Returns whether a line names the columns of a score as other programs have it.
bool HasNamesOfScore(std::string_view line) {
  return std::ranges::any_of(std::string_view("\t ,"), [&](char separator) {
    return std::ranges::count(line, separator) >= 2 &&
           (IndexIn(line, kAlleleColumn, separator) || IndexIn(line, "A1", separator));
  });
}

// Returns whether the first line that is no comment has the names of a scoring file's columns.
bool IsScore(const std::string& path) {
  RowReader reader(path);
  auto line = reader.NextLine();
  while (line && (line->empty() || line->starts_with('#'))) line = reader.NextLine();
  const bool is_score = line && IndexIn(*line, kAlleleColumn, '\t');
  if (line && !is_score && HasNamesOfScore(*line)) {
    throw InputError(path +
                     ": a score, but not as the PGS Catalog has it; name its columns chr_name, chr_position, "
                     "effect_allele, other_allele and effect_weight, separated by tabs");
  }
  return is_score;
}

}  // namespace

std::vector<WantedSite> LoadWantedSites(const std::string& path) {
  SilenceHtslib();
  CheckReadableTwice(path);
  std::vector<WantedSite> sites = HasVariants(path) ? LoadVariants(path)
                                  : IsScore(path)   ? LoadScore(path)
                                                    : LoadList(path);
  if (sites.empty()) throw InputError(path + ": has no sites; give a scoring file, VCF, BED, or a list of positions");
  return sites;
}

}  // namespace haplospin
