// SPIN's appendix A.8: rows of two clusters and two inducing points: which of them do the queries of each cluster
// attend to? Prints the cluster and the attention of each test query.
#include <fmt/format.h>
#include <torch/torch.h>

#include <boost/program_options.hpp>
#include <cstdint>
#include <iostream>

#include "learning/models/spin.h"
#include "learning/models/table_model.h"
#include "learning/nn/optimization/optimizer.h"
#include "learning/nn/optimization/schedule.h"
#include "learning/nn/random_state.h"

namespace {

using namespace haplospin;
namespace po = boost::program_options;

constexpr int64_t kAttributeColumns = 120;
constexpr int64_t kLabelColumns = 4;
constexpr double kNoise = 0.1;

struct Settings {
  int64_t rows, queries, steps, width;
  double learning_rate;
  uint64_t seed;
};

struct Data {
  torch::Tensor clusters;  // [rows] 0 or 1
  torch::Tensor rows;      // [rows, columns]
};

// Copies of one of two random centroids, attributes and labels, each bit changed with probability kNoise.
Data MakeData(int64_t rows) {
  const int64_t columns = kAttributeColumns + kLabelColumns;
  const torch::Tensor centroids = torch::randint(2, {2, columns}, torch::kFloat32);
  const torch::Tensor clusters = torch::randint(2, {rows}, torch::kInt64);
  const torch::Tensor noise = (torch::rand({rows, columns}) < kNoise).to(torch::kFloat32);
  return {clusters, (centroids.index_select(0, clusters) - noise).abs()};
}

MaskedTable Query(const torch::Tensor& rows) {
  MaskedTable table = Unmasked(rows);
  const torch::Tensor is_label = torch::arange(rows.size(1)) >= kAttributeColumns;
  MaskChunks(table, torch::ones({rows.size(0)}, torch::kBool), is_label, 1.0);
  return table;
}

void Run(const Settings& settings) {
  SeedGenerators(settings.seed);
  const Data data = MakeData(settings.rows);
  const torch::Tensor is_label = torch::arange(data.rows.size(1)) >= kAttributeColumns;
  // Copies of the first rows are the queries, half of them for training.
  const torch::Tensor train = data.rows.narrow(0, 0, settings.queries);
  const torch::Tensor test = data.rows.narrow(0, settings.queries, settings.queries);

  SpinOptions options;
  options.attributes = Attributes(static_cast<size_t>(data.rows.size(1)), {.classes = 2});
  options.width = settings.width;
  options.depth = 2;
  options.heads = 1;
  options.inducing_points = 2;
  options.xaba = false;
  options.abla = false;
  Spin model(options);
  Lookahead optimizer(std::make_unique<Lamb>(TrainableParameters(*model)), {});
  const Schedule schedule = FlatThenAnneal(settings.steps, 0.5);
  for (int64_t step = 0; step < settings.steps; ++step) {
    const MaskedTable query = Query(train);
    const TableLosses losses = TableLoss(model->Predict(query, model->Encode(Unmasked(data.rows))), train,
                                         query.in_loss, is_label, options.attributes);
    optimizer.ZeroGrad();
    losses.labels.backward();
    ClipGradients(optimizer.parameters(), {ClippingKind::kValue, 1.0});
    optimizer.Step(settings.learning_rate * schedule(step));
  }
  const torch::NoGradGuard no_grad;
  const torch::Tensor points = model->Encode(Unmasked(data.rows));
  const torch::Tensor weights = model->PredictorWeights(Query(test), points).mean(0);  // [queries, 2]
  fmt::print("cluster\tpoint_0\tpoint_1\n");
  for (int64_t i = 0; i < settings.queries; ++i) {
    fmt::print("{}\t{:.4f}\t{:.4f}\n", data.clusters[settings.queries + i].item<int64_t>(),
               weights[i][0].item<double>(), weights[i][1].item<double>());
  }
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  po::options_description description("Two clusters (SPIN, appendix A.8)");
  description.add_options()("help", "print this text")("rows", po::value(&settings.rows)->default_value(300),
                                                       "rows of the data")(
      "queries", po::value(&settings.queries)->default_value(100), "rows copied as queries to learn from, and to test")(
      "steps", po::value(&settings.steps)->default_value(100), "optimizer steps")(
      "width", po::value(&settings.width)->default_value(8), "e; 32 in the paper")(
      "learning-rate", po::value(&settings.learning_rate)->default_value(2e-2), "base learning rate of LAMB")(
      "seed", po::value(&settings.seed)->default_value(1), "seed");
  po::variables_map variables;
  po::store(po::parse_command_line(argc, argv, description), variables);
  po::notify(variables);
  if (variables.contains("help")) {
    std::cout << description;
    return 0;
  }
  torch::set_num_threads(1);
  Run(settings);
}
