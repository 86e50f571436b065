#include "genotypes/imputation/models/clusters/cluster_model.h"

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace haplospin {
namespace {

constexpr double kMinSwitches = 1e-6;  // between two markers
constexpr float kMinAlt = 0.0005f;
constexpr float kPriorHaplotypes = 0.02f;  // of a cluster, which have the frequency of ALT
constexpr float kPriorSwitches = 1;        // at a marker, the same number to each cluster
constexpr size_t kMaxBatches = 16;         // of individuals whose counts are added in a fixed order
constexpr size_t kBatchIndividuals = 2;    // at least, as adding the counts takes about as long as one individual

}  // namespace

ClusterEvidence PanelHaplotypes(const HaplotypePanel& panel, const GeneticMap& map, MarkerRange markers) {
  ClusterEvidence evidence;
  const auto haplotypes = static_cast<float>(panel.num_haplotypes());
  for (size_t m = markers.begin; m < markers.end; ++m) {
    evidence.frequency.push_back((static_cast<float>(panel.alt_count(m)) + 0.5f) / (haplotypes + 1));
    const double now = map.Centimorgans(panel.marker(m).position);
    const double before = m == markers.begin ? now : map.Centimorgans(panel.marker(m - 1).position);
    evidence.morgans.push_back((now - before) / 100);
  }
  for (size_t h = 0; h < panel.num_haplotypes(); ++h) {
    for (size_t m = markers.begin; m < markers.end; ++m) {
      evidence.alleles.push_back(static_cast<uint8_t>(panel.allele(m, h)));
    }
  }
  return evidence;
}

struct ClusterModel::Counts {
  explicit Counts(size_t size) : ref(size), alt(size), switched(size) {}

  void Add(const Counts& other) {
    individuals += other.individuals;
    for (std::vector<float> Counts::*table : {&Counts::ref, &Counts::alt, &Counts::switched}) {
      std::ranges::transform(this->*table, other.*table, (this->*table).begin(), std::plus());
    }
  }

  void Clear() {
    individuals = 0;
    for (std::vector<float>* table : {&ref, &alt, &switched}) std::ranges::fill(*table, 0.0f);
  }

  size_t individuals = 0;
  std::vector<float> ref, alt, switched;
};

// Memory that is taken once for all steps of a fit: it would be given back to the system, and taken again, each time.
struct ClusterModel::Workspace {
  std::vector<Counts> batches;
  tbb::enumerable_thread_specific<std::vector<float>> forward;
};

ClusterModel::ClusterModel(const ClusterEvidence& evidence, const ClusterFit& fit, std::vector<float> alt)
    : rate_(fit.first_rate),
      alt_(std::move(alt)),
      share_(alt_.size(), 1.0f / static_cast<float>(fit.clusters)),
      switches_(evidence.num_markers()) {
  SetSwitches(evidence);
  // The first improvement waits for all parts, as few individuals would fill the clusters with their own alleles.
  std::vector<Counts> counts(fit.parts, Counts(alt_.size()));
  Workspace workspace;
  for (size_t i = 0; i < fit.steps * fit.parts; ++i) {
    const size_t part = i % fit.parts;
    Count(evidence, part, fit.parts, workspace, counts[part]);
    if (i + 1 >= fit.parts) Improve(evidence, counts);
  }
}

void ClusterModel::SetSwitches(const ClusterEvidence& evidence) {
  for (size_t m = 0; m < switches_.size(); ++m) {
    switches_[m] = m == 0 ? 1 : static_cast<float>(std::max(kMinSwitches, -std::expm1(-rate_ * evidence.morgans[m])));
  }
}

void ClusterModel::Count(const ClusterEvidence& evidence, size_t part, size_t parts, Workspace& workspace,
                         Counts& sum) const {
  const size_t markers = switches_.size();
  std::vector<uint32_t> all(evidence.has_haplotypes() ? 0 : markers);
  std::iota(all.begin(), all.end(), 0);
  const ClusterSteps steps(*this, all);
  const size_t most = evidence.has_haplotypes() ? 1 : kMaxBatches;
  const size_t num_batches = std::clamp(evidence.size() / parts / kBatchIndividuals, size_t{1}, most);
  workspace.batches.resize(num_batches, Counts(alt_.size()));
  tbb::parallel_for(size_t{0}, num_batches, [&](size_t b) {
    Counts& batch = workspace.batches[b];
    batch.Clear();
    const ClusterCounts counts = {batch.ref.data(), batch.alt.data(), batch.switched.data()};
    std::vector<float>& forward = workspace.forward.local();
    forward.resize(alt_.size() * (evidence.has_haplotypes() ? 1 : tables().clusters));
    for (size_t i = part + b * parts; i < evidence.size(); i += parts * num_batches) {
      ++batch.individuals;
      if (evidence.has_haplotypes()) {
        CountHaplotype(tables(), &evidence.alleles[i * markers], forward.data(), counts);
      } else {
        CountPair(tables(), steps.steps(), &evidence.likelihoods[i * markers], forward.data(), counts);
      }
    }
  });
  sum.Clear();
  for (const Counts& batch : workspace.batches) sum.Add(batch);
}

void ClusterModel::Improve(const ClusterEvidence& evidence, std::span<const Counts> parts) {
  Counts counts = parts[0];
  for (const Counts& part : parts.subspan(1)) counts.Add(part);
  const size_t clusters = tables().clusters;
  double switches = 0;
  for (size_t m = 0; m < switches_.size(); ++m) {
    const float* switched = &counts.switched[m * clusters];
    const float all = std::accumulate(switched, switched + clusters, 0.0f);
    if (m > 0) switches -= std::log1p(-std::min(0.999, all / static_cast<double>(counts.individuals)));
    for (size_t i = m * clusters; i < (m + 1) * clusters; ++i) {
      const float p = (counts.alt[i] + kPriorHaplotypes * evidence.frequency[m]) /
                      (counts.ref[i] + counts.alt[i] + kPriorHaplotypes);
      alt_[i] = std::clamp(p, kMinAlt, 1 - kMinAlt);
      share_[i] = (counts.switched[i] + kPriorSwitches / static_cast<float>(clusters)) / (all + kPriorSwitches);
    }
  }
  const double morgans = std::accumulate(evidence.morgans.begin(), evidence.morgans.end(), 0.0);
  if (morgans > 0) rate_ = switches / morgans;
  SetSwitches(evidence);
}

std::vector<std::array<size_t, 2>> ClusterModel::DrawPairs(std::span<const float> forward, RandomStream& random) const {
  const size_t clusters = tables().clusters;
  std::vector<std::array<size_t, 2>> pairs(switches_.size());
  std::vector<float> sums(clusters);
  const auto row = [&](size_t m, size_t a) { return forward.subspan((m * clusters + a) * clusters, clusters); };
  const auto sum = [&](size_t m, size_t a) { return std::accumulate(row(m, a).begin(), row(m, a).end(), 0.0f); };
  const auto draw_both = [&](size_t m) {
    for (size_t a = 0; a < clusters; ++a) sums[a] = sum(m, a);
    pairs[m][0] = DrawIndex(std::span<const float>(sums), random);
    pairs[m][1] = DrawIndex(row(m, pairs[m][0]), random);
  };
  draw_both(switches_.size() - 1);
  for (size_t m = switches_.size() - 1; m-- > 0;) {
    const auto [first, second] = pairs[m] = pairs[m + 1];
    const float stays = 1 - switches_[m + 1];
    const float to_first = switches_[m + 1] * share_[(m + 1) * clusters + first];
    const float to_second = switches_[m + 1] * share_[(m + 1) * clusters + second];
    const std::array ways = {stays * stays * row(m, first)[second], stays * to_first * sum(m, second),
                             stays * to_second * sum(m, first), to_first * to_second};
    const size_t way = DrawIndex(std::span<const float>(ways), random);
    if (way == 1) pairs[m][0] = DrawIndex(row(m, second), random);
    if (way == 2) pairs[m][1] = DrawIndex(row(m, first), random);
    if (way == 3) draw_both(m);
  }
  return pairs;
}

ClusterSteps::ClusterSteps(const ClusterModel& model, std::span<const uint32_t> typed) : typed_{0} {
  const auto [markers, clusters, alt, share, switches] = model.tables();
  typed_.insert(typed_.end(), typed.begin(), typed.end());
  typed_.push_back(static_cast<uint32_t>(markers - 1));
  typed_.erase(std::unique(typed_.begin(), typed_.end()), typed_.end());
  std::vector<bool> is_typed(markers);
  for (const uint32_t m : typed_) is_typed[m] = true;
  from_stays_.resize(markers, 1);
  to_stays_.resize(markers, 1);
  from_switched_.resize(markers * clusters);
  to_switched_.resize(markers * clusters);
  // Two steps together keep the cluster if both do; the second one's switches follow any first step.
  for (size_t m = 1; m < markers; ++m) {
    const float stays = 1 - switches[m];
    from_stays_[m] = stays * (is_typed[m - 1] ? 1 : from_stays_[m - 1]);
    for (size_t i = m * clusters; i < (m + 1) * clusters; ++i) {
      from_switched_[i] = switches[m] * share[i] + stays * (is_typed[m - 1] ? 0 : from_switched_[i - clusters]);
    }
  }
  for (size_t m = markers - 1; m-- > 0;) {
    const float after = is_typed[m + 1] ? 1 : to_stays_[m + 1];
    to_stays_[m] = (1 - switches[m + 1]) * after;
    for (size_t i = m * clusters; i < (m + 1) * clusters; ++i) {
      const float later = is_typed[m + 1] ? 0 : to_switched_[i + clusters];
      to_switched_[i] = later + after * switches[m + 1] * share[i + clusters];
    }
  }
}

}  // namespace haplospin
