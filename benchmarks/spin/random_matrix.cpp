// SPIN's appendix A.7: labels of a random binary matrix can only be looked up in other rows.
//
// A matrix of `rows` random bits in 30 attribute and 20 label columns is the context. A section of it is copied and cut
// into three equal parts, the train, validation and test queries, whose labels are masked. Prints the accuracy on each.
//
// A model can memorize one matrix of a few hundred rows. With --fresh each step and each test has a new random matrix,
// and SPIN is initialized as a smoother: labels can then only be looked up.
#include <fmt/format.h>
#include <torch/torch.h>

#include <boost/program_options.hpp>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>

#include "learning/models/spin.h"
#include "learning/models/table_model.h"
#include "learning/nn/optimization/optimizer.h"
#include "learning/nn/optimization/schedule.h"
#include "learning/nn/random_state.h"

namespace {

using namespace haplospin;
namespace po = boost::program_options;

constexpr int64_t kAttributeColumns = 30;
constexpr int64_t kLabelColumns = 20;

struct Settings {
  std::string layers;
  int64_t rows, section, steps, inducing_points, latent_attributes, width, heads, depth;
  double context_mask, learning_rate;
  bool fresh;
  uint64_t seed;
};

SpinOptions ModelOptions(const Settings& settings) {
  SpinOptions options;
  options.attributes = Attributes(kAttributeColumns + kLabelColumns, {.classes = 2});
  options.width = settings.width;
  options.depth = settings.depth;
  options.heads = settings.heads;
  options.inducing_points = settings.inducing_points;
  options.latent_attributes = settings.latent_attributes;
  options.xabd = !settings.layers.starts_with("xaba");
  options.predict_within_rows = settings.layers == "xaba-within-rows";
  options.xaba = settings.layers != "xabd";
  options.abla = settings.layers == "all";
  if (settings.fresh) {
    options.share_classes = true;
    options.latent_attributes = kAttributeColumns + kLabelColumns;
    const double length = std::sqrt(static_cast<double>(settings.width));
    const torch::Tensor classes = torch::nn::init::orthogonal_(torch::empty({2, settings.width}), length);
    if (options.xabd) options.smoothed_classes = classes;
  }
  return options;
}

struct Data {
  torch::Tensor context;                  // [rows, columns]
  torch::Tensor train, validation, test;  // copies of some of the context's rows
  torch::Tensor is_label;                 // [columns]
};

Data MakeData(const Settings& settings) {
  const int64_t part = settings.section / 3;
  Data data;
  data.context = torch::randint(2, {settings.rows, kAttributeColumns + kLabelColumns}, torch::kFloat32);
  data.train = data.context.narrow(0, 0, part);
  data.validation = data.context.narrow(0, part, part);
  data.test = data.context.narrow(0, 2 * part, part);
  data.is_label = torch::arange(kAttributeColumns + kLabelColumns) >= kAttributeColumns;
  return data;
}

// The rows with masked labels, all of them in the loss.
MaskedTable Query(const torch::Tensor& rows, const torch::Tensor& is_label) {
  MaskedTable table = Unmasked(rows);
  MaskChunks(table, torch::ones({rows.size(0)}, torch::kBool), is_label, 1.0);
  return table;
}

double Accuracy(SpinImpl& model, const Data& data, const torch::Tensor& rows) {
  const torch::NoGradGuard no_grad;
  model.eval();
  const torch::Tensor predictions = model.Predict(Query(rows, data.is_label), model.Encode(Unmasked(data.context)));
  model.train();
  const torch::Tensor right = predictions.argmax(-1) == rows;
  return right.narrow(1, kAttributeColumns, kLabelColumns).to(torch::kFloat64).mean().item<double>();
}

torch::Tensor Loss(SpinImpl& model, const Settings& settings, const Data& data, const Attributes& attributes) {
  MaskedTable context = Unmasked(data.context);
  MaskAtRandom(context, attributes, data.is_label, settings.context_mask);
  const torch::Tensor points = model.Encode(context);
  const MaskedTable query = Query(data.train, data.is_label);
  const TableLosses losses =
      TableLoss(model.Predict(query, points), data.train, query.in_loss, data.is_label, attributes);
  if (settings.context_mask == 0.0) return losses.labels;
  const TableLosses context_y =
      TableLoss(model.Predict(context, points), data.context, context.in_loss, data.is_label, attributes);
  return losses.labels + context_y.labels;
}

void Run(const Settings& settings) {
  SeedGenerators(settings.seed);
  Data data = MakeData(settings);
  const SpinOptions options = ModelOptions(settings);
  Spin model(options);
  Lookahead optimizer(std::make_unique<Lamb>(TrainableParameters(*model)), {});
  const Schedule schedule = FlatThenAnneal(settings.steps, 0.5);
  for (int64_t step = 0; step <= settings.steps; ++step) {
    if (step % std::max<int64_t>(settings.steps / 10, 1) == 0) {
      fmt::print("{}\t{}\t{:.4f}\t{:.4f}\t{:.4f}\n", settings.layers, step, Accuracy(*model, data, data.train),
                 Accuracy(*model, data, data.validation), Accuracy(*model, data, data.test));
      std::fflush(stdout);
    }
    optimizer.ZeroGrad();
    Loss(*model, settings, data, options.attributes).backward();
    ClipGradients(optimizer.parameters(), {ClippingKind::kValue, 1.0});
    optimizer.Step(settings.learning_rate * schedule(step));
    if (settings.fresh) data = MakeData(settings);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  po::options_description description("Random binary matrix (SPIN, appendix A.7)");
  description.add_options()("help", "print this text")  //
      ("layers", po::value(&settings.layers)->default_value("all"),
       "all, xabd, xaba, or xaba-within-rows: XABA with the published predictor")(
          "rows", po::value(&settings.rows)->default_value(5000), "rows of the context")(
          "section", po::value(&settings.section)->default_value(1500), "rows copied as queries")(
          "steps", po::value(&settings.steps)->default_value(2000), "optimizer steps")(
          "context-mask", po::value(&settings.context_mask)->default_value(0.15),
          "share of the context's labels masked and predicted in each step")(
          "inducing-points", po::value(&settings.inducing_points)->default_value(10), "h")(
          "latent-attributes", po::value(&settings.latent_attributes)->default_value(10), "f")(
          "width", po::value(&settings.width)->default_value(16), "e")(
          "heads", po::value(&settings.heads)->default_value(1), "attention heads")(
          "depth", po::value(&settings.depth)->default_value(4), "layers")(
          "learning-rate", po::value(&settings.learning_rate)->default_value(1e-3), "base learning rate of LAMB")(
          "fresh", po::bool_switch(&settings.fresh), "a new matrix for each step; f is the number of columns")(
          "seed", po::value(&settings.seed)->default_value(1), "seed");
  po::variables_map variables;
  po::store(po::parse_command_line(argc, argv, description), variables);
  po::notify(variables);
  if (variables.contains("help")) {
    std::cout << description;
    return 0;
  }
  fmt::print("layers\tstep\ttrain\tvalidation\ttest\n");
  Run(settings);
}
