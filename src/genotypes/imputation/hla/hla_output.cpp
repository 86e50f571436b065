#include "genotypes/imputation/hla/hla_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/log.h"
#include "genotypes/genomics/hla/hla_calls.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr char kHeader[] =
    "sample\tgene\tallele1\tallele2\tprobability\tnext_allele1\tnext_allele2\tnext_probability\tcertain_fields\n";

// The smallest mean sum of the probabilities of a resolution at which haplotypes have an allele.
constexpr double kMinSum = 0.95;

// bp within which the alleles of a gene are. Panels of HLA-TAPAS and CookHLA have them at consecutive positions, since
// each of their markers has one of its own.
constexpr int64_t kGeneLength = 50'000;

constexpr int64_t kAround = 1'000'000;  // bp from the genes in which typed markers tell their alleles
constexpr size_t kFewMarkers = 300;     // benchmarks/hla/RESULTS.md

std::string PairText(std::span<const HlaAllele> alleles, const HlaPair& pair) {
  return fmt::format("{}\t{}\t{:.4f}", alleles[pair.alleles[0]].Name(), alleles[pair.alleles[1]].Name(),
                     pair.probability);
}

}  // namespace

HlaOutput::HlaOutput(std::unique_ptr<StudyOutput> records, const HlaTables& tables, const std::optional<Region>& region)
    : ForwardingOutput(std::move(records)), proteins_(tables.proteins), region_(region), file_(tables.types_path) {
  if (!tables.amino_acids_path.empty()) amino_acids_.emplace(tables.amino_acids_path, *proteins_);
}

void HlaOutput::SetPloidy(const SampleTable& samples) {
  CallGenesBefore(INT64_MAX);
  samples_ = samples;
  rows_.resize(samples.num_samples());
  ForwardingOutput::SetPloidy(samples);
}

void HlaOutput::Write(const std::string& contig, std::span<const DosageRecord> records) {
  if (contig != contig_) {
    CallGenesBefore(INT64_MAX);
    contig_ = contig;
    if (positions_.empty()) typed_.clear();
  }
  for (const DosageRecord& record : records) {
    if (!record.in_panel) continue;
    const int64_t position = record.marker->position;
    CallGenesBefore(position - kGeneLength);
    if (const auto marker = HlaMarkerOf(*record.marker)) {
      Add(*marker, record);
    } else if (!record.typed_alleles.empty() && (positions_.empty() || contig_ == contig_of_genes_)) {
      typed_.push_back(position);
    }
  }
  ForwardingOutput::Write(contig, records);
}

void HlaOutput::Add(const HlaMarker& marker, const DosageRecord& record) {
  Gene& gene = genes_[marker.allele.gene];
  gene.position = record.marker->position;
  Alleles& alleles = gene.resolutions[marker.resolution];
  alleles.alleles.push_back(marker.allele);
  std::vector<float>& probabilities = alleles.probabilities.emplace_back(record.dosages.begin(), record.dosages.end());
  if (!marker.is_ref) return;
  for (float& p : probabilities) p = 1 - p;
}

double HlaOutput::Alleles::MeanSum() const {
  double sum = 0;
  for (const std::vector<float>& p : probabilities) sum += std::accumulate(p.begin(), p.end(), 0.0);
  return sum / static_cast<double>(probabilities[0].size());
}

// Calls the genes whose markers are all known.
void HlaOutput::CallGenesBefore(int64_t position) {
  for (auto gene = genes_.begin(); gene != genes_.end();) {
    if (gene->second.position >= position) {
      ++gene;
      continue;
    }
    const std::map<size_t, Alleles>& resolutions = gene->second.resolutions;
    const auto finest = std::find_if(resolutions.rbegin(), resolutions.rend(),
                                     [](const auto& resolution) { return resolution.second.MeanSum() >= kMinSum; });
    Call(gene->first, finest == resolutions.rend() ? resolutions.begin()->second : finest->second);
    positions_.push_back(gene->second.position);
    contig_of_genes_ = contig_;
    gene = genes_.erase(gene);
  }
}

void HlaOutput::Call(const std::string& gene, const Alleles& alleles) {
  std::vector<std::vector<float>> haplotypes(samples_.num_haplotypes(), std::vector<float>(alleles.alleles.size()));
  for (size_t a = 0; a < alleles.alleles.size(); ++a) {
    for (size_t h = 0; h < haplotypes.size(); ++h) haplotypes[h][a] = alleles.probabilities[a][h];
  }
  for (size_t s = 0; s < samples_.num_samples(); ++s) {
    std::vector<std::span<const float>> own;
    for (uint32_t h = samples_.first_haplotype[s]; h < samples_.first_haplotype[s + 1]; ++h) {
      own.emplace_back(haplotypes[h]);
    }
    const HlaCall call = CallHlaType(alleles.alleles, own);
    rows_[s] += fmt::format("{}\t{}\t{}\t{}\t{}\n", samples_.names[s], gene, PairText(alleles.alleles, call.best),
                            call.next ? PairText(alleles.alleles, *call.next) : ".\t.\t.", call.certain_fields);
  }
  if (amino_acids_) amino_acids_->Add(gene, alleles.alleles, samples_, haplotypes);
}

void HlaOutput::Finish(IndexType index) {
  CallGenesBefore(INT64_MAX);
  if (positions_.empty()) {
    throw InputError(
        "--hla-out: the panel has no HLA alleles, or not in the region that is imputed; make the panel with panel "
        "build "
        "--hla, or remove --hla-out");
  }
  WarnOfFewMarkers();
  if (amino_acids_) amino_acids_->Finish();
  ForwardingOutput::Finish(index);
  file_.Write(kHeader);
  for (const std::string& rows : rows_) file_.Write(rows);
  file_.Commit();
}

void HlaOutput::WarnOfFewMarkers() const {
  const auto [first, last] = std::ranges::minmax(positions_);
  // Markers outside of the region tell the alleles, too, but are not among the records.
  if (region_ && (region_->begin > std::max<int64_t>(first - kAround, 1) || region_->end < last + kAround)) return;
  const auto typed = std::ranges::count_if(
      typed_, [&, first = first, last = last](int64_t p) { return p >= first - kAround && p <= last + kAround; });
  if (static_cast<size_t>(typed) >= kFewMarkers) return;
  LogWarning(
      "the study has {} markers of the panel from {}:{} to {}, where the HLA genes are; with fewer than {}, types are "
      "less certain (docs/hla.md)",
      typed, contig_of_genes_, std::max<int64_t>(first - kAround, 1), last + kAround, kFewMarkers);
}

}  // namespace haplospin
