#include "genotypes/imputation/hla/amino_acid_table.h"

#include <fmt/format.h>

#include <cstddef>
#include <set>

#include "core/log.h"
#include "genotypes/genomics/hla/amino_acid_calls.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr char kHeader[] = "sample\tgene\tposition\tamino_acid1\tamino_acid2\tprobability\tdosages\n";
constexpr size_t kAllelesShown = 5;

// A position at which alleles differ.
struct Column {
  const std::string* position;
  std::string amino_acids;  // [alleles]
};

bool Differ(const std::string& amino_acids) {
  std::set<char> known(amino_acids.begin(), amino_acids.end());
  known.erase(kUnknownAminoAcid);
  return known.size() > 1;
}

std::vector<Column> DifferingColumns(const HlaAlignment& gene, std::span<const std::string* const> sequences) {
  std::vector<Column> columns;
  for (size_t k = 0; k < gene.positions.size(); ++k) {
    std::string amino_acids;
    for (const std::string* sequence : sequences)
      amino_acids += sequence == nullptr ? kUnknownAminoAcid : (*sequence)[k];
    if (Differ(amino_acids)) columns.push_back({&gene.positions[k], std::move(amino_acids)});
  }
  return columns;
}

std::string RowText(const AminoAcidCall& call) {
  std::string dosages;
  for (const auto& [amino_acid, dosage] : call.dosages) {
    dosages += fmt::format("{}{}:{:.4f}", dosages.empty() ? "" : ",", amino_acid, dosage);
  }
  return fmt::format("{}\t{}\t{:.4f}\t{}\n", call.best[0], call.best[1], call.probability, dosages);
}

}  // namespace

AminoAcidTable::AminoAcidTable(const std::string& path, const HlaProteins& proteins)
    : proteins_(proteins), file_(path) {
  file_.Write(kHeader);
}

void AminoAcidTable::Add(const std::string& gene, std::span<const HlaAllele> alleles, const SampleTable& samples,
                         std::span<const std::vector<float>> probabilities) {
  const auto found = proteins_.find(gene);
  std::vector<const std::string*> sequences;
  std::vector<std::string> unknown;
  for (const HlaAllele& allele : alleles) {
    sequences.push_back(found == proteins_.end() ? nullptr : found->second.Find(allele));
    if (sequences.back() == nullptr) unknown.push_back(allele.Name());
  }
  if (unknown.size() == alleles.size()) {
    LogWarning("HLA-{}: has no amino acids, since --hla-proteins has none of its alleles; add the file of the gene",
               gene);
    return;
  }
  if (!unknown.empty()) {
    LogWarning("HLA-{}: --hla-proteins lacks {} of its {} alleles, whose amino acids are written as *: {}", gene,
               unknown.size(), alleles.size(), JoinNames(unknown, kAllelesShown));
  }
  is_empty_ = false;
  const std::vector<Column> columns = DifferingColumns(found->second, sequences);
  for (size_t s = 0; s < samples.num_samples(); ++s) {
    const std::vector<std::span<const float>> own(probabilities.begin() + samples.first_haplotype[s],
                                                  probabilities.begin() + samples.first_haplotype[s + 1]);
    for (const Column& column : columns) {
      file_.Write(fmt::format("{}\t{}\t{}\t{}", samples.names[s], gene, *column.position,
                              RowText(CallAminoAcids(column.amino_acids, own))));
    }
  }
}

void AminoAcidTable::Finish() {
  if (is_empty_) {
    throw InputError(
        "--hla-proteins has no allele of the panel's HLA genes; give the files of these genes, or remove "
        "--hla-amino-acids");
  }
  file_.Commit();
}

}  // namespace haplospin
