// NPT's lookup experiments (section 4.2, appendix B.1.2, table 3).
//
// Each step uses other rows of a table of numbers, target last, with their targets masked, followed by a copy of the
// same rows with their targets: NPT can look each target up in the copy. Variants: three features random in originals
// and copies independently; 1 added to the copies' targets; both. Tested on rows not used in training; then the targets
// of the copies are changed (intervention), which predictions should follow.
#include <fmt/format.h>
#include <torch/torch.h>

#include <boost/program_options.hpp>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "haplospin/errors.h"
#include "learning/models/npt.h"
#include "learning/models/table_model.h"
#include "learning/nn/optimization/optimizer.h"
#include "learning/nn/optimization/schedule.h"
#include "learning/nn/random_state.h"

namespace {

using namespace haplospin;
namespace po = boost::program_options;

constexpr int64_t kRandomColumns = 3;

struct Settings {
  std::string data;
  int64_t pairs, steps, test_rows, test_pairs, width, heads, depth;
  double learning_rate;
  bool random_features, add_one;
  uint64_t seed;
};

// Rows in random order, columns standardized, [n, d + 1]; the target is the last column.
struct Data {
  torch::Tensor training, test;
  double deviation = 0.0;  // of the target
};

Data ReadData(const Settings& settings) {
  std::ifstream file(settings.data);
  if (!file) throw InputError(settings.data + ": cannot be read");
  std::vector<double> numbers;
  int64_t rows = 0;
  for (std::string line; std::getline(file, line); ++rows) {
    std::istringstream fields(line);
    for (double number = 0.0; fields >> number;) numbers.push_back(number);
  }
  torch::Tensor table = torch::tensor(numbers, torch::kFloat64).reshape({rows, -1});
  table = table.index_select(0, torch::randperm(rows));
  const torch::Tensor deviations = table.std(0);
  const torch::Tensor standard = ((table - table.mean(0)) / deviations).to(torch::kFloat32);
  return {standard.slice(0, settings.test_rows), standard.slice(0, 0, settings.test_rows),
          deviations[-1].item<double>()};
}

// Originals with masked targets, then their copies.
struct Pairs {
  MaskedTable table;    // [2 n, d + 1]
  torch::Tensor truth;  // [2 n, d + 1]
};

Pairs MakePairs(const Settings& settings, const torch::Tensor& rows, const torch::Tensor& moved) {
  const int64_t target = rows.size(1) - 1;
  torch::Tensor both = torch::cat({rows, rows});
  if (settings.random_features) {
    torch::Tensor noise = both.narrow(1, target - kRandomColumns, kRandomColumns);
    noise.normal_(1.0, 1.0);
  }
  torch::Tensor shown = both.narrow(0, rows.size(0), rows.size(0)).select(1, target);
  if (settings.add_one) shown += 1.0;
  if (moved.defined()) shown += moved;
  MaskedTable table = Unmasked(both);
  const torch::Tensor is_original = torch::arange(both.size(0)) < rows.size(0);
  MaskChunks(table, is_original, torch::arange(both.size(1)) == target, 1.0);
  return {table, both};
}

struct Score {
  double rmse, correlation, intervention;
};

double Correlation(const torch::Tensor& a, const torch::Tensor& b) {
  return torch::corrcoef(torch::stack({a, b}))[0][1].item<double>();
}

torch::Tensor Predict(NptImpl& model, const Pairs& pairs) {
  return model.forward(pairs.table)
      .select(2, 0)
      .select(1, pairs.truth.size(1) - 1)
      .slice(0, 0, pairs.truth.size(0) / 2);
}

Score Test(NptImpl& model, const Settings& settings, const Data& data) {
  const torch::NoGradGuard no_grad;
  model.eval();
  std::vector<torch::Tensor> predicted, followed, moves;
  for (const torch::Tensor& rows : data.test.split(settings.test_pairs)) {
    const torch::Tensor moved = 3.0 * torch::rand({rows.size(0)}) - 1.5;
    predicted.push_back(Predict(model, MakePairs(settings, rows, {})));
    followed.push_back(Predict(model, MakePairs(settings, rows, moved)));
    moves.push_back(moved);
  }
  model.train();
  const torch::Tensor first = torch::cat(predicted), truth = data.test.select(1, data.test.size(1) - 1);
  return {data.deviation * (first - truth).square().mean().sqrt().item<double>(), Correlation(first, truth),
          Correlation(torch::cat(followed) - first, torch::cat(moves))};
}

void Run(const Settings& settings) {
  SeedGenerators(settings.seed);
  const Data data = ReadData(settings);
  TableModelOptions options;
  options.attributes = Attributes(static_cast<size_t>(data.training.size(1)));
  options.width = settings.width;
  options.depth = settings.depth;
  options.heads = settings.heads;
  Npt model(options);
  const torch::Tensor is_target = torch::arange(data.training.size(1)) == data.training.size(1) - 1;
  Lookahead optimizer(std::make_unique<Lamb>(TrainableParameters(*model)), {});
  const Schedule schedule = WithWarmUp(settings.steps / 20 + 1, FlatThenAnneal(settings.steps, 0.5));
  double sum = 0.0;
  const int64_t every = std::max<int64_t>(settings.steps / 20, 1);
  for (int64_t step = 1; step <= settings.steps; ++step) {
    const torch::Tensor rows = data.training.index_select(0, torch::randint(data.training.size(0), {settings.pairs}));
    const Pairs pairs = MakePairs(settings, rows, {});
    const torch::Tensor loss =
        TableLoss(model->forward(pairs.table), pairs.truth, pairs.table.in_loss, is_target, options.attributes).labels;
    optimizer.ZeroGrad();
    loss.backward();
    ClipGradients(optimizer.parameters(), {ClippingKind::kValue, 1.0});
    optimizer.Step(settings.learning_rate * schedule(step - 1));
    sum += loss.item<double>();
    if (step % every != 0 && step != settings.steps) continue;
    const Score score = Test(*model, settings, data);
    std::cout << nlohmann::json{{"step", step},
                                {"loss", sum / static_cast<double>(every)},
                                {"rmse", score.rmse},
                                {"correlation", score.correlation},
                                {"intervention", score.intervention}}
              << std::endl;
    sum = 0.0;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  po::options_description description("NPT's lookup experiments");
  description.add_options()("help", "print this text")  //
      ("data", po::value(&settings.data)->required(), "table of numbers, target last")(
          "pairs", po::value(&settings.pairs)->default_value(128), "rows of a step, each together with its copy")(
          "steps", po::value(&settings.steps)->default_value(7000), "optimizer steps")(
          "test-rows", po::value(&settings.test_rows)->default_value(1024), "rows that are tested")(
          "test-pairs", po::value(&settings.test_pairs)->default_value(256),
          "of them in one table, together with their copies")("width", po::value(&settings.width)->default_value(16),
                                                              "e")(
          "heads", po::value(&settings.heads)->default_value(4), "attention heads")(
          "depth", po::value(&settings.depth)->default_value(4), "layers")(
          "learning-rate", po::value(&settings.learning_rate)->default_value(8e-3), "base learning rate of LAMB")(
          "random-features", po::bool_switch(&settings.random_features), "three features random")(
          "add-one", po::bool_switch(&settings.add_one), "1 added to the targets of the copies")(
          "seed", po::value(&settings.seed)->default_value(1), "seed");
  po::variables_map variables;
  po::store(po::parse_command_line(argc, argv, description), variables);
  if (variables.contains("help")) {
    std::cout << description;
    return 0;
  }
  po::notify(variables);
  try {
    Run(settings);
  } catch (const InputError& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
