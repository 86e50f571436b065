// The weights of the imputer's network, as stored in its files.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/provenance.h"
#include "core/safetensors.h"
#include "imputation/network/panel_features.h"

namespace haplospin {

// inputs -> hidden -> hidden -> 1 with hard-swish, x * clamp(x / 6 + 1 / 2, 0, 1), after the hidden layers. The last
// kNumPanelFeatures inputs are the PanelFeatures.
struct MlpWeights {
  size_t inputs = 0;
  size_t hidden = 0;           // a multiple of 4
  std::vector<float> weight1;  // [hidden, inputs]
  std::vector<float> bias1;    // [hidden]
  std::vector<float> weight2;  // [hidden, hidden]
  std::vector<float> bias2;    // [hidden]
  std::vector<float> weight3;  // [hidden]
  float bias3 = 0;
};

struct ImputerWeights {
  // Logit of a candidate: forward * log F + backward * log B + kCopyScale * copy(features), section 2 of the method.
  float forward = 1;
  float backward = 1;
  MlpWeights copy;        // kNumCopyFeatures inputs and the panel's
  MlpWeights allele;      // kNumAlleleFeatures and the panel's: corrects the logit of the minor allele's probability
  float panel_share = 0;  // logit of PanelShare()
};

// Without the inputs of the panel: as they are the same for all candidates and markers, they become part of the first
// layer's bias.
MlpWeights ForPanel(const MlpWeights& mlp, const PanelFeatures& panel);

// The share of the panel's allele frequency in every probability.
float PanelShare(const ImputerWeights& weights);

inline constexpr float kCopyScale = 5;

// Throws InputError if the file is damaged or has another model.
ImputerWeights LoadImputerWeights(const std::string& path);

// The same of a file that was read.
ImputerWeights ParseImputerWeights(const Safetensors& file);

// What LoadImputerWeights() reads.
Safetensors ToSafetensors(const ImputerWeights& weights, const Provenance& provenance = {},
                          const std::map<std::string, std::string>& results = {});

}  // namespace haplospin
