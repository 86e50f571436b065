// The HLA types of a study, from the records that are imputed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/output_file.h"
#include "genotypes/genomics/hla/hla_allele.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/imputation/contig/study_output.h"
#include "genotypes/imputation/hla/amino_acid_table.h"
#include "genotypes/imputation/plan/impute_job.h"

namespace haplospin {

// Hands all records on to another output, and writes the types of each person to a table beside it: tab-separated, with
// a header and a row for each person and gene: the sample, the gene, the best pair of alleles and its probability, the
// next best pair and its probability, and how many fields of the best pair are certain (genomics/hla/hla_calls.h).
// Where a panel has markers of several resolutions for a gene, the finest is taken of which each haplotype has an
// allele. Their amino acids are a table of their own.
class HlaOutput : public ForwardingOutput {
 public:
  // The records are those of `region`, or all. Throws InputError if a file cannot be written.
  HlaOutput(std::unique_ptr<StudyOutput> records, const HlaTables& tables, const std::optional<Region>& region = {});

  void SetPloidy(const SampleTable& samples) override;
  void Write(const std::string& contig, std::span<const DosageRecord> records) override;

  // Completes the files. Throws InputError if no record was of an HLA allele, and if there are no proteins of any for
  // the table of amino acids. Warns of a study that has few markers around the genes.
  void Finish(IndexType index) override;

 private:
  // The alleles of a gene with the probabilities of the haplotypes.
  struct Alleles {
    std::vector<HlaAllele> alleles;
    std::vector<std::vector<float>> probabilities;  // [alleles][haplotypes]

    double MeanSum() const;
  };
  struct Gene {
    int64_t position = 0;  // bp, of the last of its alleles
    std::map<size_t, Alleles> resolutions;
  };

  void Add(const HlaMarker& marker, const DosageRecord& record);
  void CallGenesBefore(int64_t position);
  void Call(const std::string& gene, const Alleles& alleles);
  void WarnOfFewMarkers() const;

  const std::shared_ptr<const HlaProteins> proteins_;
  const std::optional<Region> region_;
  OutputFile file_;
  std::optional<AminoAcidTable> amino_acids_;
  SampleTable samples_;
  std::string contig_;
  std::map<std::string, Gene> genes_;  // that may have further alleles
  std::vector<std::string> rows_;      // [samples]
  std::vector<int64_t> positions_;     // of the genes, bp
  std::vector<int64_t> typed_;         // positions of typed markers of the contig, bp
  std::string contig_of_genes_;
};

}  // namespace haplospin
