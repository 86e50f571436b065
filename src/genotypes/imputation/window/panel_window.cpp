#include "genotypes/imputation/window/panel_window.h"

#include <algorithm>
#include <utility>

namespace haplospin {
namespace {

std::vector<MarkerFeatures> FeaturesOfMarkers(const PanelWindow& window) {
  const HaplotypePanel& panel = window.panel();
  const std::vector<uint32_t>& typed = window.typed_markers();
  const MarkerRange wanted = window.wanted();
  std::vector<MarkerFeatures> features;
  features.reserve(wanted.size());
  size_t interval = 0;
  for (size_t m = wanted.begin; m < wanted.end; ++m) {
    while (interval < typed.size() && typed[interval] < m) ++interval;
    const size_t alt = panel.alt_count(m);
    features.push_back(ComputeMarkerFeatures(std::min(alt, panel.num_haplotypes() - alt), panel.num_haplotypes(),
                                             PlaceOf(panel, m, window.typed_panel(), interval, window.map())));
    features.back().regression_r2 = window.regression().r2(m);
  }
  return features;
}

}  // namespace

PanelWindow::PanelWindow(const HaplotypePanel& panel, const GeneticMap& map, std::vector<uint32_t> typed,
                         MarkerRange wanted)
    : PanelWindow(panel, map, std::move(typed), wanted, CopyingOptions().ForPanel(panel.num_haplotypes())) {}

PanelWindow::PanelWindow(const HaplotypePanel& panel, const GeneticMap& map, std::vector<uint32_t> typed,
                         MarkerRange wanted, const CopyingOptions& options)
    : panel_(panel), map_(map), typed_(std::move(typed)), wanted_(wanted), options_(options) {}

const TypedPanel& PanelWindow::typed_panel() const {
  if (!typed_panel_) typed_panel_.emplace(panel_, typed_, map_);
  return *typed_panel_;
}

const PanelSample& PanelWindow::panel_sample() const {
  if (!panel_sample_) panel_sample_.emplace(typed_panel(), options_);
  return *panel_sample_;
}

const PanelCopying& PanelWindow::copying() const {
  if (!copying_) copying_ = EstimatePanelCopying(typed_panel(), options_);
  return *copying_;
}

void PanelWindow::EstimateCopying(const StateSelection& selection) {
  copying_ = EstimatePanelCopying(typed_panel(), panel_sample(), selection, options_);
}

void PanelWindow::SetEstimates(PanelCopying copying, std::shared_ptr<const PanelPopulations> populations) {
  copying_ = std::move(copying);
  populations_ = std::move(populations);
}

const PanelPopulations& PanelWindow::populations() const {
  if (!populations_) populations_ = std::make_shared<const PanelPopulations>(panel_);
  return *populations_;
}

const WindowAlleles& PanelWindow::alleles() const {
  if (!alleles_) alleles_.emplace(panel_, typed_panel(), wanted_.begin, wanted_.end);
  return *alleles_;
}

const WindowRegression& PanelWindow::regression() const {
  if (!regression_) regression_.emplace(panel_, typed_panel(), wanted_.begin, wanted_.end);
  return *regression_;
}

const std::vector<MarkerFeatures>& PanelWindow::marker_features() const {
  if (!marker_features_) marker_features_ = FeaturesOfMarkers(*this);
  return *marker_features_;
}

void PanelWindow::ComputeAll() const {
  copying();
  populations();
  alleles();
  regression();
  marker_features();
}

}  // namespace haplospin
