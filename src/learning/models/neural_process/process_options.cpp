#include "learning/models/neural_process/process_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "haplospin/errors.h"
#include "learning/models/neural_process/anp.h"
#include "learning/models/neural_process/cnp.h"
#include "learning/models/neural_process/tnp.h"

namespace haplospin {
namespace {

// The names of the noise models in files, in the order of NoiseModel; an unknown one is an exception of at().
const nlohmann::json kNoiseModels = {{"variance", 0}, {"bounded", 1}, {"homogeneous", 2}};

void Expect(bool good, const std::string& source, const std::string& what) {
  if (!good) throw InputError(fmt::format("{}: {}", source, what));
}

// A model's constructor and properties.
struct ProcessArchitecture {
  const char* name;
  NoiseModel noise;  // the paper's
  bool has_heads;    // attention heads must divide the width
  std::shared_ptr<NeuralProcess> (*make)(const ProcessOptions&);
  int64_t (*min_weights)(const ProcessOptions&);  // fewer numbers than its weights are
};

template <typename Model, auto... kArguments>
std::shared_ptr<NeuralProcess> Make(const ProcessOptions& options) {
  return std::make_shared<Model>(options, kArguments...);
}

template <typename Model>
std::shared_ptr<NeuralProcess> MakeWithInducingPoints(const ProcessOptions& options) {
  return std::make_shared<Model>(options, options.inducing_points);
}

int64_t HiddenLayer(const ProcessOptions& o) { return o.width * o.width; }
int64_t Transformer(const ProcessOptions& o) { return o.layers * HiddenLayer(o); }
int64_t PseudoTokens(const ProcessOptions& o) { return Transformer(o) + o.pseudo_tokens * o.width; }
int64_t InducingPoints(const ProcessOptions& o) { return HiddenLayer(o) + o.inducing_points * o.width; }

const ProcessArchitecture kProcessArchitectures[] = {
    {"te-tnp", NoiseModel::kVariance, true, Make<TeTnp>,
     [](const ProcessOptions& o) { return Transformer(o) + o.kernel_width * o.kernel_width; }},
    {"te-pt-tnp", NoiseModel::kVariance, true, Make<TePtTnp>,
     [](const ProcessOptions& o) { return PseudoTokens(o) + o.kernel_width * o.kernel_width; }},
    {"tnp", NoiseModel::kVariance, true, Make<Tnp>, Transformer},
    {"pt-tnp", NoiseModel::kVariance, true, Make<PtTnp, PseudoTokenStyle::kInducedSet>, PseudoTokens},
    {"lbanp", NoiseModel::kVariance, true, Make<PtTnp, PseudoTokenStyle::kPerceiver>, PseudoTokens},
    {"cnp", NoiseModel::kVariance, false, Make<Cnp>, HiddenLayer},
    {"rcnp", NoiseModel::kVariance, false, Make<Rcnp>, HiddenLayer},
    {"convcnp", NoiseModel::kVariance, false, Make<ConvCnp>, HiddenLayer},
    {"canp", NoiseModel::kBoundedSd, true, Make<ConditionalAnp, 0>, HiddenLayer},
    {"banp", NoiseModel::kBoundedSd, true, Make<BootstrapAnp>, HiddenLayer},
    {"anp", NoiseModel::kBoundedSd, true, Make<LatentAnp, 0>, HiddenLayer},
    {"cipnp", NoiseModel::kBoundedSd, true, MakeWithInducingPoints<ConditionalAnp>, InducingPoints},
    {"ipnp", NoiseModel::kBoundedSd, true, MakeWithInducingPoints<LatentAnp>, InducingPoints},
};

const ProcessArchitecture* FindProcess(const std::string& name) {
  const auto* found = std::ranges::find(kProcessArchitectures, std::string_view(name), &ProcessArchitecture::name);
  return found == std::end(kProcessArchitectures) ? nullptr : found;
}

const ProcessArchitecture& ProcessNamed(const std::string& name) {
  const ProcessArchitecture* found = FindProcess(name);
  HS_ASSERT(found != nullptr);
  return *found;
}

}  // namespace

NoiseModel DefaultNoise(const std::string& model) { return ProcessNamed(model).noise; }

void to_json(nlohmann::json& json, const NoiseModel& noise) {
  for (const auto& [name, value] : kNoiseModels.items()) {
    if (value == static_cast<int>(noise)) json = name;
  }
}

void from_json(const nlohmann::json& json, NoiseModel& noise) {
  noise = static_cast<NoiseModel>(kNoiseModels.at(json.get<std::string>()).get<int>());
}

void CheckProcessOptions(const ProcessOptions& o, const std::string& source) {
  const ProcessArchitecture* architecture = FindProcess(o.model);
  Expect(architecture != nullptr, source, fmt::format("unknown model '{}'", o.model));
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
  in(o.kernel_frequencies, 0, 16, "the number of the kernel's frequencies");
  in(o.block_bytes, 1, int64_t{1} << 40, "the block size");
  in(o.inducing_points, 1, 65536, "the number of inducing points");
  in(o.train_samples, 1, 10000, "the number of samples in training");
  in(o.test_samples, 1, 10000, "the number of samples in prediction");
  in(o.levels, 1, 16, "the number of levels");
  in(o.kernel_size, 1, 255, "the kernel size");
  Expect(o.kernel_size % 2 == 1, source, "the kernel size must be odd");
  Expect(o.points_per_unit > 0 && o.points_per_unit <= 1e6, source,
         "the grid must have between 0 and 1e6 points per unit");
  if (architecture->has_heads && o.width % o.heads != 0) {
    throw InputError(fmt::format("{}: width {} is not a multiple of {} heads", source, o.width, o.heads));
  }
  Expect(o.model != "convcnp" || o.dx == 1, source,
         fmt::format("convcnp takes one x column, not {}; use te-pt-tnp", o.dx));
}

std::shared_ptr<NeuralProcess> MakeNeuralProcess(const ProcessOptions& options) {
  CheckProcessOptions(options, "model");
  return ProcessNamed(options.model).make(options);
}

double MinWeights(const ProcessOptions& options) {
  return static_cast<double>(ProcessNamed(options.model).min_weights(options));
}

}  // namespace haplospin
