#include "learning/imputer_training/episode.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/random.h"
#include "genotypes/genomics/array_sampling.h"
#include "genotypes/imputation/models/copying/ancestry.h"
#include "genotypes/imputation/models/copying/copy_candidates.h"
#include "genotypes/imputation/models/copying/copying_states.h"
#include "genotypes/imputation/models/network/allele_features.h"
#include "genotypes/imputation/models/network/marker_regression.h"
#include "genotypes/imputation/models/network/window_alleles.h"
#include "genotypes/imputation/window/panel_estimates.h"
#include "genotypes/imputation/window/panel_window.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr size_t kMinMarkers = 2 * kMinArrayMarkers;  // markers of a sub-panel

constexpr double kFullPanelShare = 0.5;  // fraction of the tasks that use all haplotypes of a panel
constexpr double kTrueMapShare = 0.8;    // fraction of the tasks that use the panel's map; the others use 1 cM per Mb
constexpr double kMaxMapFactor = 4;      // maps are scaled by up to this: rates differ by region, and maps have errors
constexpr size_t kPeople = 64;           // people of a task: their haplotypes are found by one search of the panel

// The most errors of the targets of a task.
constexpr double kMaxErrorRate = 0.005;    // fraction of wrong typed alleles
constexpr double kMaxSwitchesPerCm = 0.3;  // switch errors
constexpr double kMaxMissingRate = 0.02;   // fraction of missing typed alleles

double LogUniform(RandomStream& random, double low, double high) {
  return low * std::exp(random.Uniform() * std::log(high / low));
}

// Draws `count` of the numbers 0 ... n - 1, and sorts them.
std::vector<uint32_t> Choose(size_t count, size_t n, RandomStream& random) {
  std::vector<uint32_t> all = RandomOrder<uint32_t>(n, random);
  all.resize(std::min(count, n));
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<uint32_t> DrawArray(const HaplotypePanel& panel, size_t count, RandomStream& random) {
  ArraySampling sampling;
  const auto n = static_cast<double>(panel.num_haplotypes());
  for (size_t m = 0; m < panel.num_markers(); ++m) sampling.Offer(panel.alt_count(m) / n, random);
  const std::vector<size_t> drawn = sampling.Draw(std::min(count, sampling.num_polymorphic()));
  return {drawn.begin(), drawn.end()};
}

std::vector<uint32_t> DrawTyped(const TrainingPanel& source, const HaplotypePanel& panel, const EpisodeOptions& options,
                                RandomStream& random) {
  std::vector<uint32_t> typed;
  if (!source.arrays.empty() && random.Bernoulli(options.real_array_share)) {
    const SiteList& sites = source.arrays[random.UniformInt(source.arrays.size())];
    for (size_t m = 0; m < panel.num_markers(); ++m) {
      if (sites.Contains(panel.contig(), panel.marker(m).position)) typed.push_back(static_cast<uint32_t>(m));
    }
    if (typed.size() >= kMinArrayMarkers) return typed;
  }
  const double length = static_cast<double>(panel.marker(panel.num_markers() - 1).position - panel.marker(0).position);
  const double spacing = LogUniform(random, options.min_spacing_bp, options.max_spacing_bp);
  return DrawArray(panel, std::max(kMinArrayMarkers, static_cast<size_t>(length / spacing)), random);
}

GeneticMap DrawMap(const TrainingPanel& source, RandomStream& random) {
  const GeneticMap map = random.Bernoulli(kTrueMapShare) ? source.map : GeneticMap::Uniform();
  return map.Scaled(LogUniform(random, 1 / kMaxMapFactor, kMaxMapFactor));
}

// Draws in proportion to the number of markers, because a long region has more information than a short one.
const TrainingPanel& DrawPanel(const std::vector<TrainingPanel>& panels, RandomStream& random) {
  size_t markers = 0;
  for (const TrainingPanel& panel : panels) markers += panel.panel.num_markers();
  size_t at = random.UniformInt(markers);
  size_t k = 0;
  while (at >= panels[k].panel.num_markers()) at -= panels[k++].panel.num_markers();
  return panels[k];
}

// The regressions of a target, which leave out the haplotypes of its sample. Markers must be visited in order.
class TargetRegression {
 public:
  TargetRegression(const MarkerRegression& regression, const HaplotypePanel& panel, size_t sample,
                   const TargetHaplotype& target)
      : regression_(regression), num_markers_(panel.num_markers()) {
    const std::vector<uint32_t>& first = panel.samples().first_haplotype;
    for (uint32_t h = first[sample]; h < first[sample + 1]; ++h) excluded_.push_back(h);
    CenterAlleles(target, regression.means(), centered_);
  }

  struct Prediction {
    float probability;  // probability of the minor allele
    float r2;
  };
  Prediction Predict(size_t marker, size_t interval, float minor_frequency) {
    const size_t block = MarkerRegression::BlockIndex(interval);
    if (block != block_) {
      predicted_ = regression_.SolveBlock(block, 0, num_markers_, excluded_);
      block_ = block;
    }
    const size_t k = predicted_.Find(marker);
    if (k == predicted_.markers.size()) return {minor_frequency, 0};
    return {predicted_.Predict(k, centered_), predicted_.r2[k]};
  }

 private:
  const MarkerRegression& regression_;
  size_t num_markers_;
  std::vector<uint32_t> excluded_;
  std::vector<float> centered_;
  size_t block_ = SIZE_MAX;  // the block of predicted_
  RegressionBlock predicted_;
};

}  // namespace

void EpisodeBatch::Append(const EpisodeBatch& other) {
  NetworkInputs::Append(other);
  AppendTo(truth, other.truth);
  AppendTo(plain_frequency, other.plain_frequency);
  AppendTo(plain_candidate, other.plain_candidate);
  AppendTo(plain_truth, other.plain_truth);
  AppendTo(weight, other.weight);
  AppendTo(plain_weight, other.plain_weight);
}

void EpisodeBatch::SetWeight(float all) {
  weight.assign(truth.size(), all);
  plain_weight.assign(plain_truth.size(), all);
}

struct TrainingTask::Context {
  Context(GeneticMap drawn_map, HaplotypePanel sub_panel, std::vector<uint32_t> typed,
          const EpisodeOptions& all_options)
      : options(all_options),
        map(std::move(drawn_map)),
        panel(std::move(sub_panel)),
        window(panel, map, std::move(typed), {0, panel.num_markers()},
               CopyingOptions().ForPanel(panel.num_haplotypes())),
        typed_panel(window.typed_panel()),
        estimates(EstimatePanel(window)),
        alleles(panel, typed_panel, 0, panel.num_markers()),
        panel_features(ComputePanelFeatures(typed_panel, estimates.copying)),
        regression(panel, typed_panel) {}

  // A haplotype of a sample, as a study would have it.
  struct Target {
    std::vector<uint32_t> source;  // [intervals] the panel haplotype whose alleles are the truth
    TargetHaplotype typed;
  };

  // A sample of the panel whose haplotypes are targets.
  struct Person {
    size_t sample;
    size_t first_selected;  // index of the first haplotype in `selection`
    std::vector<Target> targets;
  };

  void DrawPeople(RandomStream& random);
  std::vector<Target> DrawTargets(size_t sample, RandomStream& random) const;
  void AddStretch(const Target& target, const CopyCandidates& candidates, MatchFeatures& features, size_t sample,
                  RandomStream& random, EpisodeBatch& batch) const;
  void AddMarker(size_t marker, size_t interval, uint32_t source, const CandidateMask& carriers, size_t count,
                 size_t sample, TargetRegression& target_regression, EpisodeBatch& batch) const;

  const EpisodeOptions& options;
  GeneticMap map;
  HaplotypePanel panel;
  PanelWindow window;
  const TypedPanel& typed_panel;
  const PanelEstimates estimates;
  const WindowAlleles alleles;
  PanelFeatures panel_features;
  MarkerRegression regression;  // TargetRegression leaves out the haplotypes of a target
  double error_rate = 0;
  double switches_per_cm = 0;
  double missing_rate = 0;
  std::vector<Person> people;
  std::optional<StateSelection> selection;
};

TrainingTask::TrainingTask(const std::vector<TrainingPanel>& panels, const EpisodeOptions& options,
                           RandomStream random) {
  const TrainingPanel& source = DrawPanel(panels, random);
  const size_t samples = source.panel.samples().num_samples();
  const double min_samples =
      std::min<double>(static_cast<double>(options.min_haplotypes) / 2, static_cast<double>(samples));
  const size_t kept = random.Bernoulli(kFullPanelShare)
                          ? samples
                          : static_cast<size_t>(LogUniform(random, min_samples, static_cast<double>(samples)));
  // The region is a third of the panel's markers or more.
  const size_t markers = source.panel.num_markers();
  const auto length =
      static_cast<size_t>(LogUniform(random, static_cast<double>(markers) / 3, static_cast<double>(markers)));
  const size_t begin = random.UniformInt(markers - length + 1);
  HaplotypePanel panel = SubPanel(source.panel, Choose(kept, samples, random), begin, begin + length);
  if (panel.num_markers() < kMinMarkers) {
    panel = SubPanel(source.panel, Choose(samples, samples, random), 0, markers);
  }
  std::vector<uint32_t> typed = DrawTyped(source, panel, options, random);
  context_ = std::make_unique<Context>(DrawMap(source, random), std::move(panel), std::move(typed), options);
  if (!random.Bernoulli(options.clean_share)) {
    context_->error_rate = LogUniform(random, kMaxErrorRate / 50, kMaxErrorRate);
    context_->switches_per_cm = LogUniform(random, kMaxSwitchesPerCm / 30, kMaxSwitchesPerCm);
    context_->missing_rate = random.Uniform() * kMaxMissingRate;
  }
  context_->DrawPeople(random);
}

TrainingTask::~TrainingTask() = default;
TrainingTask::TrainingTask(TrainingTask&&) noexcept = default;
TrainingTask& TrainingTask::operator=(TrainingTask&&) noexcept = default;

void TrainingTask::Context::DrawPeople(RandomStream& random) {
  const SampleTable& samples = panel.samples();
  size_t first_selected = 0;
  for (const uint32_t sample : Choose(kPeople, samples.num_samples(), random)) {
    people.push_back({sample, first_selected, DrawTargets(sample, random)});
    first_selected += people.back().targets.size();
  }
  std::vector<const TargetHaplotype*> searched;
  for (const Person& person : people) {
    for (const Target& target : person.targets) searched.push_back(&target.typed);
  }
  selection.emplace(typed_panel, searched, window.options().states);
}

std::vector<TrainingTask::Context::Target> TrainingTask::Context::DrawTargets(size_t sample,
                                                                              RandomStream& random) const {
  const uint32_t first = panel.samples().first_haplotype[sample];
  const int ploidy = panel.samples().ploidy(sample);
  const size_t m = typed_panel.num_typed();
  std::vector<std::vector<uint32_t>> sources(ploidy, std::vector<uint32_t>(m + 1));
  std::vector<std::vector<uint8_t>> alleles_of(ploidy, std::vector<uint8_t>(m));
  bool switched = false;
  for (size_t i = 0; i <= m; ++i) {
    if (i > 0 && i < m && random.Bernoulli(1 - std::exp(-100 * typed_panel.morgans()[i - 1] * switches_per_cm))) {
      switched = !switched;
    }
    for (int t = 0; t < ploidy; ++t) {
      const uint32_t source = first + static_cast<uint32_t>(ploidy == 2 && switched ? 1 - t : t);
      sources[t][i] = source;
      if (i == m) continue;
      uint8_t allele = typed_panel.haplotype_bits(source)[i / 64] >> (i % 64) & 1;
      if (random.Bernoulli(error_rate)) allele ^= 1;
      if (random.Bernoulli(missing_rate)) allele = kMissingAllele;
      alleles_of[t][i] = allele;
    }
  }
  ExcludedHaplotypes own;
  for (int t = 0; t < ploidy; ++t) own.haplotypes[own.count++] = first + static_cast<uint32_t>(t);
  std::vector<Target> targets;
  for (int t = 0; t < ploidy; ++t) {
    targets.push_back({std::move(sources[t]), TargetHaplotype(std::move(alleles_of[t]), own)});
  }
  return targets;
}

void TrainingTask::AddEpisodes(size_t stretches, RandomStream random, EpisodeBatch& batch) const {
  const Context& c = *context_;
  const Context::Person& person = c.people[random.UniformInt(c.people.size())];
  const std::vector<Context::Target>& targets = person.targets;
  CopyingStates states;
  CandidateFinder finder(c.window.options());
  Ancestry ancestry(c.typed_panel, *c.estimates.populations);
  std::vector<CopyCandidates> candidates(targets.size());
  for (size_t t = 0; t < targets.size(); ++t) {
    c.selection->Get(person.first_selected + t, StateTargets::kOne, states);
    finder.Find(c.typed_panel, c.estimates.copying.model, targets[t].typed, states, candidates[t]);
  }
  ancestry.Estimate(candidates);
  MatchFeatures features(c.typed_panel, ancestry);
  for (size_t t = 0; t < targets.size(); ++t) {
    for (size_t k = 0; k < stretches; ++k) {
      features.StartTarget(targets[t].typed, candidates[t]);
      c.AddStretch(targets[t], candidates[t], features, person.sample, random, batch);
    }
  }
}

void TrainingTask::Context::AddStretch(const Target& target, const CopyCandidates& candidates, MatchFeatures& features,
                                       size_t sample, RandomStream& random, EpisodeBatch& batch) const {
  const auto anchors = typed_panel.anchors();
  const size_t stretch = std::min(options.stretch, anchors.size());
  const size_t first = random.UniformInt(anchors.size() - stretch + 1);
  const size_t markers = alleles.first_marker(anchors[first + stretch - 1] + 1) - alleles.first_marker(anchors[first]);
  const double kept_share =
      std::min(1.0, static_cast<double>(options.max_markers) / static_cast<double>(std::max<size_t>(markers, 1)));
  std::vector<CandidateMask> carriers;
  CopyFeatures copy;
  TargetRegression target_regression(regression, panel, sample, target.typed);
  for (uint32_t anchor : anchors.subspan(first, stretch)) {
    features.Fill(anchor, copy);
    batch.AddInterval(copy, panel_features, candidates.count[anchor]);
    alleles.FindCarriers(anchor, candidates.haplotypes(anchor), carriers);
    size_t interval = typed_panel.num_intervals();  // the interval of marker m; searched for at the first marker
    for (size_t m = alleles.first_marker(anchor); m < alleles.first_marker(anchor + 1); ++m) {
      if (interval == typed_panel.num_intervals()) {
        const auto typed = typed_panel.typed();
        interval = static_cast<size_t>(std::lower_bound(typed.begin(), typed.end(), m) - typed.begin());
      }
      while (interval < typed_panel.num_typed() && typed_panel.typed()[interval] < m) ++interval;
      const uint32_t typed = alleles.typed_index(m);
      if (typed != WindowAlleles::kUntyped && target.typed.alleles[typed] != kMissingAllele) continue;
      if (!random.Bernoulli(kept_share)) continue;
      AddMarker(m, interval, target.source[interval], carriers[m - alleles.first_marker(anchor)],
                candidates.count[anchor], sample, target_regression, batch);
    }
  }
}

void TrainingTask::Context::AddMarker(size_t marker, size_t interval, uint32_t source, const CandidateMask& carriers,
                                      size_t count, size_t sample, TargetRegression& target_regression,
                                      EpisodeBatch& batch) const {
  // The counts of the panel must not include the target: they are those of the other samples.
  const int minor = panel.minor_is_alt(marker) ? 1 : 0;
  const size_t n = panel.num_haplotypes();
  size_t own = 0;
  for (uint32_t h = panel.samples().first_haplotype[sample]; h < panel.samples().first_haplotype[sample + 1]; ++h) {
    own += panel.allele(marker, h) == minor;
  }
  const size_t alt = panel.alt_count(marker);
  const size_t others = (minor == 1 ? alt : n - alt) - own;
  const size_t ploidy = static_cast<size_t>(panel.samples().ploidy(sample));
  if (others == 0) return;  // a panel without the target would not have this marker
  MarkerFeatures f = ComputeMarkerFeatures(others, n - ploidy, FindPlace(panel, marker, typed_panel, interval, map));
  const float truth = panel.allele(marker, source) == minor ? 1.0f : 0.0f;
  const CandidateMask all = CandidateMask::First(count);
  if (carriers.None() || carriers == all) {
    batch.plain_frequency.push_back(f.minor_frequency);
    batch.plain_candidate.push_back(carriers.None() ? 0.0f : 1.0f);
    batch.plain_truth.push_back(truth);
    return;
  }
  const TargetRegression::Prediction predicted = target_regression.Predict(marker, interval, f.minor_frequency);
  f.regression_r2 = predicted.r2;
  batch.AddMarker(f, predicted.probability, carriers);
  batch.truth.push_back(truth);
}

}  // namespace haplospin
