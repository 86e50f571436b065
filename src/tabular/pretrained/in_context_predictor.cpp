#include "tabular/pretrained/in_context_predictor.h"

#include <algorithm>
#include <utility>

#include "haplospin/errors.h"
#include "models/in_context/number_bins.h"
#include "tabular/pretrained/label_codes.h"

namespace haplospin {
namespace {

constexpr int64_t kRowsOfBlock = 1024;  // that are predicted at once
constexpr uint64_t kCode = 61;          // key of random streams
constexpr double kMinProbability = 1e-6;

EncodedTable FeaturesOf(const EncodedTable& rows, const torch::Tensor& features) {
  return {rows.values.index_select(1, features), rows.missing.index_select(1, features)};
}

torch::Device DeviceOf(const InContextNetwork& network) { return network->parameters().front().device(); }

}  // namespace

InContextPredictor::InContextPredictor(const InContextNetwork& network, const EncodedTable& context,
                                       const Attributes& attributes, const torch::Tensor& is_target,
                                       InContextSettings settings)
    : network_(network),
      attributes_(attributes),
      settings_(std::move(settings)),
      features_((~is_target).nonzero().squeeze(1)) {
  const torch::NoGradGuard no_grad;
  for (int64_t j = 0; j < std::ssize(attributes); ++j) {
    outputs_ = std::max(outputs_, attributes[static_cast<size_t>(j)].classes);
    if (is_target[j].item<bool>()) targets_.push_back(ReadTarget(context, j));
  }
}

InContextPredictor::Target InContextPredictor::ReadTarget(const EncodedTable& context, int64_t attribute) const {
  const torch::Tensor all = (~context.missing.select(1, attribute)).nonzero().squeeze(1);
  HS_ASSERT(all.size(0) > 0);
  const torch::Tensor known = all.slice(0, 0, all.size(0), (all.size(0) + kMaxInContextRows - 1) / kMaxInContextRows);
  const TaskTable table = MakeTaskTable(context.Rows(known), attributes_, features_, known.size(0));
  torch::Tensor labels = context.values.select(1, attribute).index_select(0, known);
  Target target{.attribute = attribute, .classes = attributes_[static_cast<size_t>(attribute)].classes};
  if (target.classes == 0) {
    target.scale = ScaleOf(labels);
    labels = target.scale.Standardized(labels);
  }
  const int64_t codes = CodeLength(target.classes, kMaxClasses);
  for (int64_t k = 0; k < codes; ++k) {
    RandomStream random(settings_.seed, {kCode, static_cast<uint64_t>(attribute), static_cast<uint64_t>(k)});
    std::vector<int64_t> code = DrawLabelCode(target.classes, kMaxClasses, random);
    target.coded.push_back(Code(table, labels, std::move(code), codes == 1 && network_ ? settings_.views : 1, random));
  }
  return target;
}

InContextPredictor::CodedTarget InContextPredictor::Code(const TaskTable& table, const torch::Tensor& labels,
                                                         std::vector<int64_t> code, int64_t views,
                                                         RandomStream random) const {
  const int64_t outputs = CodedClasses(code);
  const torch::Tensor coded = outputs == 0 ? labels : Coded(labels, code);
  std::vector<CellEncoder> encoders;
  std::vector<torch::Tensor> cells;
  for (int64_t v = 0; v < views; ++v) {
    encoders.emplace_back(table, random());
    cells.push_back(encoders.back().Encode(table.values, table.missing));
  }
  CodedTarget target{
      .code = std::move(code),
      .outputs = outputs,
      .fits = KernelFits(MakeFitRows(cells[0], table.values, table.missing), table.columns, coded, outputs),
      .views = {}};
  if (!network_) {
    target.views.push_back({std::move(encoders[0]), {}});
    return target;
  }
  const torch::Device device = DeviceOf(network_);
  const torch::Tensor known = KnownLabels(coded, outputs, target.fits).unsqueeze(0).to(device);
  InContextNetwork network = network_;
  for (size_t v = 0; v < cells.size(); ++v) {
    target.views.push_back({std::move(encoders[v]), network->Encode(cells[v].unsqueeze(0).to(device), known)});
  }
  return target;
}

// What the network adds to the logits of the fits.
torch::Tensor InContextPredictor::Correction(const CodedTarget& coded, const View& view, const torch::Tensor& cells,
                                             const FitPredictions& fitted) const {
  const torch::Device device = DeviceOf(network_);
  const torch::Tensor labels = UnknownLabels(coded.outputs, fitted).unsqueeze(0).to(device);
  InContextNetwork network = network_;
  return network->Predict(view.context, cells.unsqueeze(0).to(device), labels).squeeze(0).cpu();
}

// Of the classes of the code, or of the bins of a number; the mean over the views.
torch::Tensor InContextPredictor::Probabilities(const CodedTarget& coded, const EncodedTable& features) const {
  FitPredictions fitted;
  torch::Tensor sum;
  for (const View& view : coded.views) {
    const torch::Tensor cells = view.encoder.Encode(features.values, features.missing);
    if (!sum.defined()) fitted = coded.fits.Predict(MakeFitRows(cells, features.values, features.missing));
    const torch::Tensor logits = network_ ? fitted.logits + Correction(coded, view, cells, fitted) : fitted.logits;
    const torch::Tensor own =
        coded.outputs > 0 ? logits.narrow(1, 0, coded.outputs) : logits.narrow(1, kMaxClasses, kNumberBins);
    sum = sum.defined() ? sum + own.softmax(1) : own.softmax(1);
  }
  return sum / static_cast<double>(coded.views.size());
}

// Of more than kMaxClasses, each code tells some classes apart, and their product all.
torch::Tensor InContextPredictor::ClassProbabilities(const Target& target, const EncodedTable& features) const {
  torch::Tensor sum = torch::zeros({features.rows(), target.classes});
  for (const CodedTarget& coded : target.coded) {
    const torch::Tensor by_class =
        Probabilities(coded, features).index_select(1, torch::tensor(coded.code, torch::kInt64));
    if (target.coded.size() == 1) return by_class;
    sum += by_class.clamp_min(kMinProbability).log();
  }
  return sum.softmax(1);
}

// For rows from `first` on.
void InContextPredictor::SetNumber(const Target& target, const torch::Tensor& probabilities, int64_t first,
                                   TablePredictions& all) const {
  const auto set = [&](const torch::Tensor& to, const torch::Tensor& numbers) {
    to.narrow(0, first, numbers.size(0)).copy_(numbers);
  };
  const auto in_units = [&](const torch::Tensor& numbers) {
    return numbers * target.scale.deviation + target.scale.mean;
  };
  set(all.values.select(1, target.attribute).select(1, 0), in_units(BinMean(probabilities)));
  set(all.deviations.select(1, target.attribute), BinDeviation(probabilities) * target.scale.deviation);
  for (size_t q = 0; q < settings_.quantiles.size(); ++q) {
    set(all.quantiles.select(1, target.attribute).select(1, static_cast<int64_t>(q)),
        in_units(BinQuantile(probabilities, settings_.quantiles[q])));
  }
}

TablePredictions InContextPredictor::Predict(const EncodedTable& rows) const {
  const torch::NoGradGuard no_grad;
  const auto d = std::ssize(attributes_);
  TablePredictions all{torch::zeros({rows.rows(), d, outputs_}), torch::zeros({rows.rows(), d}), {}};
  if (!settings_.quantiles.empty()) all.quantiles = torch::zeros({rows.rows(), d, std::ssize(settings_.quantiles)});
  for (int64_t first = 0; first < rows.rows(); first += kRowsOfBlock) {
    const int64_t size = std::min(kRowsOfBlock, rows.rows() - first);
    const EncodedTable part{rows.values.narrow(0, first, size), rows.missing.narrow(0, first, size)};
    const EncodedTable features = FeaturesOf(part, features_);
    for (const Target& target : targets_) {
      if (target.classes == 0) {
        SetNumber(target, Probabilities(target.coded.front(), features), first, all);
        continue;
      }
      const torch::Tensor to = all.values.narrow(0, first, size).select(1, target.attribute);
      to.narrow(1, 0, target.classes).copy_(ClassProbabilities(target, features));
    }
  }
  return all;
}

}  // namespace haplospin
