#include "tabular/pretrained/fine_tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/random.h"
#include "haplospin/errors.h"
#include "nn/distributed/data_parallel.h"
#include "nn/named_tensors.h"
#include "tabular/pretrained/in_context_loss.h"
#include "tabular/pretrained/in_context_predictor.h"
#include "tabular/pretrained/label_codes.h"
#include "tabular/splits.h"

namespace haplospin {
namespace {

constexpr uint64_t kStepTask = 71, kValidationTask = 72;  // keys of random streams
constexpr size_t kMinRows = 5;                            // with a value of a target, for training on it
constexpr size_t kMaxRowsOfStep = 400;
constexpr double kContextShare = 0.7;  // of the rows of a step; the others are predicted
constexpr size_t kMaxValidationRows = 1024;
constexpr int64_t kWarmUp = 10;  // steps
constexpr double kFlatShare = 0.5;

// At most `count`, evenly spaced ones.
std::vector<size_t> Spread(const std::vector<size_t>& rows, size_t count) {
  std::vector<size_t> spread;
  const size_t stride = (rows.size() + count - 1) / count;
  for (size_t i = 0; i < rows.size(); i += stride) spread.push_back(rows[i]);
  return spread;
}

class FineTuningObjective : public TrainingObjective {
 public:
  FineTuningObjective(const TrainingOptions& options, const InContextNetwork& network, const TrainingTable& data,
                      const TrainingRows& rows)
      : options_(options),
        network_(network),
        device_(network->parameters().front().device()),
        table_(data.table.To(torch::kCPU)),
        attributes_(data.attributes),
        features_((~data.is_target).nonzero().squeeze(1).cpu()) {
    for (int64_t j = 0; j < std::ssize(attributes_); ++j) {
      if (data.is_target[j].item<bool>()) AddTarget(j, data, rows);
    }
    if (!targets_.empty() && !validation_.empty()) return;
    throw InputError(
        fmt::format("--from needs {} training rows and a validation row with a value of a target", kMinRows));
  }

  torch::nn::Module& network() override { return *network_; }

  nlohmann::json Configuration() const override {
    return {{"network", network_->options()}, {"hash_of_table", HashOfTable(table_)}};
  }

  StepLosses AddGradients(const TrainingStep& step) override {
    RandomStream random(options_.seed,
                        {kStepTask, static_cast<uint64_t>(step.number), static_cast<uint64_t>(options_.place.rank)});
    const torch::Tensor loss = PredictTasks(*network_, {DrawTask(random)}, device_).front().Loss();
    loss.backward();
    const auto value = loss.item<double>();
    return {.total = value, .parts = {value}};
  }

  std::string LossText(const std::vector<double>& means) const override { return fmt::format("loss {:.4f}", means[0]); }

  double Validate() override {
    double loss = 0;
    for (const NetworkTask& task : validation_) {
      loss += PredictTasks(*network_, {task}, device_).front().Loss().item<double>();
    }
    return -loss / static_cast<double>(validation_.size());
  }

  std::string ScoreText(double score) const override { return fmt::format("loss {:.4f}", -score); }

 private:
  struct Target {
    int64_t attribute = 0;
    std::vector<size_t> rows;  // for training, in which it is known
    std::vector<uint32_t> strata;
  };

  // Targets of which no validation row has a value are trained on, but not validated.
  void AddTarget(int64_t attribute, const TrainingTable& data, const TrainingRows& rows) {
    const auto known = [&](const std::vector<size_t>& all) {
      std::vector<size_t> chosen;
      for (const size_t row : all) {
        if (!table_.missing[static_cast<int64_t>(row)][attribute].item<bool>()) chosen.push_back(row);
      }
      return chosen;
    };
    Target target{.attribute = attribute, .rows = known(rows.training), .strata = {}};
    for (const size_t row : target.rows) target.strata.push_back(data.strata[row]);
    std::vector<size_t> task_rows = Spread(target.rows, kMaxInContextRows);
    const size_t context = task_rows.size();
    for (const size_t row : Spread(known(rows.validation), kMaxValidationRows)) task_rows.push_back(row);
    if (context > 1 && task_rows.size() > context) {
      RandomStream random(options_.seed, {kValidationTask, static_cast<uint64_t>(attribute)});
      validation_.push_back(MakeTask(attribute, task_rows, context, random));
    }
    if (target.rows.size() >= kMinRows) targets_.push_back(std::move(target));
  }

  NetworkTask DrawTask(RandomStream& random) const {
    const Target& target = targets_[random.UniformInt(targets_.size())];
    std::vector<size_t> rows = StratifiedOrder(target.rows, target.strata, random);
    rows.resize(std::min(rows.size(), kMaxRowsOfStep));
    const auto context = static_cast<size_t>(kContextShare * static_cast<double>(rows.size()));
    return MakeTask(target.attribute, rows, context, random);
  }

  NetworkTask MakeTask(int64_t attribute, const std::vector<size_t>& rows, size_t context, RandomStream& random) const {
    const EncodedTable part = table_.Rows(RowTensor(rows, torch::kCPU));
    const auto known = static_cast<int64_t>(context);
    TableTask task{.table = MakeTaskTable(part, attributes_, features_, known),
                   .labels = part.values.select(1, attribute)};
    const int64_t classes = attributes_[static_cast<size_t>(attribute)].classes;
    if (classes == 0) {
      task.labels = ScaleOf(task.labels.narrow(0, 0, known)).Standardized(task.labels);
    } else {
      const std::vector<int64_t> code = DrawLabelCode(classes, kMaxClasses, random);
      task.labels = Coded(task.labels, code).to(torch::kFloat32);
      task.classes = CodedClasses(code);
    }
    return MakeNetworkTask(task, random());
  }

  const TrainingOptions& options_;
  InContextNetwork network_;
  const torch::Device device_;
  const EncodedTable table_;
  const Attributes& attributes_;
  const torch::Tensor features_;
  std::vector<Target> targets_;
  std::vector<NetworkTask> validation_;
};

TrainingRecipe RecipeOf(const TrainingOptions& options) {
  TrainingRecipe recipe;
  recipe.optimizer = {.kind = OptimizerKind::kAdamW, .lookahead = {}};
  recipe.schedule = FlatThenAnneal(options.steps, kFlatShare);
  recipe.warm_up = WithWarmUp(std::min(kWarmUp, options.steps), ConstantSchedule());
  recipe.clipping = {.kind = ClippingKind::kNorm, .limit = 1.0};
  recipe.keeps_best_when_diverged = true;
  return recipe;
}

}  // namespace

void SetFineTuningDefaults(TrainingOptions& options) {
  options.steps = 200;
  options.learning_rate = 3e-4;
  options.weight_decay = 0.01;
  options.validation_steps = 10;
  options.patience = 5;
}

FineTuning FineTune(const TrainingOptions& options, const InContextNetwork& network, const TrainingTable& data,
                    const TrainingRows& rows, const TrainingObserver& observer) {
  NamedTensors start = ModuleState(*network);
  for (auto& [name, tensor] : start) tensor = tensor.clone();
  DataParallel processes(options.place, network->parameters().front().device());
  FineTuningObjective objective(options, network, data, rows);
  FineTuning result{.network = network};
  {
    const torch::NoGradGuard no_grad;
    result.start_loss = -objective.Validate();
  }
  const TrainingResult training = RunTraining(options, RecipeOf(options), objective, processes, observer);
  result.is_finished = training.is_finished;
  result.best_loss = -training.best.score;
  result.best_step = training.best.step;
  if (result.best_step == 0 || !(result.best_loss < result.start_loss)) {
    LoadModuleState(*result.network, start, "the network before fine-tuning");
    result.best_loss = result.start_loss;
    result.best_step = 0;
  }
  return result;
}

}  // namespace haplospin
