#include "genotypes/variant_io/hla/hla_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "genotypes/genomics/hla/hla_allele.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/row_reader.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using Row = std::vector<std::string_view>;

constexpr std::array<const char*, 8> kGenesOfHped{"A", "B", "C", "DPA1", "DPB1", "DQA1", "DQB1", "DRB1"};
constexpr size_t kColumnsOfFam = 6;

constexpr char kForms[] =
    "expected \"sample gene allele allele\", a sample and all alleles with their genes (A*01:01), or the 22 columns of "
    "SNP2HLA's .hped";

bool IsMissing(std::string_view text) {
  static const std::set<std::string_view> codes{"0", "00", "0000", "NA", ".", "-", "-9", "?"};
  return codes.contains(text);
}

// The alleles that are possible on a haplotype; none if it is not known.
using Entry = std::vector<HlaAllele>;
using Pair = std::array<Entry, 2>;

enum class Form { kRows, kPeople, kHped };

// The types as the table has them: [gene][sample].
using TypesByGene = std::map<std::string, std::map<uint32_t, Pair>>;

class TableReader {
 public:
  TableReader(const std::string& path, std::span<const std::string> samples, size_t fields)
      : path_(path), reader_(path), fields_(fields) {
    for (uint32_t s = 0; s < samples.size(); ++s) index_.emplace(samples[s], s);
  }

  void Read() {
    Row row = reader_.NextRow();
    if (row.empty()) throw InputError(fmt::format("{}: has no rows; {}", path_, kForms));
    if (row.size() == 4 && (row[1] == "gene" || row[1] == "Gene" || row[1] == "GENE")) row = reader_.NextRow();
    if (row.empty()) throw InputError(fmt::format("{}: has no rows after the header; add the types", path_));
    const Form form = FormOf(row);
    for (; !row.empty(); row = reader_.NextRow()) AddRow(form, row);
  }

  const TypesByGene& types() const { return types_; }
  size_t num_unknown() const { return unknown_.size(); }

  // Throws InputError if none of the samples was found.
  void CheckFound() const {
    if (!types_.empty()) return;
    const std::vector<std::string> unknown(unknown_.begin(), unknown_.end());
    throw InputError(fmt::format("{}: has none of the panel's samples, but {}; give the types of samples of the panel",
                                 path_, JoinNames(unknown, kSamplesShown)));
  }

 private:
  Form FormOf(const Row& row) const {
    const auto has_gene = [](std::string_view text) { return text.find('*') != std::string_view::npos; };
    if (row.size() == kColumnsOfFam + 2 * kGenesOfHped.size() && !has_gene(row[1])) return Form::kHped;
    if (row.size() == 4 && !has_gene(row[1])) return Form::kRows;
    if (row.size() >= 3 && row.size() % 2 == 1 && has_gene(row[1])) return Form::kPeople;
    reader_.Fail(kForms);
  }

  void AddRow(Form form, const Row& row) {
    if (form == Form::kPeople) return AddPeopleRow(row);
    if (form == Form::kHped) return AddHpedRow(row);
    if (row.size() != 4) reader_.Fail("expected four columns, sample, gene and two alleles, as in the lines before");
    const auto sample = Find(row[0]);
    const std::string_view gene = row[1].starts_with("HLA-") || row[1].starts_with("HLA_") ? row[1].substr(4) : row[1];
    Pair pair{ParseEntry(row[2], gene), ParseEntry(row[3], gene)};
    if (sample) Add(std::string(gene), *sample, std::move(pair));
  }

  // PLINK writes VCF samples as FAMILY_SAMPLE, which is `other_name`.
  std::optional<uint32_t> Find(std::string_view sample, const std::string& other_name = {}) {
    auto found = index_.find(std::string(sample));
    if (found == index_.end() && !other_name.empty()) found = index_.find(other_name);
    if (found != index_.end()) return found->second;
    unknown_.emplace(sample);
    return std::nullopt;
  }

  Entry ParseEntry(std::string_view text, std::string_view gene) const {
    Entry entry;
    if (IsMissing(text)) return entry;
    std::string_view rest = text;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('/'), rest.size());
      const auto allele = ParseHlaAllele(rest.substr(0, end), gene);
      if (!allele) {
        reader_.Fail(
            fmt::format("\"{}\" is not an allele of {}; write it as {}*01:01, several as {}*01:01/01:02, and a "
                        "missing one as 0",
                        text, gene, gene, gene));
      }
      entry.push_back(allele->Truncated(fields_));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return entry;
  }

  void Add(const std::string& gene, uint32_t sample, Pair pair) {
    const auto names = [](const Pair& alleles) {
      std::multiset<std::string> text;
      for (const Entry& entry : alleles) {
        std::string joined;
        for (const HlaAllele& allele : entry) joined += allele.Name() + "/";
        text.insert(joined);
      }
      return text;
    };
    const auto [known, is_new] = types_[gene].emplace(sample, pair);
    if (!is_new && names(known->second) != names(pair)) {
      reader_.Fail(fmt::format("this person has another type of {} in an earlier line; keep one of them", gene));
    }
  }

  void AddPeopleRow(const Row& row) {
    if (row.size() % 2 == 0) reader_.Fail("expected a sample and two alleles of each gene; one allele has no partner");
    const auto sample = Find(row[0]);
    for (size_t k = 1; k < row.size(); k += 2) {
      std::string gene;
      for (const std::string_view text : {row[k], row[k + 1]}) {
        const size_t star = text.find('*');
        if (star == std::string_view::npos) continue;
        const std::string own(text.substr(0, star));
        if (!gene.empty() && own != gene) {
          reader_.Fail(fmt::format("\"{}\" and \"{}\" are of two genes, but should be the two alleles of one", row[k],
                                   row[k + 1]));
        }
        gene = own;
      }
      if (gene.starts_with("HLA-")) gene.erase(0, 4);
      if (gene.empty() && IsMissing(row[k]) && IsMissing(row[k + 1])) continue;
      if (gene.empty()) reader_.Fail(fmt::format("\"{}\" does not tell its gene; write A*01:01", row[k]));
      Pair pair{ParseEntry(row[k], gene), ParseEntry(row[k + 1], gene)};
      if (sample) Add(gene, *sample, std::move(pair));
    }
  }

  void AddHpedRow(const Row& row) {
    if (row.size() != kColumnsOfFam + 2 * kGenesOfHped.size()) {
      reader_.Fail(fmt::format("has {} columns, but a line of .hped has 22", row.size()));
    }
    const auto sample = Find(row[1], fmt::format("{}_{}", row[0], row[1]));
    for (size_t g = 0; g < kGenesOfHped.size(); ++g) {
      const size_t column = kColumnsOfFam + 2 * g;
      Pair pair{ParseEntry(row[column], kGenesOfHped[g]), ParseEntry(row[column + 1], kGenesOfHped[g])};
      if (sample) Add(kGenesOfHped[g], *sample, std::move(pair));
    }
  }

  const std::string path_;
  RowReader reader_;
  const size_t fields_;
  std::unordered_map<std::string, uint32_t> index_;  // samples of the panel
  std::set<std::string> unknown_;                    // people of the table who are not among them
  TypesByGene types_;
};

// Gives the alleles of a gene their numbers.
class AlleleNumbers {
 public:
  explicit AlleleNumbers(size_t fields) : fields_(fields) {}

  // An allele with fewer fields than asked for is one of its own only where no other begins with it.
  void Collect(const std::map<uint32_t, Pair>& people) {
    std::map<std::string, HlaAllele> known;
    const auto add = [&](bool is_short) {
      for (const auto& [sample, pair] : people) {
        for (const Entry& entry : pair) {
          for (const HlaAllele& allele : entry) {
            if ((allele.fields.size() < fields_) != is_short || known.contains(allele.Name())) continue;
            const auto has_start = [&](const auto& other) { return allele.IsStartOf(other.second); };
            if (is_short && std::ranges::any_of(known, has_start)) continue;
            known.emplace(allele.Name(), allele);
          }
        }
      }
    };
    add(false);
    add(true);
    for (auto& [name, allele] : known) {
      names_.push_back(name);
      alleles_.push_back(std::move(allele));
    }
  }

  const std::vector<std::string>& names() const { return names_; }

  HlaCandidates Candidates(const Entry& entry) const {
    std::set<uint32_t> numbers;
    for (const HlaAllele& allele : entry) {
      for (uint32_t a = 0; a < alleles_.size(); ++a) {
        if (allele.IsStartOf(alleles_[a])) numbers.insert(a);
      }
    }
    return {numbers.begin(), numbers.end()};
  }

 private:
  const size_t fields_;
  std::vector<HlaAllele> alleles_;  // in the order of their names
  std::vector<std::string> names_;
};

HlaGeneTypes NumberAlleles(const std::string& gene, const std::map<uint32_t, Pair>& people, size_t num_samples,
                           size_t fields) {
  AlleleNumbers numbers(fields);
  numbers.Collect(people);
  HlaGeneTypes types{gene, numbers.names(), std::vector<std::array<HlaCandidates, 2>>(num_samples)};
  for (const auto& [sample, pair] : people) {
    for (size_t c = 0; c < 2; ++c) types.people[sample][c] = numbers.Candidates(pair[c]);
  }
  return types;
}

}  // namespace

size_t HlaGeneTypes::CountTyped() const {
  return static_cast<size_t>(
      std::ranges::count_if(people, [](const auto& pair) { return !pair[0].empty() || !pair[1].empty(); }));
}

HlaTypes LoadHlaTypes(const std::string& path, std::span<const std::string> samples, size_t fields,
                      const HlaGenes& places) {
  TableReader reader(path, samples, fields);
  reader.Read();
  reader.CheckFound();
  HlaTypes types{.genes = {}, .people_not_in_panel = reader.num_unknown(), .unplaced = {}};
  for (const auto& [gene, people] : reader.types()) {
    if (!places.contains(gene)) {
      types.unplaced.push_back(gene);
      continue;
    }
    HlaGeneTypes numbered = NumberAlleles(gene, people, samples.size(), fields);
    if (numbered.CountTyped() > 0) types.genes.push_back(std::move(numbered));
  }
  if (!types.genes.empty()) return types;
  throw InputError(
      fmt::format("{}: has no known type of the panel's samples at a gene whose position is known; check "
                  "the table, or give the positions of its genes as --hla-genes",
                  path));
}

HlaGenes LoadHlaGenes(const std::string& path) {
  HlaGenes genes;
  RowReader reader(path);
  for (Row row = reader.NextRow(); !row.empty(); row = reader.NextRow()) {
    if (row.size() != 2) reader.Fail("expected a gene and its position, as in \"DRB1 32552079\"");
    if (!genes.emplace(row[0], reader.PositionOrFail(row[1])).second) {
      reader.Fail(fmt::format("{} is named twice; keep one of the lines", row[0]));
    }
  }
  if (genes.empty()) throw InputError(path + ": names no gene; expected lines such as \"DRB1 32552079\"");
  return genes;
}

}  // namespace haplospin
