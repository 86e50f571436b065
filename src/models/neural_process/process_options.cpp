#include "models/neural_process/process_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "haplospin/errors.h"
#include "models/neural_process/anp.h"
#include "models/neural_process/cnp.h"
#include "models/neural_process/conv_cnp.h"
#include "models/neural_process/te_tnp.h"
#include "models/neural_process/tnp.h"

namespace haplospin {
namespace {

// Calls visit(name, field) for each option; one list for writing and reading.
template <typename Options, typename Visit>
void VisitOptions(Options& options, const Visit& visit) {
  visit("model", options.model);
  visit("dx", options.dx);
  visit("dy", options.dy);
  visit("width", options.width);
  visit("heads", options.heads);
  visit("layers", options.layers);
  visit("pseudo_tokens", options.pseudo_tokens);
  visit("kernel_width", options.kernel_width);
  visit("update_locations", options.update_locations);
  visit("weigh_pseudo_locations", options.weigh_pseudo_locations);
  visit("block_bytes", options.block_bytes);
  visit("inducing_points", options.inducing_points);
  visit("train_samples", options.train_samples);
  visit("test_samples", options.test_samples);
  visit("levels", options.levels);
  visit("kernel_size", options.kernel_size);
  visit("points_per_unit", options.points_per_unit);
  visit("spacing", options.spacing);
}

const std::vector<std::string> kNoiseNames = {"variance", "bounded", "homogeneous"};

void Expect(bool good, const std::string& source, const std::string& what) {
  if (!good) throw InputError(fmt::format("{}: {}", source, what));
}

bool IsAnp(const std::string& model) {
  return model == "canp" || model == "banp" || model == "anp" || model == "cipnp" || model == "ipnp";
}

}  // namespace

const std::vector<std::string>& ProcessModels() {
  static const std::vector<std::string> names = {"te-tnp",  "te-pt-tnp", "tnp",  "pt-tnp", "lbanp", "cnp", "rcnp",
                                                 "convcnp", "canp",      "banp", "anp",    "cipnp", "ipnp"};
  return names;
}

NoiseModel DefaultNoise(const std::string& model) {
  return IsAnp(model) ? NoiseModel::kBoundedSd : NoiseModel::kVariance;
}

std::string ProcessOptionsToJson(const ProcessOptions& options) {
  nlohmann::json json;
  VisitOptions(options, [&](const char* name, const auto& field) { json[name] = field; });
  json["noise"] = kNoiseNames.at(static_cast<size_t>(options.noise));
  return json.dump();
}

ProcessOptions ProcessOptionsFromJson(const std::string& text, const std::string& source) {
  ProcessOptions options;
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    VisitOptions(options, [&](const char* name, auto& field) { json.at(name).get_to(field); });
    const auto noise = std::ranges::find(kNoiseNames, json.at("noise").get<std::string>());
    Expect(noise != kNoiseNames.end(), source, "its noise model is unknown; the file is damaged or of another version");
    options.noise = static_cast<NoiseModel>(noise - kNoiseNames.begin());
  } catch (const nlohmann::json::exception&) {
    throw InputError(source +
                     ": its description of the model cannot be read; the file is damaged or of another version");
  }
  CheckProcessOptions(options, source);
  return options;
}

void CheckProcessOptions(const ProcessOptions& o, const std::string& source) {
  Expect(std::ranges::find(ProcessModels(), o.model) != ProcessModels().end(), source,
         fmt::format("unknown model '{}'", o.model));
  const auto in = [&](int64_t value, int64_t low, int64_t high, const char* name) {
    Expect(value >= low && value <= high, source, fmt::format("{} is {}; expected {} to {}", name, value, low, high));
  };
  in(o.dx, 1, 64, "the number of x columns");
  in(o.dy, 1, 64, "the number of y columns");
  in(o.width, 1, 4096, "the width");
  in(o.heads, 1, 256, "the number of heads");
  in(o.layers, 1, 256, "the number of layers");
  in(o.pseudo_tokens, 1, 65536, "the number of pseudo-tokens");
  in(o.kernel_width, 1, 4096, "the kernel's width");
  in(o.block_bytes, 1, int64_t{1} << 40, "the block size");
  in(o.inducing_points, 1, 65536, "the number of inducing points");
  in(o.train_samples, 1, 10000, "the number of samples in training");
  in(o.test_samples, 1, 10000, "the number of samples in prediction");
  in(o.levels, 1, 16, "the number of levels");
  in(o.kernel_size, 1, 255, "the kernel size");
  Expect(o.kernel_size % 2 == 1, source, "the kernel size must be odd");
  Expect(o.points_per_unit > 0 && o.points_per_unit <= 1e6, source,
         "the grid must have between 0 and 1e6 points a unit");
  if (o.width % o.heads != 0 && (o.model.find("tnp") != std::string::npos || o.model == "lbanp" || IsAnp(o.model))) {
    throw InputError(fmt::format("{}: width {} is not a multiple of {} heads", source, o.width, o.heads));
  }
  if (o.model != "convcnp") return;
  Expect(o.dx <= 2, source, fmt::format("convcnp takes 1 or 2 x columns, not {}; use te-pt-tnp", o.dx));
  Expect(o.dx == 1 || (o.spacing.size() == 2 && o.spacing[0] > 0 && o.spacing[1] > 0), source,
         "convcnp with 2 x columns needs the spacing of the data's grid");
}

std::shared_ptr<NeuralProcess> MakeNeuralProcess(const ProcessOptions& options) {
  CheckProcessOptions(options, "model");
  const std::string& name = options.model;
  if (name == "cnp") return std::make_shared<Cnp>(options);
  if (name == "rcnp") return std::make_shared<Rcnp>(options);
  if (name == "convcnp" && options.dx == 1) return std::make_shared<ConvCnp>(options);
  if (name == "convcnp") return std::make_shared<GridConvCnp>(options);
  if (name == "tnp") return std::make_shared<Tnp>(options);
  if (name == "pt-tnp") return std::make_shared<PtTnp>(options, PseudoTokenStyle::kInducedSet);
  if (name == "lbanp") return std::make_shared<PtTnp>(options, PseudoTokenStyle::kPerceiver);
  if (name == "te-tnp") return std::make_shared<TeTnp>(options);
  if (name == "te-pt-tnp") return std::make_shared<TePtTnp>(options);
  if (name == "canp") return std::make_shared<ConditionalAnp>(options, 0);
  if (name == "cipnp") return std::make_shared<ConditionalAnp>(options, options.inducing_points);
  if (name == "banp") return std::make_shared<BootstrapAnp>(options);
  if (name == "anp") return std::make_shared<LatentAnp>(options, 0);
  HS_ASSERT(name == "ipnp");
  return std::make_shared<LatentAnp>(options, options.inducing_points);
}

}  // namespace haplospin
