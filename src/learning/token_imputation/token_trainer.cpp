#include "learning/token_imputation/token_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/log.h"
#include "core/random.h"
#include "genotypes/genomics/dosage_r2.h"
#include "haplospin/errors.h"
#include "learning/models/context_network.h"
#include "learning/models/table_model.h"
#include "learning/nn/device.h"
#include "learning/nn/random_state.h"
#include "learning/nn/training/training_run.h"
#include "learning/token_imputation/token_network.h"
#include "learning/token_imputation/token_window.h"

namespace haplospin {
namespace {

enum Stream : uint64_t { kSplit, kSteps };  // keys of random streams

constexpr size_t kMaxValidationWindows = 8;

void CheckOptions(const TokenTraining& training) {
  CheckTrainingOptions(training);
  if (training.encode && (!FindArchitecture(training.network).encodes || training.windows != 1)) {
    throw InputError("train: --encode needs --arch spin and one window; omit it");
  }
}

// Haplotypes for training and, of other samples, for validation.
struct Split {
  torch::Tensor training, validation;
};

Split SplitHaplotypes(const HaplotypePanel& panel, double validation_share, uint64_t seed) {
  const SampleTable& samples = panel.samples();
  RandomStream random(seed, {kSplit});
  std::vector<uint32_t> order = RandomOrder<uint32_t>(samples.num_samples(), random);
  const auto share = static_cast<size_t>(std::lround(validation_share * static_cast<double>(order.size())));
  const size_t held_out = std::clamp<size_t>(share, 1, order.size() - 1);
  std::vector<int64_t> training, validation;
  for (size_t i = 0; i < order.size(); ++i) {
    for (uint32_t h = samples.first_haplotype[order[i]]; h < samples.first_haplotype[order[i] + 1]; ++h) {
      (i < held_out ? validation : training).push_back(h);
    }
  }
  return {torch::tensor(training), torch::tensor(validation)};
}

MaskedTable RowRange(const MaskedTable& table, int64_t first, int64_t count) {
  return {table.values.narrow(0, first, count), table.masked.narrow(0, first, count),
          table.in_loss.narrow(0, first, count)};
}

class TokenObjective : public TrainingObjective {
 public:
  TokenObjective(const TokenTraining& training, const HaplotypePanel& panel, const SiteList& array,
                 torch::Device device);

  torch::nn::Module& network() override { return *network_; }
  nlohmann::json Configuration() const override;
  StepLosses AddGradients(const TrainingStep& step) override;
  std::string LossText(const std::vector<double>& means) const override;
  double Validate() override;
  std::string ScoreText(double score) const override { return fmt::format("R2 {:.4f}", score); }

  // Writes the model with the network's present weights.
  void Write(const TrainingResult& result);

 private:
  void ChooseWindows(const SiteList& array);
  void ChoosePoints();
  int64_t RowsInAStep(int64_t available) const;
  TokenTable DrawRows(int64_t step, const torch::Tensor& among) const;
  TableLosses ComputeLosses(const TokenTable& rows);
  TableLosses ChunkLoss(const MaskedTable& table, const torch::Tensor& truth, const torch::Tensor& present);
  TableLosses TokenLoss(MaskedTable table, const torch::Tensor& truth, const torch::Tensor& present);
  torch::Tensor ValidationProbabilities(size_t window, const TokenTable& truth);
  void AddToR2(size_t window, const TokenTable& truth, const torch::Tensor& probabilities, DosageSums& sums) const;

  const TokenTraining& training_;
  const HaplotypePanel& panel_;
  torch::Device device_;
  TokenNetworkOptions options_;
  std::vector<TokenWindow> windows_;
  std::vector<TokenTable> tables_;  // the tokens of all haplotypes, for each window
  Split split_;
  torch::Tensor is_target_;  // [d]
  Attributes attributes_;
  std::shared_ptr<ContextNetwork> network_;
  int64_t rows_ = 0;  // haplotypes in a step
};

TokenObjective::TokenObjective(const TokenTraining& training, const HaplotypePanel& panel, const SiteList& array,
                               torch::Device device)
    : training_(training), panel_(panel), device_(device), options_(training.network) {
  ChooseWindows(array);
  ChoosePoints();
  split_ = SplitHaplotypes(panel, training.validation_share, training.seed);
  for (const TokenWindow& window : windows_) tables_.push_back(PanelTokens(panel, window, options_.shape));
  is_target_ = IsTargetColumn(options_.shape).to(device_);
  attributes_ = TokenAttributes(options_.shape);

  SeedGenerators(training.seed);
  network_ = MakeTokenNetwork(options_, training.max_bytes);
  network_->to(device_);
  rows_ = RowsInAStep(split_.training.size(0));
  LogInfo(
      "{}: {} parameters; {} window{} of {} array sites and {} markers to impute; {} haplotypes for training, {} for "
      "validation, {} per step",
      options_.architecture, ParameterCount(*network_), windows_.size(), windows_.size() == 1 ? "" : "s",
      options_.shape.inputs, options_.shape.targets, split_.training.size(0), split_.validation.size(0), rows_);
}

nlohmann::json TokenObjective::Configuration() const {
  nlohmann::json object = options_;
  object["windows"] = training_.windows;
  object["masking"] = training_.masking == TokenMasking::kChunk ? "chunk" : "token";
  object["target_mask"] = training_.target_mask;
  object["attribute_mask"] = training_.attribute_mask;
  object["tradeoff"] = training_.tradeoff;
  object["rows"] = rows_;
  object["flat_share"] = training_.flat_share;
  object["clip"] = training_.clip;
  object["validation_share"] = training_.validation_share;
  object["panel"] =
      fmt::format("{}:{}-{}, {} haplotypes, {} markers", panel_.contig(), panel_.marker(0).position,
                  panel_.marker(panel_.num_markers() - 1).position, panel_.num_haplotypes(), panel_.num_markers());
  return object;
}

// Windows of the requested number of sites or, if the panel has fewer, of all of them.
void TokenObjective::ChooseWindows(const SiteList& array) {
  std::vector<uint32_t> typed;
  for (size_t m = 0; m < panel_.num_markers(); ++m) {
    if (array.Contains(panel_.contig(), panel_.marker(m).position)) typed.push_back(static_cast<uint32_t>(m));
  }
  const std::vector<uint32_t> untyped = UntypedMarkers(typed, {0, panel_.num_markers()});
  if (typed.empty() || untyped.empty()) {
    throw InputError(
        fmt::format("train: of the panel's {} markers in {}:{}-{} {} are on the array; both typed markers and markers "
                    "to impute are needed: give another --region or another --sites",
                    panel_.num_markers(), panel_.contig(), panel_.marker(0).position,
                    panel_.marker(panel_.num_markers() - 1).position, typed.size()));
  }
  TokenShape& shape = options_.shape;
  if (typed.size() < shape.inputs || untyped.size() < shape.targets) {
    LogWarning("the region has {} array sites and {} markers to impute, fewer than {} and {}; all of them are used",
               typed.size(), untyped.size(), shape.inputs, shape.targets);
    shape.inputs = std::min(shape.inputs, typed.size());
    shape.targets = std::min(shape.targets, untyped.size());
  }
  if (training_.windows > 1) shape.minor_alleles = options_.share_classes = true;
  windows_ = SpreadWindows(panel_, typed, untyped, shape, static_cast<size_t>(training_.windows));
}

// A model of one window memorizes it, and few inducing points are enough. A model of many windows has to look up
// haplotypes: SPIN needs more inducing points for it, with a latent attribute for every token.
void TokenObjective::ChoosePoints() {
  constexpr int64_t kPaperPoints = 10, kSharedPoints = 512;
  const Architecture& architecture = FindArchitecture(options_);
  const bool shared = windows_.size() > 1;
  const auto tokens = static_cast<int64_t>(options_.shape.tokens());
  const bool looks_up = shared && architecture.encodes;
  if (options_.inducing_points == 0) options_.inducing_points = looks_up ? kSharedPoints : kPaperPoints;
  if (options_.latent_attributes == 0) options_.latent_attributes = looks_up ? tokens : kPaperPoints;
  if (!shared || (looks_up && options_.layers.starts_with("xaba")))
    return;  // haplotypes cannot be looked up without XABD
  options_.starts_as_smoother =
      architecture.can_start_as_smoother(options_, tokens, static_cast<int64_t>(options_.shape.kmer));
  if (!options_.starts_as_smoother) {
    LogWarning(
        "the network is initialized at random and will take very long to learn to look up haplotypes; use spin with as "
        "many --latent-attributes as tokens, {}, or npt with a --width above --kmer",
        tokens);
  }
}

int64_t TokenObjective::RowsInAStep(int64_t available) const {
  const int64_t wanted = training_.rows == 0 ? available : std::min(training_.rows, available);
  const int64_t allowed = TokenRowsWithin(options_, training_.max_bytes, /*training=*/true);
  if (allowed < wanted) {
    LogWarning("{} haplotypes per step instead of {}: more would not fit into {} MiB (--memory)", allowed, wanted,
               training_.max_bytes >> 20);
  }
  return std::min(wanted, allowed);
}

// Draws the window and the haplotypes of this step and process.
TokenTable TokenObjective::DrawRows(int64_t step, const torch::Tensor& among) const {
  const auto rank = static_cast<uint64_t>(training_.place.rank), number = static_cast<uint64_t>(step);
  RandomStream random =
      rank == 0 ? RandomStream(training_.seed, {kSteps, number}) : RandomStream(training_.seed, {kSteps, number, rank});
  const TokenTable& table = tables_[random.UniformInt(tables_.size())];
  std::vector<int64_t> rows(among.data_ptr<int64_t>(), among.data_ptr<int64_t>() + among.numel());
  random.Shuffle(std::span(rows));
  rows.resize(static_cast<size_t>(rows_));
  return table.Rows(torch::tensor(rows));
}

TableLosses TokenObjective::ComputeLosses(const TokenTable& rows) {
  const MaskedTable table = rows.ToTable(device_);
  const torch::Tensor truth = rows.tokens.to(device_).to(torch::kFloat32);
  const torch::Tensor present = ~table.masked;
  const MixedPrecision mixed(device_, training_.mixed_precision);
  return training_.masking == TokenMasking::kChunk ? ChunkLoss(table, truth, present)
                                                   : TokenLoss(table, truth, present);
}

// The rows were drawn at random: the first of them are the query.
TableLosses TokenObjective::ChunkLoss(const MaskedTable& table, const torch::Tensor& truth,
                                      const torch::Tensor& present) {
  const int64_t n = table.values.size(0);
  const int64_t q = std::clamp<int64_t>(std::lround(training_.target_mask * static_cast<double>(n)), 1, n - 1);
  MaskedTable query = RowRange(table, 0, q);
  const torch::Tensor query_present = present.narrow(0, 0, q);
  MaskChunks(query, torch::ones({q}, torch::TensorOptions(device_).dtype(torch::kBool)), is_target_, 1.0);
  query.in_loss = query.in_loss & query_present;
  MaskAtRandom(query, attributes_, ~is_target_ & query_present, training_.attribute_mask);
  return TableLoss(network_->Predict(network_->Encode(RowRange(table, q, n - q)), query), truth.narrow(0, 0, q),
                   query.in_loss, is_target_, attributes_);
}

TableLosses TokenObjective::TokenLoss(MaskedTable table, const torch::Tensor& truth, const torch::Tensor& present) {
  MaskAtRandom(table, attributes_, is_target_ & present, training_.target_mask);
  MaskAtRandom(table, attributes_, ~is_target_ & present, training_.attribute_mask);
  return TableLoss(network_->Train(table, {}, {}), truth, table.in_loss, is_target_, attributes_);
}

StepLosses TokenObjective::AddGradients(const TrainingStep& step) {
  const TableLosses losses = ComputeLosses(DrawRows(step.number, split_.training));
  const torch::Tensor total = losses.Total(AnnealedTradeoff(training_.tradeoff, step.schedule_step, training_.steps));
  total.backward();
  return {.total = total.item<double>(), .parts = {losses.labels.item<double>(), losses.attributes.item<double>()}};
}

std::string TokenObjective::LossText(const std::vector<double>& means) const {
  return fmt::format("loss of labels {:.4f}, of attributes {:.4f}", means[0], means[1]);
}

// The probabilities of alleles [rows, tokens, k] of haplotypes that are imputed from the training haplotypes.
torch::Tensor TokenObjective::ValidationProbabilities(size_t window, const TokenTable& truth) {
  const int64_t context_rows =
      FindArchitecture(options_).encodes ? split_.training.size(0) : std::min(rows_, split_.training.size(0));
  const MaskedTable context = tables_[window].Rows(split_.training.narrow(0, 0, context_rows)).ToTable(device_);
  MaskedTable query = truth.ToTable(device_);
  Hide(query, is_target_.expand_as(query.masked));
  torch::Tensor logits;
  {
    const MixedPrecision mixed(device_, training_.mixed_precision);
    logits = network_->Predict(network_->Encode(context), query);
  }
  return AlleleProbabilities(logits, options_.shape).cpu();
}

void TokenObjective::AddToR2(size_t window, const TokenTable& truth, const torch::Tensor& p, DosageSums& sums) const {
  const std::vector<uint32_t>& targets = windows_[window].targets;
  const auto k = static_cast<int64_t>(options_.shape.kmer);
  const auto first_target = static_cast<int64_t>(options_.shape.input_tokens());
  for (size_t t = 0; t < targets.size(); ++t) {
    if (targets[t] == kNoMarker) continue;
    const int64_t column = first_target + static_cast<int64_t>(t) / k;
    const int64_t bit = static_cast<int64_t>(t) % k;
    const torch::Tensor imputed = p.select(1, column).select(1, bit).contiguous();
    const torch::Tensor tokens = truth.tokens.select(1, column).contiguous();
    // Adds dosages of ALT, also where the bits of tokens are minor alleles.
    const bool flip = BitIsRef(panel_, targets[t], options_.shape);
    for (int64_t h = 0; h < imputed.numel(); ++h) {
      const double dosage = imputed.data_ptr<float>()[h];
      const double allele = tokens.data_ptr<uint8_t>()[h] >> bit & 1;
      sums.Add(flip ? 1 - dosage : dosage, flip ? 1 - allele : allele);
    }
  }
}

// Pooled R2 over the validation haplotypes.
double TokenObjective::Validate() {
  DosageSums sums;
  const size_t windows = std::min(windows_.size(), kMaxValidationWindows);
  for (size_t i = 0; i < windows; ++i) {
    const size_t w = windows == 1 ? 0 : (windows_.size() - 1) * i / (windows - 1);
    const TokenTable truth = tables_[w].Rows(split_.validation);
    const torch::Tensor p = ValidationProbabilities(w, truth);
    if (!p.isfinite().all().item<bool>()) return std::numeric_limits<double>::quiet_NaN();
    AddToR2(w, truth, p, sums);
  }
  const double r2 = sums.PooledR2();
  return std::isfinite(r2) ? r2 : 0.0;
}

void TokenObjective::Write(const TrainingResult& result) {
  TokenModelFile model{.network = options_, .weights = {}, .provenance = training_.provenance};
  for (const auto& [name, tensor] : ModuleState(network())) model.weights.emplace(name, tensor.detach().cpu());
  model.results = {{"steps", std::to_string(result.steps)},
                   {"best_step", std::to_string(result.best.step)},
                   {"validation_r2", fmt::format("{:.5f}", result.best.score)}};
  if (windows_.size() == 1) {
    model.sites = WindowSites{.contig = panel_.contig(), .inputs = {}, .targets = {}};
    for (uint32_t m : windows_[0].inputs) model.sites->inputs.push_back(panel_.marker(m));
    for (uint32_t m : windows_[0].targets) model.sites->targets.push_back(panel_.marker(m));
  }
  if (training_.encode) {
    const torch::NoGradGuard no_grad;
    model.inducing_points = network_->Encode(tables_[0].ToTable(device_)).inducing_points.cpu();
  }
  WriteTokenModel(training_.out, model);
}

}  // namespace

TokenTrainingResult TrainTokenNetwork(const TokenTraining& training, const HaplotypePanel& panel,
                                      const SiteList& array) {
  CheckOptions(training);
  HS_ASSERT(panel.num_markers() > 0 && panel.samples().num_samples() >= 2 && training.validation_steps > 0);
  const torch::Device device = ParseDevice(training.device, training.place.local_rank);
  TokenObjective objective(training, panel, array, device);
  DataParallel processes(training.place, device);
  const TrainingRecipe recipe{.optimizer = {OptimizerKind::kLamb, LookaheadOptions{}},
                              .schedule = FlatThenAnneal(training.steps, training.flat_share),
                              .clipping = {ClippingKind::kValue, training.clip}};
  const TrainingResult result = RunTraining(training, recipe, objective, processes);
  const bool writes = result.is_finished && processes.rank() == 0;
  if (writes) objective.Write(result);
  return {.best_step = result.best.step, .validation_r2 = result.best.score, .finished = writes};
}

}  // namespace haplospin
