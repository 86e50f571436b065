#include "imputation/window_imputer.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <memory>

#include "genomics/quantized_probability.h"
#include "imputation/sample_imputer.h"

namespace haplospin {
namespace {

std::vector<MarkerFeatures> FeaturesOfMarkers(const HaplotypePanel& panel, const TypedPanel& array,
                                              const WindowAlleles& alleles, const GeneticMap& map) {
  std::vector<MarkerFeatures> features(alleles.end() - alleles.begin());
  size_t interval = 0;
  for (size_t m = alleles.begin(); m < alleles.end(); ++m) {
    while (interval < array.num_typed() && array.typed()[interval] < m) ++interval;
    const size_t alt = panel.alt_count(m);
    features[m - alleles.begin()] =
        ComputeMarkerFeatures(std::min(alt, panel.num_haplotypes() - alt), panel.num_haplotypes(),
                              CentimorgansToTyped(panel, m, array, interval, map));
  }
  return features;
}

TargetHaplotype TargetOf(const WindowStudy& study, size_t haplotype) {
  std::vector<uint8_t> alleles(study.typed.size());
  for (size_t j = 0; j < alleles.size(); ++j) alleles[j] = (*study.rows[j])[haplotype];
  return TargetHaplotype(std::move(alleles));
}

}  // namespace

WindowDosages::WindowDosages(size_t begin, size_t end, size_t num_haplotypes)
    : begin_(begin), end_(end), num_haplotypes_(num_haplotypes), values_((end - begin) * num_haplotypes) {}

void WindowDosages::CopyColumns(size_t first, size_t last, std::vector<float>& out) const {
  out.resize((last - first) * num_haplotypes_);
  for (size_t h = 0; h < num_haplotypes_; ++h) {
    const uint16_t* from = row(h) + (first - begin_);
    for (size_t m = 0; m < last - first; ++m) {
      out[m * num_haplotypes_ + h] = ProbabilityOf(from[m], kWindowProbabilityOne);
    }
  }
}

WindowDosages ImputeWindow(const HaplotypePanel& panel, const GeneticMap& map, const WindowStudy& study, size_t begin,
                           size_t end, const ImputerWeights& weights, const WindowOptions& options) {
  const TypedPanel array(panel, study.typed, map);
  const CopyingModel model = EstimateCopyingModel(array, options.copying);
  const std::vector<uint32_t> sample_of = panel.samples().SampleOfHaplotype();
  const PanelPopulations populations(panel, sample_of);
  const WindowAlleles alleles(panel, array, begin, end);
  const std::vector<MarkerFeatures> marker_features = FeaturesOfMarkers(panel, array, alleles, map);
  const PackedMlp copy_network(weights.copy);
  const PackedMlp allele_network(weights.allele);
  const WindowContext context{panel,     array,        model,          populations, alleles,        marker_features,
                              sample_of, copy_network, allele_network, weights,     options.backend};

  WindowDosages dosages(begin, end, study.samples->num_haplotypes());
  tbb::enumerable_thread_specific<std::unique_ptr<SampleImputer>> workspaces;
  const tbb::blocked_range<size_t> samples(0, study.samples->num_samples(), 1);
  tbb::parallel_for(samples, [&](const tbb::blocked_range<size_t>& range) {
    std::unique_ptr<SampleImputer>& imputer = workspaces.local();
    if (!imputer) imputer = std::make_unique<SampleImputer>(context);
    for (size_t s = range.begin(); s < range.end(); ++s) {
      std::vector<TargetHaplotype> targets;
      std::vector<uint16_t*> rows;
      for (uint32_t h = study.samples->first_haplotype[s]; h < study.samples->first_haplotype[s + 1]; ++h) {
        targets.push_back(TargetOf(study, h));
        rows.push_back(dosages.row(h));
      }
      imputer->Impute(targets, rows);
    }
  });
  return dosages;
}

}  // namespace haplospin
