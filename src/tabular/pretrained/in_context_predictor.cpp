#include "tabular/pretrained/in_context_predictor.h"

#include <algorithm>

#include "haplospin/errors.h"
#include "models/in_context/number_bins.h"
#include "tabular/pretrained/label_codes.h"

namespace haplospin {
namespace {

constexpr int64_t kRowsOfBlock = 1024;  // that are predicted at once
constexpr uint64_t kView = 61;          // key of random streams
constexpr double kMinProbability = 1e-6;

EncodedTable FeaturesOf(const EncodedTable& rows, const torch::Tensor& features) {
  return {rows.values.index_select(1, features), rows.missing.index_select(1, features)};
}

torch::Device DeviceOf(const InContextNetwork& network) { return network->parameters().front().device(); }

}  // namespace

InContextPredictor::InContextPredictor(const InContextNetwork& network, const EncodedTable& context,
                                       const Attributes& attributes, const torch::Tensor& is_target, int64_t views,
                                       uint64_t seed)
    : network_(network), attributes_(attributes), features_((~is_target).nonzero().squeeze(1)) {
  const torch::NoGradGuard no_grad;
  for (int64_t j = 0; j < std::ssize(attributes); ++j) {
    outputs_ = std::max(outputs_, attributes[static_cast<size_t>(j)].classes);
    if (is_target[j].item<bool>()) targets_.push_back(ReadTarget(context, j, views, seed));
  }
}

InContextPredictor::Target InContextPredictor::ReadTarget(const EncodedTable& context, int64_t attribute, int64_t views,
                                                          uint64_t seed) const {
  const torch::Tensor known = (~context.missing.select(1, attribute)).nonzero().squeeze(1);
  HS_ASSERT(known.size(0) > 0);
  const EncodedTable rows = FeaturesOf(context.Rows(known), features_);
  TaskTable table{.values = rows.values, .missing = rows.missing, .context = known.size(0)};
  for (int64_t i = 0; i < features_.size(0); ++i) {
    table.columns.push_back(attributes_[static_cast<size_t>(features_[i].item<int64_t>())]);
  }
  torch::Tensor labels = context.values.select(1, attribute).index_select(0, known);
  Target target{.attribute = attribute, .classes = attributes_[static_cast<size_t>(attribute)].classes};
  if (target.classes == 0) {
    target.mean = labels.mean().item<double>();
    target.deviation = std::max(1e-6, labels.std(false).item<double>());
    labels = (labels - target.mean) / target.deviation;
  }
  views = std::max(views, CodeLength(target.classes, kMaxClasses));
  for (int64_t v = 0; v < views; ++v) {
    RandomStream random(seed, {kView, static_cast<uint64_t>(attribute), static_cast<uint64_t>(v)});
    target.views.push_back(ReadView(table, labels, target.classes, random()));
  }
  return target;
}

InContextPredictor::View InContextPredictor::ReadView(const TaskTable& table, const torch::Tensor& labels,
                                                      int64_t classes, uint64_t seed) const {
  RandomStream random(seed);
  std::vector<int64_t> code = DrawLabelCode(classes, kMaxClasses, random);
  const int64_t digits = std::min(classes, kMaxClasses);
  const torch::Tensor coded =
      classes == 0 ? labels : torch::tensor(code, torch::kInt64).index_select(0, labels.to(torch::kInt64));
  View view{.encoder = CellEncoder(table, seed),
            .code = std::move(code),
            .unknown = UnknownLabelInputs(digits),
            .context = {}};
  const torch::Device device = DeviceOf(network_);
  view.unknown = view.unknown.to(device);
  InContextNetwork network = network_;
  view.context = network->Encode(view.encoder.Encode(table.values, table.missing).unsqueeze(0).to(device),
                                 LabelInputs(coded, digits).unsqueeze(0).to(device));
  return view;
}

torch::Tensor InContextPredictor::Logits(const View& view, const EncodedTable& features) const {
  InContextNetwork network = network_;
  const torch::Tensor cells = view.encoder.Encode(features.values, features.missing).unsqueeze(0);
  return network->Predict(view.context, cells.to(DeviceOf(network_)), view.unknown).squeeze(0).cpu();
}

// Up to kMaxClasses the mean over the views; of more, each view tells some classes apart, and their product all.
torch::Tensor InContextPredictor::ClassProbabilities(const Target& target, const EncodedTable& features) const {
  const int64_t digits = std::min(target.classes, kMaxClasses);
  torch::Tensor sum = torch::zeros({features.rows(), target.classes});
  for (const View& view : target.views) {
    const torch::Tensor by_digit = Logits(view, features).narrow(1, 0, digits).softmax(1);
    const torch::Tensor by_class = by_digit.index_select(1, torch::tensor(view.code, torch::kInt64));
    sum += target.classes <= kMaxClasses ? by_class : by_class.clamp_min(kMinProbability).log();
  }
  return target.classes <= kMaxClasses ? sum / static_cast<double>(target.views.size()) : sum.softmax(1);
}

torch::Tensor InContextPredictor::BinProbabilities(const Target& target, const EncodedTable& features) const {
  torch::Tensor sum = torch::zeros({features.rows(), kNumberBins});
  for (const View& view : target.views) {
    sum += Logits(view, features).narrow(1, kMaxClasses, kNumberBins).softmax(1);
  }
  return sum / static_cast<double>(target.views.size());
}

TablePredictions InContextPredictor::Predict(const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  const auto d = std::ssize(attributes_);
  TablePredictions all{torch::zeros({rows.rows(), d, outputs_}), torch::zeros({rows.rows(), d})};
  for (int64_t first = 0; first < rows.rows(); first += kRowsOfBlock) {
    const int64_t size = std::min(kRowsOfBlock, rows.rows() - first);
    const EncodedTable part{rows.values.narrow(0, first, size), rows.missing.narrow(0, first, size)};
    const EncodedTable features = FeaturesOf(part, features_);
    for (const Target& target : targets_) {
      const torch::Tensor to = all.values.narrow(0, first, size).select(1, target.attribute);
      if (target.classes > 0) {
        to.narrow(1, 0, target.classes).copy_(ClassProbabilities(target, features));
        continue;
      }
      const torch::Tensor probabilities = BinProbabilities(target, features);
      to.select(1, 0).copy_(BinMean(probabilities) * target.deviation + target.mean);
      all.deviations.narrow(0, first, size)
          .select(1, target.attribute)
          .copy_(BinDeviation(probabilities) * target.deviation);
    }
  }
  return all;
}

}  // namespace haplospin
