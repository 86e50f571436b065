// The options of a neural process, without LibTorch: the program declares them as options of its commands.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace haplospin {

enum class NoiseModel {
  kVariance,     // variance = softplus(v) of each target (Ashman et al., 2024, appendix F.1)
  kBoundedSd,    // sd = 0.1 + 0.9 softplus(v) of each target (the ANP family's implementations)
  kHomogeneous,  // variance = softplus(v), v one learned number for each output (appendix F.2)
};

// The name in files and back. Reading throws nlohmann::json::exception where it is none of them.
void to_json(nlohmann::json& json, const NoiseModel& noise);
void from_json(const nlohmann::json& json, NoiseModel& noise);

struct ProcessOptions {
  std::string model = "te-tnp";  // a name of ProcessModels()
  int64_t dx = 1, dy = 1;
  int64_t width = 128;  // width of tokens and hidden layers
  NoiseModel noise = NoiseModel::kVariance;

  // Transformers.
  int64_t heads = 8;
  int64_t layers = 5;
  int64_t pseudo_tokens = 32;  // pt-tnp, lbanp, te-pt-tnp
  int64_t kernel_width = 128;  // hidden layers of the translation equivariant attention's MLPs
  // Sines and cosines of each difference of locations that the MLP also reads, with wavelengths 4, 2, 1, ..; 0: as in
  // the paper. An MLP of the difference alone learns only slowly what varies over short distances.
  int64_t kernel_frequencies = 0;
  bool update_locations = true;        // eq. 10
  bool weigh_pseudo_locations = true;  // eq. 11; otherwise pseudo-locations start around the context's mean
  // te-pt-tnp: context and targets read the pseudo-tokens with weights of their own and at the updated locations, as in
  // the published code; otherwise with the same weights, at the locations before the update.
  bool separate_reads = false;
  int64_t block_bytes = int64_t{64} << 20;

  // The ANP family.
  int64_t inducing_points = 32;  // cipnp, ipnp
  int64_t train_samples = 4;     // samples of the latent variable, or bootstraps
  int64_t test_samples = 50;

  // convcnp.
  int64_t levels = 5;  // the U-Net has 2 levels + 1 convolutions
  int64_t kernel_size = 9;
  double points_per_unit = 64;  // grid points per unit of the input
};

// The names that ProcessOptions::model takes.
inline std::vector<std::string> ProcessModels() {
  return {"te-tnp",  "te-pt-tnp", "tnp",  "pt-tnp", "lbanp", "cnp", "rcnp",
          "convcnp", "canp",      "banp", "anp",    "cipnp", "ipnp"};
}

// The noise model of the paper that a model is from.
NoiseModel DefaultNoise(const std::string& model);

// The options as JSON and back. Reading throws nlohmann::json::exception where one is missing or of another type.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProcessOptions, model, dx, dy, width, noise, heads, layers, pseudo_tokens,
                                   kernel_width, kernel_frequencies, update_locations, weigh_pseudo_locations,
                                   separate_reads, block_bytes, inducing_points, train_samples, test_samples, levels,
                                   kernel_size, points_per_unit)

// Throws InputError, naming `source`, if the options contradict each other.
void CheckProcessOptions(const ProcessOptions& options, const std::string& source);

// Fewer numbers than the weights of such a model are.
double MinWeights(const ProcessOptions& options);

}  // namespace haplospin
