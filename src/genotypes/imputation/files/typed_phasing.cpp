#include "genotypes/imputation/files/typed_phasing.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "core/signals.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/imputation/files/impute_files.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/variant_io/panel_file/panel_file.h"
#include "genotypes/variant_io/reading/panel_source.h"
#include "genotypes/variant_io/reading/pieces.h"
#include "genotypes/variant_io/reading/study_file.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/writing/genotype_writer.h"

namespace haplospin {
namespace {

constexpr int64_t kFirstRecords = 1'000'000;  // bp from the first record, in which heterozygotes tell the phase

// A marker for an allele of a gene: the alleles of each person, in no order.
StudyMarker AlleleMarker(const HlaGeneTypes& gene, uint32_t allele, int64_t position, const SampleTable& samples) {
  StudyMarker marker{.marker = {.position = position,
                                .id = "HLA_" + gene.gene,
                                .ref = "N",
                                .alt = fmt::format("<HLA_{}>", gene.alleles[allele])},
                     .genotypes = {}};
  marker.genotypes.unphased.assign(samples.num_samples(), 1);
  for (size_t s = 0; s < samples.num_samples(); ++s) {
    for (int c = 0; c < samples.ploidy(s); ++c) {
      const HlaCandidates& candidates = gene.people[s][static_cast<size_t>(c)];
      const bool may_have = candidates.empty() || std::ranges::binary_search(candidates, allele);
      const uint8_t known = may_have && candidates.size() != 1 ? kMissingAllele : may_have ? 1 : 0;
      marker.genotypes.alleles.push_back(known);
    }
  }
  return marker;
}

// Writes the records of a panel with the markers of its genes among them.
class TypedStudyWriter {
 public:
  TypedStudyWriter(const std::string& panel, const HlaTypes& types, const HlaGenes& places, const std::string& out)
      : reader_(panel),
        writer_(out, OutputType::kBcf, {StudyFile(panel, {}).KnownContigs(), {}, reader_.header().described},
                SampleTable::Diploid(reader_.sample_names())) {
    for (const HlaGeneTypes& gene : types.genes) genes_.emplace_back(places.find(gene.gene)->second, &gene);
    std::ranges::sort(genes_);
  }

  void Write() {
    while (reader_.NextContig()) WriteContig();
    writer_.Finish(IndexType::kNone);
  }

 private:
  void WriteContig() {
    StudyGenotypes study = reader_.StartContig();
    const SampleTable samples = study.samples;
    auto next = SameContig(study.contig, kHlaContig) ? genes_.begin() : genes_.end();
    const auto write = [&](const StudyMarker& marker) {
      writer_.Write(study.contig, marker.marker, samples, marker.genotypes.alleles, marker.genotypes.unphased);
    };
    const auto write_genes_before = [&](int64_t position) {
      for (; next != genes_.end() && next->first < position; ++next) {
        for (uint32_t a = 0; a < next->second->alleles.size(); ++a) {
          write(AlleleMarker(*next->second, a, next->first, samples));
        }
      }
    };
    ForEachMarker(reader_, study, [&](size_t m) {
      write_genes_before(study.markers[m].marker.position);
      write(study.markers[m]);
    });
    write_genes_before(INT64_MAX);
  }

  StudyReader reader_;
  GenotypeWriter writer_;
  std::vector<std::pair<int64_t, const HlaGeneTypes*>> genes_;  // ascending by position
};

}  // namespace

bool IsUnphasedPanel(const std::string& path) {
  if (IsPanelFile(path) || HasPanelFormat(path)) return false;
  StudyReader reader(path);
  if (!reader.NextContig()) return false;
  StudyGenotypes study = reader.StartContig();
  reader.ReadUntil(reader.NextPosition().value_or(0) + kFirstRecords, study);
  return reader.Reading().has_unphased;
}

TemporaryCopy::TemporaryCopy(std::string path)
    : path_(std::move(path)), slot_(internal::RegisterTemporaryFile(path_)) {}

TemporaryCopy::~TemporaryCopy() {
  internal::ForgetTemporaryFile(slot_);
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

std::unique_ptr<TemporaryCopy> PhaseWithTypes(const std::string& panel, const HlaTypes& types, const HlaGenes& places,
                                              const std::string& map, const std::string& out) {
  const TemporaryCopy typed(out + ".typed.bcf");
  auto phased = std::make_unique<TemporaryCopy>(out + ".phased.bcf");
  TypedStudyWriter(panel, types, places, typed.path()).Write();
  ImputeJob job;
  job.study.path = typed.path();
  job.panel.map = map;
  job.output.path = phased->path();
  job.output.type = OutputType::kBcf;
  PhaseFiles(job);
  return phased;
}

}  // namespace haplospin
