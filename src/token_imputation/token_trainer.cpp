#include "token_imputation/token_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "assessment/genotype_accuracy.h"
#include "core/log.h"
#include "core/progress.h"
#include "core/random.h"
#include "haplospin/errors.h"
#include "models/architecture.h"
#include "models/table_loss.h"
#include "nn/checkpoint.h"
#include "nn/device.h"
#include "nn/optimization/adam.h"
#include "nn/optimization/gradient_clipping.h"
#include "nn/optimization/lookahead.h"
#include "nn/optimization/mixed_precision.h"
#include "nn/optimization/schedule.h"
#include "nn/random_state.h"
#include "nn/tensor_file.h"
#include "token_imputation/token_model_file.h"

namespace haplospin {
namespace {

enum Stream : uint64_t { kSplit, kSteps };  // keys of random streams

constexpr size_t kMaxValidationWindows = 8;
const std::string kConfiguration = "configuration", kBestStep = "best_step", kBestR2 = "best_r2";

std::string BestPath(const TokenTraining& training) { return training.checkpoint + ".best"; }

void CheckOptions(const TokenTraining& training) {
  if (training.stop_after > 0 && training.checkpoint.empty()) {
    throw InputError("train: --stop-after needs --checkpoint");
  }
  if (training.encode && (!ArchitectureOf(training.network).encodes || training.windows != 1)) {
    throw InputError("train: --encode needs --arch spin and one window; leave it out");
  }
  if (!training.resume) return;
  if (training.checkpoint.empty()) throw InputError("train: --resume needs --checkpoint");
  if (!std::filesystem::exists(training.checkpoint)) {
    throw InputError(training.checkpoint + ": no such checkpoint; start without --resume");
  }
}

// What a resumed run must have in common with the one it goes on from.
std::string ConfigurationOf(const TokenTraining& t, const TokenNetworkOptions& network, const HaplotypePanel& panel) {
  nlohmann::json object = network;
  object["windows"] = t.windows;
  object["masking"] = t.masking == TokenMasking::kChunk ? "chunk" : "token";
  object["target_mask"] = t.target_mask;
  object["attribute_mask"] = t.attribute_mask;
  object["tradeoff"] = t.tradeoff;
  object["steps"] = t.steps;
  object["rows"] = t.rows;
  object["learning_rate"] = t.learning_rate;
  object["flat_share"] = t.flat_share;
  object["weight_decay"] = t.weight_decay;
  object["clip"] = t.clip;
  object["validation_share"] = t.validation_share;
  object["validation_steps"] = t.validation_steps;
  object["seed"] = t.seed;
  object["panel"] =
      fmt::format("{}:{}-{}, {} haplotypes, {} markers", panel.contig(), panel.marker(0).position,
                  panel.marker(panel.num_markers() - 1).position, panel.num_haplotypes(), panel.num_markers());
  return object.dump();
}

// Haplotypes to learn from and, of other samples, to validate with.
struct Split {
  torch::Tensor training, validation;
};

Split SplitHaplotypes(const HaplotypePanel& panel, double validation_share, uint64_t seed) {
  const SampleTable& samples = panel.samples();
  std::vector<uint32_t> order(samples.num_samples());
  std::iota(order.begin(), order.end(), 0u);
  RandomStream random(seed, {kSplit});
  random.Shuffle(std::span(order));
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

struct Losses {
  double labels = 0, attributes = 0;
  int64_t steps = 0;
};

class TokenTrainer {
 public:
  TokenTrainer(const TokenTraining& training, const HaplotypePanel& panel, const SiteList& array);
  TokenTrainingResult Run();

 private:
  void ChooseWindows(const SiteList& array);
  void ChoosePoints();
  int64_t RowsInAStep(int64_t available) const;
  TokenTable DrawRows(int64_t step, const torch::Tensor& among) const;
  TableLosses LossOf(const TokenTable& rows);
  TableLosses LossOfChunks(const MaskedTable& table, const torch::Tensor& truth, const torch::Tensor& present);
  TableLosses LossOfTokens(MaskedTable table, const torch::Tensor& truth, const torch::Tensor& present);
  void Step(int64_t step, Losses& running);
  [[noreturn]] void FailAt(int64_t step) const;
  double Validate(int64_t step);
  void KeepIfBest(int64_t step, double r2);
  void Save(int64_t steps_done);
  void LoadFromCheckpoint();
  void Write();

  const TokenTraining& training_;
  const HaplotypePanel& panel_;
  torch::Device device_;
  TokenNetworkOptions options_;
  std::vector<TokenWindow> windows_;
  std::vector<TokenTable> tables_;  // of each window, all haplotypes
  Split split_;
  torch::Tensor is_target_;  // [d]
  Attributes attributes_;
  std::string configuration_;
  std::shared_ptr<ContextNetwork> network_;
  std::unique_ptr<Lookahead> optimizer_;
  int64_t rows_ = 0;  // in a step
  int64_t first_step_ = 0;
  NamedTensors best_weights_;
  TokenTrainingResult result_;
};

TokenTrainer::TokenTrainer(const TokenTraining& training, const HaplotypePanel& panel, const SiteList& array)
    : training_(training), panel_(panel), device_(ParseDevice(training.device)), options_(training.network) {
  ChooseWindows(array);
  ChoosePoints();
  split_ = SplitHaplotypes(panel, training.validation_share, training.seed);
  for (const TokenWindow& window : windows_) tables_.push_back(PanelTokens(panel, window, options_.shape));
  is_target_ = IsTargetColumn(options_.shape).to(device_);
  attributes_ = TokenAttributes(options_.shape);
  configuration_ = ConfigurationOf(training, options_, panel);

  SeedGenerators(training.seed);
  network_ = MakeTokenNetwork(options_, training.max_bytes);
  network_->to(device_);
  AdamOptions lamb = Lamb::DefaultOptions();
  lamb.weight_decay = training.weight_decay;
  optimizer_ =
      std::make_unique<Lookahead>(std::make_unique<Lamb>(TrainableParameters(*network_), lamb), LookaheadOptions{});
  rows_ = RowsInAStep(split_.training.size(0));
  LogInfo(
      "{}: {} parameters; {} window{} of {} array sites and {} markers to impute; {} haplotypes to learn from, {} "
      "to validate with, {} in a step",
      options_.architecture, ParameterCount(*network_), windows_.size(), windows_.size() == 1 ? "" : "s",
      options_.shape.inputs, options_.shape.targets, split_.training.size(0), split_.validation.size(0), rows_);
}

// Windows of as many sites as asked for or, where the panel has fewer, of all.
void TokenTrainer::ChooseWindows(const SiteList& array) {
  std::vector<uint32_t> typed;
  for (size_t m = 0; m < panel_.num_markers(); ++m) {
    if (array.Contains(panel_.contig(), panel_.marker(m).position)) typed.push_back(static_cast<uint32_t>(m));
  }
  const std::vector<uint32_t> untyped = UntypedMarkers(typed, {0, panel_.num_markers()});
  if (typed.empty() || untyped.empty()) {
    throw InputError(
        fmt::format("train: of the panel's {} markers in {}:{}-{} {} are on the array; there must be some, "
                    "and some to impute: give another --region or another list --sites",
                    panel_.num_markers(), panel_.contig(), panel_.marker(0).position,
                    panel_.marker(panel_.num_markers() - 1).position, typed.size()));
  }
  TokenShape& shape = options_.shape;
  if (typed.size() < shape.inputs || untyped.size() < shape.targets) {
    LogWarning("the region has {} array sites and {} markers to impute, not {} and {}; using what there is",
               typed.size(), untyped.size(), shape.inputs, shape.targets);
    shape.inputs = std::min(shape.inputs, typed.size());
    shape.targets = std::min(shape.targets, untyped.size());
  }
  if (training_.windows > 1) shape.minor_alleles = options_.share_classes = true;
  windows_ = SpreadWindows(panel_, typed, untyped, shape, static_cast<size_t>(training_.windows));
}

// A model of one window learns it by heart, and few points do. One for many has to look haplotypes up: SPIN needs more
// points for it, in each of which every token has its place.
void TokenTrainer::ChoosePoints() {
  constexpr int64_t kPaperPoints = 10, kSharedPoints = 512;
  const Architecture& architecture = ArchitectureOf(options_);
  const bool shared = windows_.size() > 1;
  const auto tokens = static_cast<int64_t>(options_.shape.tokens());
  const bool looks_up = shared && architecture.encodes;
  if (options_.inducing_points == 0) options_.inducing_points = looks_up ? kSharedPoints : kPaperPoints;
  if (options_.latent_attributes == 0) options_.latent_attributes = looks_up ? tokens : kPaperPoints;
  if (!shared || (looks_up && options_.layers == "xaba")) return;  // without XABD there is nothing to look up
  options_.starts_as_smoother =
      architecture.can_start_as_smoother(options_, tokens, static_cast<int64_t>(options_.shape.kmer));
  if (!options_.starts_as_smoother) {
    LogWarning(
        "training starts at random, and will take very long to look the panel up; better are spin with as many "
        "--latent-attributes as tokens, {}, and npt with a --width above --kmer",
        tokens);
  }
}

int64_t TokenTrainer::RowsInAStep(int64_t available) const {
  const int64_t wanted = training_.rows == 0 ? available : std::min(training_.rows, available);
  const int64_t allowed = TokenRowsWithin(options_, training_.max_bytes, /*training=*/true);
  if (allowed < wanted) {
    LogWarning("{} haplotypes in a step, not {}: more would not fit into {} MiB (--memory)", allowed, wanted,
               training_.max_bytes >> 20);
  }
  return std::min(wanted, allowed);
}

// Of a window drawn for this step.
TokenTable TokenTrainer::DrawRows(int64_t step, const torch::Tensor& among) const {
  RandomStream random(training_.seed, {kSteps, static_cast<uint64_t>(step)});
  const TokenTable& table = tables_[random.UniformInt(tables_.size())];
  std::vector<int64_t> rows(among.data_ptr<int64_t>(), among.data_ptr<int64_t>() + among.numel());
  random.Shuffle(std::span(rows));
  rows.resize(static_cast<size_t>(rows_));
  return table.Rows(torch::tensor(rows));
}

TableLosses TokenTrainer::LossOf(const TokenTable& rows) {
  const MaskedTable table = rows.ToTable(device_);
  const torch::Tensor truth = rows.tokens.to(device_).to(torch::kFloat32);
  const torch::Tensor present = ~table.masked;
  const MixedPrecision mixed(device_, training_.mixed_precision);
  return training_.masking == TokenMasking::kChunk ? LossOfChunks(table, truth, present)
                                                   : LossOfTokens(table, truth, present);
}

// The rows were drawn at random: the first of them are the query.
TableLosses TokenTrainer::LossOfChunks(const MaskedTable& table, const torch::Tensor& truth,
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

TableLosses TokenTrainer::LossOfTokens(MaskedTable table, const torch::Tensor& truth, const torch::Tensor& present) {
  MaskAtRandom(table, attributes_, is_target_ & present, training_.target_mask);
  MaskAtRandom(table, attributes_, ~is_target_ & present, training_.attribute_mask);
  return TableLoss(network_->Train(table, {}, {}), truth, table.in_loss, is_target_, attributes_);
}

void TokenTrainer::FailAt(int64_t step) const {
  throw InputError(fmt::format("train: the loss is not a number at step {}; {}; lower --learning-rate", step,
                               training_.checkpoint.empty()
                                   ? "nothing was kept"
                                   : training_.checkpoint + " holds the last good state, if one was reached"));
}

void TokenTrainer::Step(int64_t step, Losses& running) {
  const TableLosses losses = LossOf(DrawRows(step, split_.training));
  const torch::Tensor total = losses.Total(AnnealedTradeoff(training_.tradeoff, step, training_.steps));
  if (!std::isfinite(total.item<double>())) FailAt(step);
  optimizer_->ZeroGrad();
  total.backward();
  ClipGradients(optimizer_->parameters(), {ClippingKind::kValue, training_.clip});
  optimizer_->Step(training_.learning_rate * FlatThenAnneal(training_.steps, training_.flat_share)(step));
  running.labels += losses.labels.item<double>();
  running.attributes += losses.attributes.item<double>();
  ++running.steps;
}

// Pooled R2 over the validation haplotypes, each imputed from those that are learnt from.
double TokenTrainer::Validate(int64_t step) {
  const torch::NoGradGuard no_grad;
  const SlowWeights slow(*optimizer_);
  network_->eval();
  const int64_t context_rows =
      ArchitectureOf(options_).encodes ? split_.training.size(0) : std::min(rows_, split_.training.size(0));
  const torch::Tensor context_haplotypes = split_.training.narrow(0, 0, context_rows);
  const auto k = static_cast<int64_t>(options_.shape.kmer);
  const auto first_target = static_cast<int64_t>(options_.shape.input_tokens());
  DosageSums sums;
  const size_t windows = std::min(windows_.size(), kMaxValidationWindows);
  for (size_t i = 0; i < windows; ++i) {
    const size_t w = windows == 1 ? 0 : (windows_.size() - 1) * i / (windows - 1);
    const TokenTable truth = tables_[w].Rows(split_.validation);
    MaskedTable query = truth.ToTable(device_);
    Hide(query, is_target_.expand_as(query.masked));
    torch::Tensor logits;
    {
      const MixedPrecision mixed(device_, training_.mixed_precision);
      logits = network_->Predict(network_->Encode(tables_[w].Rows(context_haplotypes).ToTable(device_)), query);
    }
    const torch::Tensor p = AlleleProbabilities(logits, options_.shape).cpu();
    if (!p.isfinite().all().item<bool>()) FailAt(step);
    for (size_t t = 0; t < windows_[w].targets.size(); ++t) {
      if (windows_[w].targets[t] == kNoMarker) continue;
      const int64_t column = first_target + static_cast<int64_t>(t) / k;
      const int64_t bit = static_cast<int64_t>(t) % k;
      const torch::Tensor imputed = p.select(1, column).select(1, bit).contiguous();
      const torch::Tensor tokens = truth.tokens.select(1, column).contiguous();
      // Of ALT, whatever the bits of a shared model's tokens are.
      const bool flip = BitIsRef(panel_, windows_[w].targets[t], options_.shape);
      for (int64_t h = 0; h < imputed.numel(); ++h) {
        const double dosage = imputed.data_ptr<float>()[h];
        const double allele = tokens.data_ptr<uint8_t>()[h] >> bit & 1;
        sums.Add(flip ? 1 - dosage : dosage, flip ? 1 - allele : allele);
      }
    }
  }
  network_->train();
  const double r2 = sums.PooledR2();
  return std::isfinite(r2) ? r2 : 0.0;
}

void TokenTrainer::KeepIfBest(int64_t step, double r2) {
  if (result_.best_step > 0 && r2 <= result_.validation_r2) return;
  result_.best_step = step;
  result_.validation_r2 = r2;
  const SlowWeights slow(*optimizer_);
  best_weights_.clear();
  for (const auto& [name, tensor] : ModuleState(*network_)) {
    best_weights_.emplace(name, tensor.detach().clone().cpu());
  }
  if (!training_.checkpoint.empty()) {
    WriteTensorFile(BestPath(training_), best_weights_, {{kConfiguration, configuration_}});
  }
}

void TokenTrainer::Save(int64_t steps_done) {
  for (const NamedParameter& parameter : optimizer_->parameters()) {
    if (!parameter.tensor.isfinite().all().item<bool>()) FailAt(steps_done);
  }
  SaveCheckpoint(training_.checkpoint, *network_, *optimizer_,
                 {steps_done,
                  {{kConfiguration, configuration_},
                   {kBestStep, std::to_string(result_.best_step)},
                   {kBestR2, fmt::format("{}", result_.validation_r2)}}});
}

void TokenTrainer::LoadFromCheckpoint() {
  const std::string& path = training_.checkpoint;
  const Safetensors file = ReadSafetensors(path);
  const auto found = file.metadata.find(kConfiguration);
  if (found == file.metadata.end() || found->second != configuration_) {
    throw InputError(
        fmt::format("{}: a checkpoint of {}, but this run is {}; give the same options, or start without "
                    "--resume",
                    path, found == file.metadata.end() ? "another command" : found->second, configuration_));
  }
  result_.best_step = std::stoll(file.Metadata(kBestStep));
  result_.validation_r2 = std::stod(file.Metadata(kBestR2));
  first_step_ = LoadCheckpoint(path, *network_, *optimizer_).step;
  if (result_.best_step == 0) return;
  best_weights_ = FileTensors(ReadSafetensors(BestPath(training_)));
  CheckSameNamesAndShapes(ModuleState(*network_), best_weights_, BestPath(training_));
}

void TokenTrainer::Write() {
  LoadModuleState(*network_, best_weights_, "the best weights");
  TokenModelFile model{.network = options_, .weights = best_weights_, .provenance = training_.provenance};
  model.results = {{"steps", std::to_string(training_.steps)},
                   {"best_step", std::to_string(result_.best_step)},
                   {"validation_r2", fmt::format("{:.5f}", result_.validation_r2)}};
  if (windows_.size() == 1) {
    model.sites = WindowSites{.contig = panel_.contig(), .inputs = {}, .targets = {}};
    for (uint32_t m : windows_[0].inputs) model.sites->inputs.push_back(panel_.marker(m));
    for (uint32_t m : windows_[0].targets) model.sites->targets.push_back(panel_.marker(m));
  }
  if (training_.encode) {
    const torch::NoGradGuard no_grad;
    network_->eval();
    model.inducing_points = network_->Encode(tables_[0].ToTable(device_)).inducing_points.cpu();
  }
  WriteTokenModel(training_.out, model);
}

TokenTrainingResult TokenTrainer::Run() {
  if (training_.resume) LoadFromCheckpoint();
  network_->train();
  Progress progress("training", "steps", static_cast<double>(training_.steps));
  Losses running;
  for (int64_t step = first_step_; step < training_.steps; ++step) {
    Step(step, running);
    const int64_t done = step + 1;
    const bool last = done == training_.steps;
    const bool stop = training_.stop_after > 0 && done - first_step_ >= training_.stop_after && !last;
    if (done % training_.validation_steps == 0 || last) {
      const double r2 = Validate(done);
      KeepIfBest(done, r2);
      LogInfo("step {}: validation R2 {:.4f} (best {:.4f} at step {})", done, r2, result_.validation_r2,
              result_.best_step);
    }
    if (done % training_.log_steps == 0 || last) {
      const auto n = static_cast<double>(running.steps);
      LogInfo("step {}: loss of labels {:.4f}, of attributes {:.4f}", done, running.labels / n, running.attributes / n);
      running = {};
    }
    if (!training_.checkpoint.empty() && (done % training_.checkpoint_steps == 0 || last || stop)) Save(done);
    progress.Set(static_cast<double>(done));
    if (stop) return result_;
  }
  progress.Finish();
  Write();
  result_.finished = true;
  return result_;
}

}  // namespace

TokenTrainingResult TrainTokenNetwork(const TokenTraining& training, const HaplotypePanel& panel,
                                      const SiteList& array) {
  CheckOptions(training);
  HS_ASSERT(panel.num_markers() > 0 && panel.samples().num_samples() >= 2);
  return TokenTrainer(training, panel, array).Run();
}

}  // namespace haplospin
